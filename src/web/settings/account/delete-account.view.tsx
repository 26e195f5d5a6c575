import type { UserRow } from '../../../db/tables/accounts.ts'
import type { RepoRow } from '../../../db/tables/repositories.ts'
import type { ListedPackage } from '../../../packages/package-list.service.ts'
import { Section } from '../../ui/section.tsx'
import { SubmitRow } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Link } from '../../ui/link.tsx'
import { Box } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { PasswordField } from '../confirm-password.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.account.deletion

interface Named<Row> {
  /** The first ones. */
  readonly named: readonly Row[]
  readonly hasMore: boolean
}

/** Possessions that prevent the deletion of an account. */
export interface Possessions {
  readonly repos: Named<RepoRow>
  /** Organizations that would have no owner. */
  readonly orgs: Named<UserRow>
  readonly packages: Named<ListedPackage>
}

/** Says what the deletion of the account does, and offers it when nothing prevents it. */
export const DeleteAccount = ({
  user,
  possessions,
  mayDelete,
}: {
  readonly user: UserRow
  readonly possessions: Possessions
  readonly mayDelete: boolean
}) => {
  if (!mayDelete) return <Section title={texts.title} id="delete_title" lead={texts.off} />
  const isBare = Object.values(possessions).every(({ named }) => named.length === 0)
  return (
    <Section title={texts.title} id="delete_title" lead={texts.lead} isDanger>
      {isBare ? (
        <Form to="/user/settings/account/delete" class="stack" confirm={texts.question(user.name)}>
          {user.password_hash === null ? (
            <Field name="confirm" label={texts.typeName(user.name)} autocomplete="off" required />
          ) : null}
          <PasswordField id="delete_password" />
          <SubmitRow kind="danger">{texts.act}</SubmitRow>
        </Form>
      ) : (
        <StillOwned user={user} possessions={possessions} />
      )}
    </Section>
  )
}

const StillOwned = ({ user, possessions }: { readonly user: UserRow; readonly possessions: Possessions }) => {
  const { repos, orgs, packages } = possessions
  const packagesPath = pathOf(user.name, '-', 'packages')
  return (
    <div class="stack">
      <p>{texts.prevented}</p>
      <Box>
        <ul class="rows">
          {repos.named.map((repo) => (
            <Possession
              icon="repo"
              to={pathOf(user.name, repo.name, 'settings')}
              name={repo.name}
              advice={texts.repo}
            />
          ))}
          {repos.hasMore ? <More icon="repo" to="/user/settings/repos" label={texts.moreRepos} /> : null}
          {orgs.named.map(({ name }) => (
            <Possession icon="organization" to={pathOf('org', name, 'teams')} name={name} advice={texts.org} />
          ))}
          {orgs.hasMore ? <More icon="organization" to="/user/settings/organization" label={texts.moreOrgs} /> : null}
          {packages.named.map((each) => (
            <Possession
              icon="package"
              to={`${packagesPath}/${pathOf(each.type, each.lower_name).slice(1)}`}
              name={each.name}
              advice={texts.package(each.type)}
            />
          ))}
          {packages.hasMore ? <More icon="package" to={packagesPath} label={texts.morePackages} /> : null}
        </ul>
      </Box>
    </div>
  )
}

const Possession = ({
  icon,
  to,
  name,
  advice,
}: {
  readonly icon: IconName
  readonly to: string
  readonly name: string
  readonly advice: string
}) => (
  <li class="row">
    <Icon name={icon} class="row-icon" />
    <div class="row-main">
      <Link class="row-title" to={to}>
        {name}
      </Link>
      <p class="row-facts">{advice}</p>
    </div>
  </li>
)

const More = ({ icon, to, label }: { readonly icon: IconName; readonly to: string; readonly label: string }) => (
  <li class="row">
    <Icon name={icon} class="row-icon" />
    <div class="row-main">
      <Link to={to}>{label}</Link>
    </div>
  </li>
)
