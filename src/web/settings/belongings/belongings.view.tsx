import type { TeamRow, UserRow } from '../../../db/tables/accounts.ts'
import { parseTime } from '../../../lib/time.ts'
import type { presentRepos } from '../../../repos/repo.present.ts'
import { orgPath } from '../../frames/organization-frame.tsx'
import { DeleteButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Box, Empty, PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { Time } from '../../ui/time.tsx'
import { settingsTexts } from '../../languages/texts.ts'

type Repository = Awaited<ReturnType<typeof presentRepos>>[number]

interface Paged {
  readonly total: number
  readonly page: number
  readonly pageSize: number
}

const MorePages = ({ total, page, pageSize }: Paged) => <Pages page={page} total={total} pageSize={pageSize} />

export const ReposView = ({
  repos,
  sizes,
  ...paged
}: Paged & {
  readonly repos: readonly Repository[]
  /** Their sizes in bytes, by id: those of the API are rounded down to kibibytes. */
  readonly sizes: ReadonlyMap<number, number>
}) => {
  const texts = settingsTexts.repos
  return (
    <>
      <PageHead title={settingsTexts.parts.repos} lead={texts.lead}>
        <ButtonLink to="/repo/create" icon="plus">
          {texts.create}
        </ButtonLink>
      </PageHead>
      <RowBox
        rows={repos}
        none={
          <Box>
            <Empty icon="repo" title={texts.none}>
              <p>{texts.noneHint}</p>
            </Empty>
          </Box>
        }
      >
        {(repo) => (
          <li class="row">
            <Icon name={repo.fork ? 'repo-forked' : repo.mirror ? 'mirror' : repo.private ? 'lock' : 'repo'} />
            <div class="row-main">
              <p class="line">
                <Link class="row-title" to={pathOf(repo.full_name)}>
                  {repo.full_name}
                </Link>
                {repo.private ? <Tag>{texts.private}</Tag> : null}
                {repo.archived ? <Tag tone="warning">{texts.archived}</Tag> : null}
              </p>
              <p class="row-facts">
                <span>{sizeText(sizes.get(repo.id) ?? 0)}</span>
                <span>
                  {texts.updated}
                  <Time unix={parseTime(repo.updated_at) ?? 0} />
                </span>
              </p>
            </div>
            {repo.permissions?.admin ? (
              <ButtonLink to={`${pathOf(repo.full_name)}/settings`} class="small">
                {settingsTexts.settings}
              </ButtonLink>
            ) : null}
          </li>
        )}
      </RowBox>
      <MorePages {...paged} />
    </>
  )
}

export const OrganizationsView = ({
  orgs,
  mayCreate,
  ...paged
}: Paged & {
  readonly orgs: readonly { readonly org: UserRow; readonly teams: readonly TeamRow[] }[]
  readonly mayCreate: boolean
}) => {
  const texts = settingsTexts.organizations
  return (
    <>
      <PageHead title={settingsTexts.parts.organization} lead={texts.lead}>
        {mayCreate ? (
          <ButtonLink to="/org/create" icon="plus">
            {texts.create}
          </ButtonLink>
        ) : null}
      </PageHead>
      <RowBox
        rows={orgs}
        none={
          <Box>
            <Empty icon="organization" title={texts.none}>
              <p>{texts.noneHint}</p>
            </Empty>
          </Box>
        }
      >
        {({ org, teams }) => (
          <li class="row">
            <Avatar person={org} size={32} />
            <div class="row-main">
              <Link class="row-title" to={pathOf(org.name)}>
                {org.name}
              </Link>
              {org.full_name === '' ? null : <span class="muted"> {org.full_name}</span>}
              <p class="row-facts">
                {teams.map((team) => (
                  <Link to={orgPath(org, 'teams', team.lower_name)}>{team.name}</Link>
                ))}
              </p>
            </div>
            {teams.some((team) => team.access_mode === 4) ? (
              <ButtonLink to={orgPath(org, 'settings')} class="small">
                {settingsTexts.settings}
              </ButtonLink>
            ) : null}
            <DeleteButton
              to="/user/settings/organization/leave"
              hidden={{ name: org.name }}

              confirm={texts.leaveQuestion(org.name)}
              label={texts.leaveOf(org.name)}
            >
              {texts.leave}
            </DeleteButton>
          </li>
        )}
      </RowBox>
      <MorePages {...paged} />
    </>
  )
}
