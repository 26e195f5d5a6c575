import type { ComponentChildren } from 'preact'
import type { IssueRow } from '../../db/tables/issues.ts'
import { changedAtMost } from '../../issues/bulk.rules.ts'
import type { CountOfState, FoundByQuery, IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { querySorts, usualQuery, writeIssueQuery, type IssueQuery } from '../../issues/search/query.parse.ts'
import type { RecentBranch } from '../../pulls/recent-branch.service.ts'
import { RecentBranches } from '../shared/compare/recent-branches.view.tsx'
import { Submit } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { IssueIcon } from '../ui/issue-icon.tsx'
import { ColorDot } from '../ui/label.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { Box, Empty, Flash, Menu, MenuFilter, NarrowMenu, Pages } from '../ui/parts.tsx'
import { Avatar, PersonName } from '../ui/person.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf, withQuery } from '../ui/paths.ts'
import { numberText } from '../languages/amounts.ts'
import { TitleText } from '../ui/title-text.tsx'
import { IssueListRow, type RowMarks } from './row.view.tsx'
import { issueTexts as texts } from '../languages/texts.ts'

/** The field of a query of issues. */
export const QueryForm = ({
  to,
  text,
  children,
}: {
  readonly to: string
  readonly text: string
  readonly children?: ComponentChildren
}) => (
  <Form to={to} method="get" role="search" class="list-search">
    <label class="sr-only" for="issue_query">
      {texts.search}
    </label>
    <Icon name="search" />
    <input
      type="search"
      id="issue_query"
      name="q"
      value={text === '' ? '' : `${text} `}
      placeholder={texts.searchHint}
      data-hotkey="/"
      autocapitalize="none"
      spellcheck={false}
    />
    {children}
  </Form>
)

/** What a query names that does not exist, and what of it is not understood. */
export const QueryFaults = ({
  query,
  missing,
}: {
  readonly query: IssueQuery
  /** Filters whose label, milestone or account does not exist. */
  readonly missing: readonly string[]
}) => (
  <>
    {missing.length > 0 ? <Flash tone="warning">{texts.missing(missing)}</Flash> : null}
    {query.unknown.length > 0 ? <Flash tone="warning">{texts.unknown(query.unknown)}</Flash> : null}
    {query.unclosed.length > 0 ? <Flash tone="warning">{texts.unclosed(query.unclosed)}</Flash> : null}
  </>
)

export interface IssueListProps {
  readonly repository: RepoWithOwner
  readonly kind: 'issues' | 'pulls'
  readonly query: IssueQuery
  /** The text of the query as somebody typed it. */
  readonly text: string
  readonly found: FoundByQuery
  readonly marks: RowMarks
  /** What is pinned; only on the first page of the usual list. */
  readonly pinned: readonly IssueRow[]
  readonly choices: IssueChoices
  readonly page: number
  readonly pageSize: number
  readonly mayManage: boolean
  /** Whether the viewer may save views of the repository. */
  readonly maySaveView: boolean
  /** Whether the list has nothing at all, open or closed. */
  readonly isNew: boolean
  /** Branches that the viewer pushed and that have no pull request yet. */
  readonly recent: readonly RecentBranch[]
}

export const countText = ({ total, bound }: CountOfState): string => (bound ? texts.more(total) : numberText(total))

/** The list of the issues or pull requests of a repository. */
export function IssueListView(props: IssueListProps) {
  const { repository, kind, query, text, found, marks, page, pageSize, mayManage, isNew, recent } = props
  const at = (...parts: readonly (string | number)[]) => pathOf(repository.owner.name, repository.repo.name, ...parts)
  const isPlain = writeIssueQuery(query) === writeIssueQuery(usualQuery)
  const list = (
    <ul class="rows hoverable" data-rows="">
      {found.rows.map((row) => (
        <IssueListRow row={row} repository={repository} around={found.around} marks={marks} isSelectable={mayManage} />
      ))}
    </ul>
  )
  return (
    <>
      <h1 class="sr-only">{texts.kinds[kind]}</h1>
      <div class="list-bar">
        <QueryForm to={at(kind)} text={text}>
          {isPlain ? null : (
            <Link class="button quiet icon-only small" to={at(kind)} aria-label={texts.clear} title={texts.clear}>
              <Icon name="x" />
            </Link>
          )}
        </QueryForm>
        <div class="button-group">
          <ButtonLink to={at('labels')} icon="tag" aria-label={texts.labels}>
            <span class="wide-only">{texts.labels}</span>
          </ButtonLink>
          <ButtonLink to={at('milestones')} icon="milestone" aria-label={texts.milestones}>
            <span class="wide-only">{texts.milestones}</span>
          </ButtonLink>
          {props.maySaveView && !isPlain ? (
            <ButtonLink
              to={withQuery(at('projects', 'new'), { q: writeIssueQuery({ ...query, kind }) })}
              icon="project"
              aria-label={texts.saveView}
              title={texts.saveView}
            />
          ) : null}
        </div>
        {kind === 'issues' ? (
          <ButtonLink to={at('issues', 'new', 'choose')} kind="primary" data-hotkey="c">
            {texts.newIssue}
          </ButtonLink>
        ) : (
          <ButtonLink to={at('compare')} kind="primary" data-hotkey="c" aria-label={texts.newPull}>
            <span class="wide-only">{texts.newPull}</span>
            <span class="narrow-only">{texts.newOne}</span>
          </ButtonLink>
        )}
      </div>
      <RecentBranches branches={recent} />
      <QueryFaults query={query} missing={found.missing} />
      {isNew ? (
        <Box>
          <Empty
            icon={kind === 'issues' ? 'issue-opened' : 'git-pull-request'}
            title={kind === 'issues' ? texts.emptyIssues : texts.emptyPulls}
          >
            <p>{kind === 'issues' ? texts.emptyIssuesLead : texts.emptyPullsLead}</p>
          </Empty>
        </Box>
      ) : (
        <>
          <Pinned {...props} />
          <Selecting {...props} to={at(kind, 'bulk')}>
            <Box class="issue-list" head={<ListHead {...props} />}>
              {found.rows.length > 0 ? (
                list
              ) : (
                <Empty icon="search" title={texts.nothing}>
                  <p>{texts.nothingLead}</p>
                  {isPlain ? null : (
                    <div class="acts">
                      <ButtonLink to={at(kind)}>{texts.clear}</ButtonLink>
                    </div>
                  )}
                </Empty>
              )}
            </Box>
          </Selecting>
        </>
      )}
      <Pages
        page={page}
        isLast={page * pageSize >= found.shown.total && !found.shown.bound}
        total={found.shown.total}
        pageSize={pageSize}
      />
    </>
  )
}

/** What the repository has pinned, above the list. */
const Pinned = ({ repository, kind, pinned }: IssueListProps) =>
  pinned.length === 0 ? null : (
    <ul class="pinned" aria-label={texts.pinned}>
      {pinned.map((row) => (
        <li>
          <IssueIcon issue={row} />
          <span>
            <Link class="row-title" to={pathOf(repository.owner.name, repository.repo.name, kind, row.index)}>
              <TitleText text={row.title} />
            </Link>{' '}
            <span class="muted">#{row.index}</span>
          </span>
          <Icon name="pin" class="muted" />
        </li>
      ))}
    </ul>
  )

/** The form around a list whose rows can be selected. */
const Selecting = ({
  mayManage,
  text,
  to,
  children,
}: Pick<IssueListProps, 'mayManage' | 'text'> & {
  readonly to: string
  readonly children: ComponentChildren
}) => {
  const { url } = usePage()
  return mayManage ? (
    <Form to={to} hidden={{ back: url, q: text }} label={texts.bulk.label} data-selecting="issue">
      {children}
    </Form>
  ) : (
    <>{children}</>
  )
}

const ListHead = (props: IssueListProps) => {
  const { repository, kind, query, found, mayManage } = props
  const to = (changed: Partial<IssueQuery>) =>
    withQuery(pathOf(repository.owner.name, repository.repo.name, kind), {
      q: writeIssueQuery({ ...query, ...changed }) || 'is:all',
    })
  return (
    <>
      {mayManage && found.rows.length > 0 ? (
        <input
          type="checkbox"
          class="needs-script"
          data-select-all=""
          title={texts.bulk.selectPage}
          aria-label={texts.bulk.selectPage}
        />
      ) : null}
      <nav class="state-tabs" aria-label={texts.kinds[kind]}>
        <Link to={to({ state: 'open' })} aria-current={query.state === 'open' ? 'true' : undefined}>
          <Icon name={kind === 'issues' ? 'issue-opened' : 'git-pull-request'} />
          {texts.openCount(countText(found.open))}
        </Link>
        <Link to={to({ state: 'closed' })} aria-current={query.state === 'closed' ? 'true' : undefined}>
          <Icon name="check" />
          {texts.closedCount(countText(found.closed))}
        </Link>
      </nav>
      {mayManage ? <BulkBar {...props} /> : null}
      <Filters {...props} to={to} />
    </>
  )
}

interface MenuItem {
  readonly to: string
  readonly isCurrent: boolean
  readonly content: ComponentChildren
}

/** A menu of links that change one filter; a long one can be searched. */
const FilterMenu = ({
  id,
  label,
  items,
}: {
  readonly id: string
  readonly label: string
  readonly items: readonly MenuItem[]
}) => (
  <Menu label={<MenuLabel text={label} />} align="end" kind="quiet">
    {items.length > searchedFrom ? <MenuFilter list={`${id}_items`} label={texts.filterBy(label)} /> : null}
    <ul id={`${id}_items`}>
      {items.map(({ to, isCurrent, content }) => (
        <li>
          <Link to={to} aria-current={isCurrent ? 'true' : undefined}>
            {content}
            {isCurrent ? <Icon name="check" class="end" /> : null}
          </Link>
        </li>
      ))}
    </ul>
  </Menu>
)

/** From this number of items, a menu has a search field. */
export const searchedFrom = 8

export const MenuLabel = ({ text }: { readonly text: string }) => (
  <>
    {text}
    <Icon name="triangle-down" />
  </>
)

/** Menus of links that change the filters of a list. @param offersSort false: the list has one order */
export const Filters = ({
  query,
  choices,
  to,
  offersSort = true,
}: Pick<IssueListProps, 'query' | 'choices'> & {
  readonly to: (changed: Partial<IssueQuery>) => string
  readonly offersSort?: boolean
}) => {
  const { viewer } = usePage()
  const without = (lack: IssueQuery['lacks'][number]) => query.lacks.filter((each) => each !== lack)
  const toggled = (name: string) =>
    query.labels.includes(name) ? query.labels.filter((each) => each !== name) : [...query.labels, name]
  const person = (key: 'author' | 'assignee', name: string) => ({
    to: to({
      [key]: query[key] === name ? undefined : name,
      ...(key === 'assignee' ? { lacks: without('assignee') } : {}),
    }),
    isCurrent: query[key] === name,
  })
  const people = (key: 'author' | 'assignee'): readonly MenuItem[] => [
    ...(viewer ? [{ ...person(key, 'me'), content: texts.me }] : []),
    ...choices.people.map((user) => ({
      ...person(key, user.name),
      content: (
        <>
          <Avatar person={user} size={16} />
          <PersonName person={user} />
        </>
      ),
    })),
  ]
  const lack = (name: IssueQuery['lacks'][number], changed: Partial<IssueQuery>): MenuItem => {
    const isCurrent = query.lacks.includes(name)
    return {
      to: to({ ...changed, lacks: isCurrent ? without(name) : [...query.lacks, name] }),
      isCurrent,
      content: <span class="muted">{texts.none[name]}</span>,
    }
  }
  return (
    <NarrowMenu title={texts.filter} label={<MenuLabel text={texts.filter} />} class="list-filters">
      <FilterMenu id="filter_author" label={texts.filters.author} items={people('author')} />
      <FilterMenu
        id="filter_label"
        label={texts.filters.label}
        items={[
          lack('label', { labels: [] }),
          ...choices.labels.map(({ name, color }) => ({
            to: to({ labels: toggled(name), lacks: without('label') }),
            isCurrent: query.labels.includes(name),
            content: (
              <>
                <ColorDot color={color} />
                {name}
              </>
            ),
          })),
        ]}
      />
      <FilterMenu
        id="filter_milestone"
        label={texts.filters.milestone}
        items={[
          lack('milestone', { milestone: undefined }),
          ...choices.milestones.map(({ title }) => ({
            to: to({ milestone: query.milestone === title ? undefined : title, lacks: without('milestone') }),
            isCurrent: query.milestone === title,
            content: title,
          })),
        ]}
      />
      <FilterMenu
        id="filter_assignee"
        label={texts.filters.assignee}
        items={[lack('assignee', { assignee: undefined }), ...people('assignee')]}
      />
      {offersSort ? (
        <FilterMenu
          id="filter_sort"
          label={texts.filters.sort}
          items={querySorts.map((sort) => ({
            to: to({ sort }),
            isCurrent: query.sort === sort,
            content: texts.sorts[sort],
          }))}
        />
      ) : null}
    </NarrowMenu>
  )
}

/** Acts for the selected rows. The style sheet shows it when a row is selected. */
const BulkBar = ({ query, choices, found }: IssueListProps) => {
  const { total, bound } = found.shown
  const isMore = total > found.rows.length || bound !== undefined
  const menu = (
    id: string,
    label: string,
    items: readonly { readonly value: string; readonly content: ComponentChildren }[],
  ) => (
    <Menu label={<MenuLabel text={label} />}>
      {items.length > searchedFrom ? <MenuFilter list={`bulk_${id}`} label={texts.findOne} /> : null}
      <ul id={`bulk_${id}`}>
        {items.map(({ value, content }) => (
          <li>
            <button type="submit" name="act" value={value}>
              {content}
            </button>
          </li>
        ))}
      </ul>
    </Menu>
  )
  const labels = (act: string) =>
    choices.labels.map(({ id, name, color }) => ({
      value: `${act}:${id}`,
      content: (
        <>
          <ColorDot color={color} />
          {name}
        </>
      ),
    }))
  return (
    <div class="bulk-bar" role="group" aria-label={texts.bulk.label}>
      <span class="bulk-count" aria-live="polite">
        {texts.bulk.selected(<output data-selected="" class="needs-script" />)}
      </span>
      {isMore ? (
        <label class="bulk-all">
          <input type="checkbox" name="all" value="true" data-all={Math.min(total, changedAtMost)} />
          {total > changedAtMost || bound !== undefined
            ? texts.bulk.first(changedAtMost, countText(found.shown))
            : texts.bulk.all(total)}
        </label>
      ) : null}
      <NarrowMenu title={texts.bulk.label} label={<MenuLabel text={texts.bulk.change} />} class="bulk-acts">
        <div class="line">
          {query.state === 'closed' ? (
            <Submit kind="plain" name="act" value="reopen">
              {texts.bulk.reopen}
            </Submit>
          ) : (
            <Submit kind="plain" name="act" value="close">
              {texts.bulk.close}
            </Submit>
          )}
        </div>
        {choices.labels.length > 0 ? menu('label', texts.bulk.addLabel, labels('label')) : null}
        {choices.labels.length > 0 ? menu('unlabel', texts.bulk.removeLabel, labels('unlabel')) : null}
        {menu('milestone', texts.bulk.milestone, [
          { value: 'milestone:0', content: <span class="muted">{texts.bulk.noMilestone}</span> },
          ...choices.milestones.map(({ id, title }) => ({ value: `milestone:${id}`, content: title })),
        ])}
        {menu('assign', texts.bulk.assign, [
          { value: 'assign:', content: <span class="muted">{texts.bulk.nobody}</span> },
          ...choices.people.map((user) => ({
            value: `assign:${user.name}`,
            content: (
              <>
                <Avatar person={user} size={16} />
                <PersonName person={user} />
              </>
            ),
          })),
        ])}
      </NarrowMenu>
    </div>
  )
}
