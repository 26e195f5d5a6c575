import type { ComponentChildren } from 'preact'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { Page } from '../../lib/paging.ts'
import type { BrowsedRepos, RepoBrowsing } from '../../repos/lists/browse.service.ts'
import { PersonRow } from '../lists/person-row.tsx'
import { RepositoryList } from '../lists/repository-list.tsx'
import { Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, Pages, Tabs } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { exploreTexts as texts } from '../languages/texts.ts'

export type ExploreTab = 'repositories' | 'code' | 'users' | 'organizations'

/** Heading and tabs of the explore pages. Settings hide tabs. */
export const ExploreFrame = ({
  current,
  children,
}: {
  readonly current: ExploreTab
  readonly children: ComponentChildren
}) => {
  const { config } = usePage()
  const { disableUsersPage, disableOrganizationsPage, disableCodePage } = config.serviceExplore
  const tab = (name: ExploreTab, path: string, icon: IconName, isShown: boolean) =>
    isShown ? [{ label: texts[name], to: `/explore/${path}`, icon, isCurrent: name === current }] : []
  return (
    <>
      <div class="frame">
        <div class="container plain-head">
          <h1>{texts.title}</h1>
        </div>
        <Tabs
          label={texts.tabs}
          tabs={[
            ...tab('repositories', 'repos', 'repo', true),
            ...tab('code', 'code', 'code', !disableCodePage),
            ...tab('users', 'users', 'people', !disableUsersPage),
            ...tab('organizations', 'organizations', 'organization', !disableOrganizationsPage),
          ]}
        />
      </div>
      <div class="container">{children}</div>
    </>
  )
}

export const ExploreReposView = ({
  found,
  browsing,
}: {
  readonly found: BrowsedRepos
  readonly browsing: RepoBrowsing
}) => {
  const { viewer, config } = usePage()
  return (
    <ExploreFrame current="repositories">
      <RepositoryList
        found={found}
        browsing={browsing}
        to="/explore/repos"
        defaultSort={config.ui.explorePagingDefaultSort}
        empty={
          <Empty icon="repo" title={texts.noRepositories}>
            <p>{viewer ? texts.noRepositoriesHint : texts.noRepositoriesGuest}</p>
            {viewer ? (
              <ButtonLink kind="primary" icon="plus" to="/repo/create">
                {texts.newRepository}
              </ButtonLink>
            ) : null}
          </Empty>
        }
      />
    </ExploreFrame>
  )
}

export interface FoundAccounts {
  readonly accounts: readonly UserRow[]
  readonly total: number
  readonly page: Page
  readonly hasMore: boolean
  readonly text: string
  readonly sort: string
}

export const ExploreUsersView = ({ accounts, text, sort, ...found }: FoundAccounts) => (
  <ExploreFrame current="users">
    <AccountSearch to="/explore/users" label={texts.findPerson} text={text} sort={sort} />
    {accounts.length === 0 ? (
      <Empty icon="people" title={texts.noPeople}>
        <p>{texts.noPeopleHint}</p>
      </Empty>
    ) : (
      <AccountRows accounts={accounts} />
    )}
    <AccountPages {...found} />
  </ExploreFrame>
)

export const ExploreOrganizationsView = ({
  accounts,
  text,
  mayCreate,
  ...found
}: Omit<FoundAccounts, 'sort'> & { readonly mayCreate: boolean }) => (
  <ExploreFrame current="organizations">
    <AccountSearch to="/explore/organizations" label={texts.findOrganization} text={text} />
    {accounts.length === 0 ? (
      <Empty icon="organization" title={texts.noOrganizations}>
        <p>{texts.noOrganizationsHint}</p>
        {mayCreate ? (
          <ButtonLink kind="primary" icon="plus" to="/org/create">
            {texts.newOrganization}
          </ButtonLink>
        ) : null}
      </Empty>
    ) : (
      <AccountRows accounts={accounts} />
    )}
    <AccountPages {...found} />
  </ExploreFrame>
)

const AccountSearch = ({
  to,
  label,
  text,
  sort,
}: {
  readonly to: string
  readonly label: string
  readonly text: string
  readonly sort?: string
}) => (
  <Form to={to} method="get" role="search" class="filters" label={label}>
    <Field type="search" name="q" label={label} isLabelHidden isTerse placeholder={label} value={text} />
    {sort === undefined ? null : (
      <Select
        name="sort"
        label={texts.sort}
        isLabelHidden
        value={sort}
        choices={texts.peopleSorts.map(([value, name]) => ({ value, label: name }))}
        data-autosubmit=""
      />
    )}
    <Submit kind="plain">{texts.search}</Submit>
  </Form>
)

const AccountRows = ({ accounts }: { readonly accounts: readonly UserRow[] }) => (
  <RowBox rows={accounts} links>
    {(person) => <PersonRow person={person} />}
  </RowBox>
)

const AccountPages = ({ page, total, hasMore }: Pick<FoundAccounts, 'page' | 'total' | 'hasMore'>) => (
  <Pages page={page.number} isLast={!hasMore} total={total} pageSize={page.limit} />
)
