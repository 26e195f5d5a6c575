import type { AroundIssues } from '../../issues/issue.store.ts'
import type { FoundMine } from '../../issues/lists/personal-list.service.ts'
import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { FoundWide } from '../../issues/lists/wide-list.service.ts'
import { emptyQuery, writeIssueQuery, type IssueQuery } from '../../issues/search/query.parse.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Empty, Flash, Pages } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { withQuery } from '../ui/paths.ts'
import { issueTexts as texts } from '../languages/texts.ts'
import { countText, Filters, QueryFaults, QueryForm } from './list.view.tsx'
import { IssueListRow, type RowMarks } from './row.view.tsx'

/** The issues and pull requests of an organization's repositories. */
export const OrganizationIssuesView = ({
  path,
  name,
  query,
  text,
  found,
  rows,
  around,
  marks,
  choices,
  page,
  pageSize,
}: {
  readonly path: string
  readonly name: string
  readonly query: IssueQuery
  /** The text of the query as somebody typed it. */
  readonly text: string
  readonly found: Omit<FoundWide, 'keys'>
  readonly rows: FoundMine['rows']
  readonly around: AroundIssues
  readonly marks: RowMarks
  readonly choices: IssueChoices
  readonly page: number
  readonly pageSize: number
}) => {
  const to = (changed: Partial<IssueQuery>) =>
    withQuery(path, { q: writeIssueQuery({ ...query, ...changed }) || 'is:all' })
  return (
    <>
      <h1 class="sr-only">{texts.listTitle(texts.kinds.issues, name)}</h1>
      <div class="list-bar">
        <QueryForm to={path} text={text} />
        <nav class="button-group" aria-label={texts.kindsOfList}>
          {(['issues', 'pulls'] as const).map((kind) => (
            <Link class="button plain" to={to({ kind })} aria-current={query.kind === kind ? 'true' : undefined}>
              {texts.kinds[kind]}
            </Link>
          ))}
        </nav>
      </div>
      <QueryFaults query={query} missing={found.missing} />
      {query.sort === emptyQuery.sort ? null : <Flash tone="info">{texts.oneOrder}</Flash>}
      <RowBox
        class="issue-list"
        rows={rows}
        links
        head={
          <>
            <nav class="state-tabs" aria-label={texts.kinds[query.kind ?? 'issues']}>
              <Link to={to({ state: 'open' })} aria-current={query.state === 'open' ? 'true' : undefined}>
                <Icon name={query.kind === 'pulls' ? 'git-pull-request' : 'issue-opened'} />
                {texts.openCount(countText(found.open))}
              </Link>
              <Link to={to({ state: 'closed' })} aria-current={query.state === 'closed' ? 'true' : undefined}>
                <Icon name="check" />
                {texts.closedCount(countText(found.closed))}
              </Link>
            </nav>
            <Filters query={query} choices={choices} to={to} offersSort={false} />
          </>
        }
        empty={
          <Empty icon="search" title={texts.nothing}>
            <p>{texts.nothingLead}</p>
          </Empty>
        }
      >
        {({ row, repo: repository }) => (
          <IssueListRow row={row} repository={repository} around={around} marks={marks} withRepository />
        )}
      </RowBox>
      <Pages page={page} total={found.total} pageSize={pageSize} />
    </>
  )
}
