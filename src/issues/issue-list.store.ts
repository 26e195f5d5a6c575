import { sql, type Expression } from 'kysely'
import type { Db } from '../db/database.ts'
import { isDeep, readMerged, type OrderKey, type Piece } from '../db/deep-page.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { IssueId, RepoId } from '../lib/ids.ts'
import { totalOf, type Page } from '../lib/paging.ts'
import { countChanged } from './changed.store.ts'
import {
  branchOf,
  pairsOf,
  readerOfPair,
  type Found,
  type ListLead,
  type Pair,
  type RepoFilter,
} from './issue-branch.store.ts'
import { countRows, foundByFilter, labelled, type FoundPlaces, type IssueFilter } from './issue-filter.store.ts'
import { isByCreation, orderOf, type IssueSort } from './issue-order.store.ts'
import type { IssuePlace } from './issue.store.ts'
import { isOfKinds, listParts, listTallies, sumOf, type Facet, type Part } from './tally.store.ts'

const ofRepo = (db: Db, repoId: RepoId, limit: number, offset: number) =>
  db
    .selectFrom('issue')
    .select(['id', 'repo_id'])
    .where('repo_id', '=', repoId)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

const newestFirst = {
  ofAll: preparedQuery(ofRepo),
  ofState: preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
    ofRepo(db, repoId, limit, offset).where('is_closed', '=', isClosed),
  ),
}

/** Whether nothing but the repository and the state is asked for, as in most lists. */
export function isPlain(filter: IssueFilter): boolean {
  const { scope, isClosed: _state, isPull, allLabels, ...others } = filter
  return (
    scope.kind === 'repo' &&
    isPull.length === 2 &&
    (allLabels?.length ?? 0) === 0 &&
    Object.values(others).every((value) => value === undefined)
  )
}

/** One thing that a filter asks for, and how many issues of each kind and state have it. */
interface Asked {
  readonly lead: ListLead
  readonly parts: readonly Part[]
  /** The kept number of issues that have it, of the kinds and states that are asked for. */
  readonly total: number
  /** Whether none of those is counted twice. */
  readonly isExact: boolean
}

const facetOf = ({ table, key }: Pair): Facet => ({
  facet: table === 'issue_label' ? 'label' : table === 'issue_assignee' ? 'assignee' : 'mentioned',
  keys: [key],
})

/** What the database keeps count of, each with what finds the issues that have it. */
function tallied(db: Db, filter: RepoFilter): { readonly facet: Facet; readonly lead: ListLead }[] {
  const { anyLabels, milestoneIds, posterId } = filter
  return [
    ...pairsOf(filter).map((pair) => ({ facet: facetOf(pair), lead: { by: 'pair', pair } as const })),
    ...(anyLabels === undefined || anyLabels.length === 1
      ? []
      : [{ facet: { facet: 'label', keys: anyLabels } as const, lead: labelled(db, anyLabels) }]),
    ...(milestoneIds === undefined
      ? []
      : [{ facet: { facet: 'milestone', keys: milestoneIds } as const, lead: { by: 'milestone' } as const }]),
    ...(posterId === undefined
      ? []
      : [{ facet: { facet: 'poster', keys: [posterId] } as const, lead: { by: 'poster' } as const }]),
  ]
}

/** Everything that a filter asks for beside kind and state, the rarest first. */
async function askedOf(db: Db, filter: RepoFilter, all: readonly Part[]): Promise<Asked[]> {
  const counted = tallied(db, filter)
  const { sinceUnix, beforeUnix, scope } = filter
  const hasTimes = sinceUnix !== undefined || beforeUnix !== undefined
  const [tallies, changed] = await Promise.all([
    listTallies(
      db,
      scope.repoId,
      counted.map(({ facet }) => facet),
    ),
    hasTimes ? countChanged(db, filter, all) : [],
  ])
  const asked = counted.map(({ lead, facet }, index): Asked => {
    const parts = (tallies[index] ?? []).filter(isOfKinds(filter))
    return { lead, parts, total: sumOf(parts), isExact: facet.facet !== 'label' || facet.keys.length === 1 }
  })
  if (hasTimes) asked.push({ lead: { by: 'times' }, parts: changed, total: sumOf(changed), isExact: true })
  return asked.sort((one, other) => one.total - other.total)
}

/** Of more issues that only going through them could count, the total is this. */
const countedAtMost = 10_000
/** What a row costs, in microseconds: */
const costs = {
  /** passed over in an index that knows all that is asked for, */
  passed: 0.05,
  /** asked for what is in another table, */
  tried: 0.2,
  /** taken from an index and sorted, */
  sorted: 0.2,
  /** looked up and sorted. */
  lookedUp: 2,
} as const
/** What surely costs no more is done, though something else might cost less. */
const surelySoon = 5000
/** Rows of a page, and how many are passed over before them. */
type Reach = Pick<Page, 'limit' | 'offset'>

/** How much more than expected it may cost to go through an order: what is asked for may be far from its beginning. */
const safety = 4

/**
 * Returns one page of the issues of a repository that a filter leaves, and their number. Kept counts choose the way to the
 * page and do not decide its rows.
 */
async function findInRepo(db: Db, filter: RepoFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  const order = orderOf(sort)
  const ids = foundByFilter(db, filter)
  if (ids) return findByWords(db, filter, ids, order, page)
  const parts = await partsOf(db, filter)
  const asked = await askedOf(db, filter, parts)
  const [rarest] = asked
  const isCounted = asked.length === 0 ? filter.words === undefined : asked.length === 1 && rarest?.isExact
  const kept = isCounted ? sumOf(rarest?.parts ?? parts) : undefined
  const found = foundBy(filter, sort, page, asked, parts)
  const places = await readPage(db, filter, { found, order, parts, asked }, page)
  if (kept !== undefined) return { places, total: totalOf(kept, page, places.length) }
  const lead = { lead: rarest?.lead ?? found.lead, isInOrder: false }
  const counted = branchesOf(db, filter, lead, [], parts).map(({ query }) => query)
  return { places, ...boundedTotal(await countRows(db, counted, countedAtMost + 1)) }
}

const boundedTotal = (total: number): Pick<FoundPlaces, 'total' | 'bound'> =>
  total > countedAtMost ? { total: countedAtMost, bound: 'total' } : { total }

/** Returns each kind and state that a filter asks for, with the kept number of its issues. */
async function partsOf(db: Db, { scope, isPull, isClosed }: RepoFilter): Promise<readonly Part[]> {
  const kept = await listParts(db, scope.repoId)
  const states = isClosed === undefined ? [false, true] : [isClosed]
  return isPull.flatMap((kind) =>
    states.map((state) => {
      const part = kept.find((each) => each.isPull === kind && each.isClosed === state)
      return { isPull: kind, isClosed: state, total: Math.max(0, part?.total ?? 0) }
    }),
  )
}

interface ListPlan {
  readonly found: Found
  readonly order: readonly OrderKey[]
  readonly parts: readonly Part[]
  readonly asked: readonly Asked[]
}

async function readPage(
  db: Db,
  filter: RepoFilter,
  { found, order, parts, asked }: ListPlan,
  page: Reach,
): Promise<readonly IssuePlace[]> {
  const ofPair = readerOfPair(db, filter, found, order, parts)
  if (ofPair) return ofPair(page)
  const branches = branchesOf(db, filter, found, order, parts)
  const pieces = branches.map((branch, index) => pieceOf(branch, asked, parts[index]))
  return readMerged(db, pieces, page, { isIndexed: found.isInOrder })
}

/** Returns a page of the issues that words find, and their number. The text index gives all of them; they are sorted once. */
async function findByWords(
  db: Db,
  filter: RepoFilter,
  ids: Expression<IssueId>,
  order: readonly OrderKey[],
  { limit, offset }: Page,
): Promise<FoundPlaces> {
  const found: Found = { lead: { by: 'ids', ids }, isInOrder: false }
  const [{ query, order: keys }] = branchesOf(db, filter, found, order, []) as [BranchOfList]
  const places = await keys
    .reduce((each, { name, direction }) => each.orderBy(sql.ref(name), direction), query)
    .select(sql<number>`count(*) over ()`.as('total'))
    .limit(limit)
    .offset(offset)
    .execute()
  // No row behind the last page tells the total.
  const total = places[0]?.total ?? (offset === 0 ? 0 : await countRows(db, [query], undefined))
  return { places, total }
}

type BranchOfList = ReturnType<typeof branchOf>

/** The rows of a filter in parts, each of which an index has in the order. */
function branchesOf(
  db: Db,
  filter: RepoFilter,
  found: Found,
  order: readonly OrderKey[],
  parts: readonly Part[],
): readonly BranchOfList[] {
  if (found.lead.by !== 'ids') return parts.map((part) => branchOf(db, filter, found, order, part))
  const [isPull] = filter.isPull
  return [
    branchOf(db, filter, found, order, {
      ...(filter.isPull.length === 1 && isPull !== undefined ? { isPull } : {}),
      ...(filter.isClosed === undefined ? {} : { isClosed: filter.isClosed }),
    }),
  ]
}

/** A branch of a list, with how many rows it has. */
function pieceOf(
  { query, order }: BranchOfList,
  asked: readonly Asked[],
  part: Part | undefined,
): Piece<Schema, 'issue', IssuePlace> {
  if (part === undefined) return { query, order, rows: 0 }
  return { query, order, rows: asked.reduce((left, each) => left * shareOf(each, part), part.total) }
}

/**
 * By what a page is found: by the rarest thing asked for, whose rows are then sorted, or in the order, passing over rows
 * until the page is full. Some indexes have both.
 */
function foundBy(
  filter: RepoFilter,
  sort: IssueSort,
  page: Reach,
  asked: readonly Asked[],
  parts: readonly Part[],
): Found {
  const totals = new Map(asked.flatMap(({ lead, total }) => (lead.by === 'pair' ? [[keyOf(lead.pair), total]] : [])))
  const inOrder: Found = { lead: { by: 'order' }, isInOrder: true, totalOf: (pair) => totals.get(keyOf(pair)) ?? 0 }
  const [rarest, ...others] = asked
  if (!rarest) return inOrder
  const { lead, total } = rarest
  const isOneMilestone = lead.by === 'milestone' && filter.milestoneIds?.length === 1
  const hasOrder = isByCreation(sort)
    ? isOneMilestone || lead.by === 'poster' || lead.by === 'pair'
    : lead.by === 'times' && (sort === 'recentupdate' || sort === 'leastupdate')
  // SQLite goes through all between a time and a page whose place is known, where it looks for the time.
  if (hasOrder) return lead.by === 'times' && isDeep(page) ? inOrder : { lead, isInOrder: true }
  const sorted: Found = { lead, isInOrder: false }
  // Several things at once leave fewer rows than each of them.
  const left = (part: Part, of: readonly Asked[]) => of.reduce((share, each) => share * shareOf(each, part), 1)
  const isKnown = lead.by === 'poster' ? others.every((each) => each.lead.by === 'pair') : isByCreation(sort)
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0)
  const lookedUp = lead.by === 'pair' ? sum((part) => part.total * left(part, asked)) : total
  const sortedCost = total * costs.sorted + (isKnown && filter.words === undefined ? 0 : lookedUp * costs.lookedUp)
  if (sortedCost <= surelySoon) return sorted
  const passed = sum((part) =>
    Math.min(part.total, (page.offset + page.limit) / Math.max(left(part, asked), 1 / Math.max(1, part.total))),
  )
  const step = asked.some((each) => each.lead.by === 'pair') ? costs.tried : costs.passed
  return passed * step * safety < sortedCost ? inOrder : sorted
}

const keyOf = ({ table, key }: Pair): string => `${table} ${key}`

/** Which share of the issues of a kind and state has what is asked for. */
function shareOf({ parts }: Asked, part: Part): number {
  const have = parts.filter((each) => each.isPull === part.isPull && each.isClosed === part.isClosed)
  return Math.min(1, sumOf(have) / Math.max(1, part.total))
}

/** Returns issues by creation, the newest first. */
const readPlain = (db: Db, { scope, isClosed }: RepoFilter, { limit, offset }: Reach): Promise<readonly IssuePlace[]> =>
  isClosed === undefined
    ? newestFirst.ofAll(db, scope.repoId, limit, offset)
    : newestFirst.ofState(db, scope.repoId, isClosed, limit, offset)

/**
 * Returns one page of the issues that a filter leaves in the order of `sort`, and their number.
 * @param kept the kept number of issues of the repository of the kinds and the state that the filter asks for
 */
export async function findIssuePlaces(
  db: Db,
  filter: RepoFilter,
  sort: IssueSort,
  page: Page,
  kept: number,
): Promise<FoundPlaces> {
  if (sort === 'latest' && isPlain(filter)) {
    const places = await readPlain(db, filter, page)
    return { places, total: totalOf(kept, page, places.length) }
  }
  return findInRepo(db, filter, sort, page)
}
