import type { Ctx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { SavedViewRow } from '../db/tables/boards.ts'
import type { LabelRow, MilestoneRow } from '../db/tables/issues.ts'
import { scopeOf } from '../issues/issue-change.service.ts'
import { loadAroundIssues, type AroundIssues } from '../issues/issue.store.ts'
import { listScopedLabels } from '../issues/labels/label.store.ts'
import { findKeysByQuery, type FoundKeys } from '../issues/lists/query-list.service.ts'
import { findKeysWide } from '../issues/lists/wide-list.service.ts'
import { listOpenMilestones } from '../issues/milestones/milestone.store.ts'
import type { RepoWithOwner } from '../issues/repo-with-owner.ts'
import { loadReposWithOwners } from '../issues/repo-with-owner.store.ts'
import { parseIssueQuery, type IssueQuery, type QuerySort } from '../issues/search/query.parse.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import type { Bound } from '../lib/paging.ts'
import { pluck } from '../lib/pluck.ts'
import { loadCards, type CardRow } from './card.store.ts'
import { cardsAtMost, columnsAtMost, inColumnOrder } from './saved-view.rules.ts'
import type { ViewHome } from './saved-view.service.ts'

/** A column of a view. */
export interface Column {
  /** `open` or `closed`, the title of a milestone, the name of a person or a label; empty: none of them. */
  readonly value: string
  /** All its cards, in the order of the view. */
  readonly cards: readonly CardRow[]
  readonly label?: LabelRow | undefined
  readonly milestone?: MilestoneRow | undefined
  readonly person?: UserRow | undefined
}

/** A view with what its query finds. */
export interface Board {
  readonly view: SavedViewRow
  readonly query: IssueQuery
  /** A view without columns has one, whose value is empty. */
  readonly columns: readonly Column[]
  /** Columns beyond the limit, which are not among `columns`. */
  readonly furtherColumns: number
  /** Number of matches; the cards are the first of them. */
  readonly total: number
  readonly bound: Bound | undefined
  /** Whether all matches are cards. */
  readonly isWhole: boolean
  /** Filters of the query that name somebody or something that does not exist. Nothing is found then. */
  readonly missing: readonly string[]
  readonly repos: ReadonlyMap<RepoId, RepoWithOwner>
  readonly around: AroundIssues
}

/** The query of a view. Columns of states say which state they have, so the query says it in vain. */
export function queryOf(view: Pick<SavedViewRow, 'query' | 'grouping'>): IssueQuery {
  const query = parseIssueQuery(view.query)
  return view.grouping === 'state' ? { ...query, state: 'all' } : query
}

const find = (ctx: Ctx, home: ViewHome, query: IssueQuery): Promise<FoundKeys> =>
  home.of === 'repository'
    ? findKeysByQuery(home.at, query, cardsAtMost)
    : findKeysWide(ctx, { ownerId: home.of === 'organization' ? home.org.id : undefined }, query, {
        number: 1,
        limit: cardsAtMost,
        offset: 0,
      })

/** Returns a view with the cards that the viewer may read, in its columns. The number of queries does not depend on the view. */
export async function getBoard(ctx: Ctx, home: ViewHome, view: SavedViewRow): Promise<Board> {
  const query = queryOf(view)
  const { keys, total, bound, missing } = await find(ctx, home, query)
  const found = await loadCards(ctx.db, view.id, pluck(keys, 'id'))
  const repoIds = new Set(pluck(found, 'repo_id'))
  if (home.of === 'repository') repoIds.add(home.at.repo.id)
  const [around, repos] = await Promise.all([
    // The authors of cards are not shown.
    loadAroundIssues(
      ctx.db,
      found.map(({ id, milestone_id }) => ({ id, milestone_id, poster_id: nobody })),
    ),
    loadReposWithOwners(ctx.db, repoIds, home.of === 'repository' ? [home.at] : []),
  ])
  const isBoard = view.layout === 'board'
  const cards = found.toSorted(isBoard ? placedBefore(orders[query.sort]) : orders[query.sort])
  const columns = await columnsOf(ctx, home, { view, cards, around, repos })
  return {
    view,
    query,
    columns: columns.slice(0, columnsAtMost),
    furtherColumns: Math.max(0, columns.length - columnsAtMost),
    total,
    bound,
    isWhole: bound === undefined && found.length >= total,
    missing,
    repos,
    around,
  }
}

const nobody = 0 as UserId

/** Returns the cards of a column, or each card of all columns once; none for a column that the view lacks. */
export function listedCards({ columns }: Board, value: string | undefined): readonly CardRow[] {
  if (value !== undefined) return columns.find((column) => column.value === value)?.cards ?? []
  return [...new Set(columns.flatMap(({ cards }) => cards))]
}

type Order = (one: CardRow, other: CardRow) => number

const by =
  (...values: readonly ((card: CardRow) => number)[]): Order =>
  (one, other) => {
    for (const value of values) {
      const difference = value(one) - value(other)
      if (difference !== 0) return difference
    }
    return 0
  }
const newest = [(card: CardRow) => -card.created_unix, (card: CardRow) => 0 - card.id] as const
const oldest = [(card: CardRow) => card.created_unix, (card: CardRow) => card.id] as const

/** The orders of queries, as those of lists (`issues/lists/list-order.store.ts`). */
const orders: Readonly<Record<QuerySort, Order>> = {
  'created-desc': by(...newest),
  'created-asc': by(...oldest),
  'updated-desc': by((card) => -card.updated_unix, ...newest),
  'updated-asc': by((card) => card.updated_unix, ...oldest),
  'comments-desc': by((card) => -card.num_comments, ...newest),
  'comments-asc': by((card) => card.num_comments, ...newest),
  'due-asc': by((card) => card.listed_due_unix || Number.MAX_SAFE_INTEGER, ...newest),
  'due-desc': by((card) => -card.listed_due_unix, ...newest),
}

/** The order of a board: cards that somebody put somewhere come first. */
const placedBefore = (order: Order): Order => {
  const place = by(
    (card) => (card.rank === null ? 1 : 0),
    (card) => card.rank ?? 0,
  )
  return (one, other) => place(one, other) || order(one, other)
}

interface Found {
  readonly view: SavedViewRow
  readonly cards: readonly CardRow[]
  readonly around: AroundIssues
  readonly repos: ReadonlyMap<RepoId, RepoWithOwner>
}

async function columnsOf(ctx: Ctx, home: ViewHome, found: Found): Promise<readonly Column[]> {
  const { view, cards, around } = found
  if (view.grouping === 'none') return [{ value: '', cards }]
  const offered = await offeredColumns(ctx, home, found)
  const valuesOf = columnValues(view, around)
  const byValue = new Map<string, CardRow[]>()
  for (const card of cards) {
    for (const value of valuesOf(card)) {
      const column = byValue.get(value)
      if (column) column.push(card)
      else byValue.set(value, [card])
    }
  }
  const rows = rowsByValue(view, around, byValue.keys())
  return inColumnOrder(view, [...offered.keys(), ...byValue.keys()]).map((value) => ({
    value,
    cards: byValue.get(value) ?? [],
    ...(offered.get(value) ?? rows.get(value)),
  }))
}

type ColumnRow = Pick<Column, 'label' | 'milestone' | 'person'>

/** Returns the columns that a view has also without cards. */
async function offeredColumns(
  ctx: Ctx,
  home: ViewHome,
  { view, repos }: Found,
): Promise<ReadonlyMap<string, ColumnRow>> {
  const all = [...repos.values()]
  switch (view.grouping) {
    case 'state':
      return new Map([
        ['open', {}],
        ['closed', {}],
      ])
    case 'milestone': {
      const milestones = await listOpenMilestones(
        ctx.db,
        all.map(({ repo }) => repo.id),
        columnsAtMost + 1,
      )
      return firstByValue(milestones.map((milestone) => [milestone.title, { milestone }]))
    }
    case 'label': {
      const ownerIds = all.map(({ owner }) => owner.id)
      if (home.of === 'organization') ownerIds.push(home.org.id)
      const labels = await listScopedLabels(
        ctx.db,
        { repoIds: all.map(({ repo }) => repo.id), ownerIds },
        view.label_scope,
      )
      const ofScope = labels.filter((label) => scopeOf(label) === view.label_scope)
      return firstByValue(ofScope.map((label) => [label.name, { label }]))
    }
    case 'assignee':
      return firstByValue(ctx.viewer ? [[ctx.viewer.user.name, { person: ctx.viewer.user }]] : [])
    case 'none':
      return new Map()
  }
}

/** Returns the first row of each value, behind the column of the cards without a value. */
function firstByValue(entries: readonly (readonly [string, ColumnRow])[]): ReadonlyMap<string, ColumnRow> {
  const columns = new Map<string, ColumnRow>([['', {}]])
  for (const [value, row] of entries) if (!columns.has(value)) columns.set(value, row)
  return columns
}

/** Returns the function that says in which columns a card is. */
export function columnValues(
  view: Pick<SavedViewRow, 'grouping' | 'label_scope'>,
  { labels, milestones, assignees, users }: Pick<AroundIssues, 'labels' | 'milestones' | 'assignees' | 'users'>,
): (card: Pick<CardRow, 'id' | 'is_closed' | 'milestone_id'>) => readonly string[] {
  const orNone = (values: readonly string[]): readonly string[] => (values.length === 0 ? [''] : values)
  switch (view.grouping) {
    case 'state':
      return (card) => [card.is_closed ? 'closed' : 'open']
    case 'milestone':
      return (card) => [(card.milestone_id === null ? undefined : milestones.get(card.milestone_id)?.title) ?? '']
    case 'assignee':
      return (card) => orNone((assignees.get(card.id) ?? []).flatMap((id) => users.get(id)?.name ?? []))
    case 'label':
      return (card) =>
        orNone(
          (labels.get(card.id) ?? []).filter((label) => scopeOf(label) === view.label_scope).map(({ name }) => name),
        )
    case 'none':
      return () => ['']
  }
}

/** Returns the rows behind the values of columns that cards have. */
function rowsByValue(
  { grouping }: SavedViewRow,
  { labels, milestones, users }: AroundIssues,
  values: Iterable<string>,
): ReadonlyMap<string, ColumnRow> {
  const wanted = new Set(values)
  const entries: [string, ColumnRow][] =
    grouping === 'milestone'
      ? [...milestones.values()].map((milestone) => [milestone.title, { milestone }])
      : grouping === 'assignee'
        ? [...users.values()].map((person) => [person.name, { person }])
        : grouping === 'label'
          ? [...labels.values()].flat().map((label) => [label.name, { label }])
          : []
  return new Map(entries.filter(([value]) => wanted.has(value)))
}
