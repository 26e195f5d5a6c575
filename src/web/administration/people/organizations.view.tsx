import type { UserRow } from '../../../db/tables/accounts.ts'
import type { Page } from '../../../lib/paging.ts'
import { visibilities } from '../../../users/visibility.rules.ts'
import { SubmitRow } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty, PageHead, Pages, Tag } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { Avatar } from '../../ui/person.tsx'
import { Time } from '../../ui/time.tsx'
import { SearchForm } from '../search-form.tsx'
import { administrationTexts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

const texts = administrationTexts.orgs

/** The organizations of the instance. */
export const OrganizationsView = ({
  orgs,
  total,
  shown,
  text,
}: {
  readonly orgs: readonly UserRow[]
  readonly total: number
  readonly shown: Page
  readonly text: string
}) => (
  <>
    <PageHead title={administrationTexts.organizations} lead={texts.total(total)}>
      <ButtonLink to="/admin/orgs/new" kind="primary" icon="plus">
        {texts.new}
      </ButtonLink>
    </PageHead>
    <SearchForm to="/admin/orgs" label={texts.search} text={text} placeholder={texts.hint} />
    <RowBox rows={orgs} links empty={<Empty icon="organization" title={text === '' ? texts.empty : texts.none} />}>
      {(org) => (
        <li class="row">
          <Avatar person={org} size={32} />
          <div class="row-main">
            <div class="line">
              <Link to={pathOf(org.name)} class="row-title" data-row-link="">
                {org.name}
              </Link>
              {org.full_name === '' ? null : <span class="muted">{org.full_name}</span>}
              {org.visibility === 'public' ? null : <Tag>{texts.visibilities[org.visibility]}</Tag>}
            </div>
            <p class="row-facts">
              <Link to={pathOf(org.name)}>{texts.repositories(org.num_repos)}</Link>
              <span>
                {texts.created} <Time unix={org.created_unix} />
              </span>
            </p>
          </div>
          <div class="acts">
            <ButtonLink to={pathOf('org', org.name, 'members')} class="small">
              {texts.members}
            </ButtonLink>
            <ButtonLink to={pathOf('org', org.name, 'settings')} class="small" aria-label={texts.settingsOf(org.name)}>
              {texts.settings}
            </ButtonLink>
          </div>
        </li>
      )}
    </RowBox>
    <Pages page={shown.number} total={total} pageSize={shown.limit} />
  </>
)

/** The form of a new organization. */
export const NewOrganizationView = ({ owner, visibility }: { readonly owner: string; readonly visibility: string }) => (
  <>
    <PageHead title={texts.new} />
    <Form to="/admin/orgs/new" class="stack">
      <Field name="org_name" label={texts.name} required autofocus autocomplete="off" />
      <Field name="owner" label={texts.owner} hint={texts.ownerHint} value={owner} required autocomplete="off" />
      <Field name="full_name" label={administrationTexts.users.fullName} isProse />
      <Field name="description" label={texts.description} isProse />
      <Select
        name="visibility"
        label={texts.visibility}
        value={visibility}
        choices={visibilities.map((value) => ({ value, label: administrationTexts.users.visibilities[value] }))}
      />
      <SubmitRow>{texts.create}</SubmitRow>
    </Form>
  </>
)
