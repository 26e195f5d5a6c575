import type { UserRow } from '../../db/tables/accounts.ts'
import type { ListedIssue } from '../../issues/lists/listed-issue.service.ts'
import type { Page } from '../../lib/paging.ts'
import type { OwnedRepo } from '../../repos/lists/browse.service.ts'
import { IssueLine } from '../lists/issue-line.tsx'
import { PersonRow } from '../lists/person-row.tsx'
import { RepositoryRow } from '../lists/repository-row.tsx'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Empty, Pages, Tabs } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { withQuery } from '../ui/paths.ts'
import { searchTexts as texts } from '../languages/texts.ts'

/** Kinds of results, in the order of their tabs. */
export const searchKinds = ['repositories', 'issues', 'pulls', 'users'] as const
export type SearchKind = (typeof searchKinds)[number]

/** The number of results of a kind. */
export interface KindCount {
  readonly kind: SearchKind
  readonly total: number
  /** The total is a lower bound. */
  readonly isBounded: boolean
}

export interface FoundKinds {
  readonly results: SearchResults
  readonly counts: readonly KindCount[]
}

export type SearchResults = {
  readonly total: number
  /** The total is a lower bound. */
  readonly isBounded: boolean
  readonly isLast: boolean
} & (
  | { readonly kind: 'repositories'; readonly repos: readonly OwnedRepo[] }
  | { readonly kind: 'issues' | 'pulls'; readonly issues: readonly ListedIssue[] }
  | { readonly kind: 'users'; readonly people: readonly UserRow[] }
)

const icons: Readonly<Record<SearchKind, IconName>> = {
  repositories: 'repo',
  issues: 'issue-opened',
  pulls: 'git-pull-request',
  users: 'people',
}

export const SearchView = ({
  text,
  chosen,
  kinds,
  page,
  found,
}: {
  readonly text: string
  /** The kind that the address names; the next search opens it again. */
  readonly chosen: SearchKind | undefined
  readonly kinds: readonly SearchKind[]
  readonly page: Page
  readonly found: FoundKinds | undefined
}) => {
  const current = found?.results.kind ?? chosen ?? 'repositories'
  const countOf = (kind: SearchKind) => found?.counts.find((each) => each.kind === kind)
  return (
    <>
      <div class="frame">
        <div class="container plain-head">
          <h1 class="sr-only">{texts.title}</h1>
          <Form
            to="/search"
            method="get"
            role="search"
            class="filters"
            hidden={chosen === undefined ? {} : { type: chosen }}
            label={texts.hint}
          >
            <Field
              type="search"
              id="search_text"
              name="q"
              label={texts.hint}
              isLabelHidden
              isTerse
              placeholder={texts.hint}
              value={text}
              autofocus={text === ''}
            />
            <Submit>{texts.search}</Submit>
          </Form>
        </div>
        <Tabs
          label={texts.tabs}
          tabs={kinds.map((each) => ({
            label: texts[each],
            icon: icons[each],
            to: withQuery('/search', { q: text, type: each }),
            count: countOf(each)?.total,
            isCountBounded: countOf(each)?.isBounded,
            isCurrent: each === current,
          }))}
        />
      </div>
      <div class="container">
        {found === undefined ? (
          <Empty icon="search" title={texts.start}>
            <p>{texts.startHint}</p>
          </Empty>
        ) : (
          <Results results={found.results} text={text} page={page} />
        )}
      </div>
    </>
  )
}

const Results = ({
  results,
  text,
  page,
}: {
  readonly results: SearchResults
  readonly text: string
  readonly page: Page
}) => {
  const { config } = usePage()
  const rows = rowsOf(results)
  const code = config.serviceExplore.disableCodePage ? undefined : withQuery('/explore/code', { q: text })
  return (
    <div class="stack">
      {rows.length === 0 ? (
        <Empty icon="search" title={texts.none(text)}>
          <p>{texts.noneHint}</p>
          {code === undefined ? null : (
            <div class="acts">
              <ButtonLink to={code} icon="code">
                {texts.inCode}
              </ButtonLink>
            </div>
          )}
        </Empty>
      ) : (
        <>
          <p class="line between small">
            <span class="muted">{texts.found(results.total, results.isBounded)}</span>
            {code === undefined ? null : <Link to={code}>{texts.inCode}</Link>}
          </p>
          <RowBox rows={rows} links>
            {(row) => row}
          </RowBox>
        </>
      )}
      <Pages
        page={page.number}
        isLast={results.isLast}
        total={results.isBounded ? undefined : results.total}
        pageSize={page.limit}
      />
    </div>
  )
}

function rowsOf(results: SearchResults) {
  switch (results.kind) {
    case 'repositories':
      return results.repos.map((each) => <RepositoryRow {...each} />)
    case 'users':
      return results.people.map((person) => <PersonRow person={person} />)
    case 'issues':
    case 'pulls':
      return results.issues.map((each) => <IssueLine {...each} />)
  }
}
