import { sql, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { isDeep, readMerged, turnedOrder, type OrderKey, type Piece, type Start } from '../db/deep-page.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { Schema } from '../db/schema.ts'
import type { RepoId } from '../lib/ids.ts'
import { fromNearerEnd, type Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import { countChangedBefore, findBlock } from './block.store.ts'
import { findCell } from './cell.store.ts'
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
import { countRows, labelled, wordScope, type FoundPlaces, type IssueFilter } from './issue-filter.store.ts'
import { isByCreation, orderOf, type IssueSort } from './issue-order.store.ts'
import { findEverywhere } from './issue-search.store.ts'
import type { IssuePlace } from './issue.store.ts'
import { wordSets } from './issue-words.store.ts'
import { isOfKinds, listParts, listTallies, sumOf, type Facet, type Part } from './tally.store.ts'

const byCreation = (direction: 'asc' | 'desc') => {
  const isFrom = sql.raw(direction === 'asc' ? '>=' : '<=')
  const ofAll = (db: Db, repoId: RepoId, limit: number, offset: number) =>
    db
      .selectFrom('issue')
      .select(['id', 'repo_id'])
      .where('repo_id', '=', repoId)
      .orderBy('created_unix', direction)
      .orderBy('id', direction)
      .limit(limit)
      .offset(offset)
  const fromTime = (db: Db, repoId: RepoId, createdUnix: Unix, limit: number, offset: number) =>
    ofAll(db, repoId, limit, offset).where(sql<SqlBool>`created_unix ${isFrom} ${createdUnix}`)
  return {
    ofAll: preparedQuery(ofAll),
    ofState: preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
      ofAll(db, repoId, limit, offset).where('is_closed', '=', isClosed),
    ),
    fromTime: preparedQuery(fromTime),
    ofStateFromTime: preparedQuery(
      (db: Db, repoId: RepoId, isClosed: boolean, createdUnix: Unix, limit: number, offset: number) =>
        fromTime(db, repoId, createdUnix, limit, offset).where('is_closed', '=', isClosed),
    ),
  }
}
const newestFirst = byCreation('desc')
const oldestFirst = byCreation('asc')

/** Whether nothing but the repository and the state is asked for, as in most lists. */
export function isPlain(filter: IssueFilter): filter is IssueFilter & { scope: { kind: 'repo' } } {
  const { scope, isClosed: _state, isPull, allLabels, ...others } = filter
  return (
    scope.kind === 'repo' &&
    isPull.length === 2 &&
    (allLabels?.length ?? 0) === 0 &&
    Object.values(others).every((value) => value === undefined)
  )
}

const isOfRepo = (filter: IssueFilter): filter is RepoFilter => filter.scope.kind === 'repo'

/** One thing that a filter asks for, and how many issues of each kind and state have it. */
interface Asked {
  readonly lead: ListLead
  /** undefined: nobody knows. */
  readonly parts: readonly Part[] | undefined
  /** How many have it, of the kinds and states that are asked for; 0 where nobody knows. */
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
  const { sinceUnix, beforeUnix, words, scope } = filter
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
  const found = words && wordSets(db, words, wordScope(filter)).found
  if (found) asked.push({ lead: { by: 'ids', ids: found }, parts: undefined, total: 0, isExact: false })
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

/** One page of the issues of a repository that a filter leaves, and how many there are. */
async function findInRepo(db: Db, filter: RepoFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  const order = orderOf(sort)
  const all = (await listParts(db, filter.scope.repoId)).filter((part) => part.total > 0 && isOfKinds(filter)(part))
  const asked = await askedOf(db, filter, all)
  // What is in no part of a thing that is asked for is not there.
  const parts = asked.reduce(
    (left, { parts: have }) =>
      have === undefined
        ? left
        : left.filter((part) =>
            have.some((each) => each.isPull === part.isPull && each.isClosed === part.isClosed && each.total > 0),
          ),
    all,
  )
  if (parts.length === 0) return { places: [], total: 0 }
  const [rarest] = asked
  const isCounted = asked.length === 0 ? filter.words === undefined : asked.length === 1 && rarest?.isExact
  const counted = isCounted ? sumOf(rarest?.parts ?? parts) : undefined
  const found = foundBy(filter, sort, counted === undefined ? page : fromEither(page, counted), asked, parts)
  if (rarest?.parts === undefined && found.lead.by === 'ids') return findOnce(db, filter, found, order, page)
  const total =
    counted ??
    (await countRows(
      db,
      branchesOf(db, filter, { lead: rarest?.lead ?? found.lead, isInOrder: false }, [], parts).map(
        ({ query }) => query,
      ),
      countedAtMost,
    ))
  if (page.offset >= total) return { places: [], total }
  const read = async (end: Reach, isFromEnd: boolean) => {
    const way = isFromEnd ? turnedOrder(order) : order
    const ofPair = readerOfPair(db, filter, found, way, parts)
    if (ofPair) return ofPair(end)
    const branches = branchesOf(db, filter, found, way, parts)
    const pieces = branches.map((branch, index) => pieceOf(branch, asked, parts[index]))
    const isWhole = asked.length === 0 && filter.words === undefined
    const inAll = (offset: number) => findBlock(db, filter.scope.repoId, parts, way, offset)
    const inTimes = (offset: number) =>
      way[0]?.name === 'updated_unix'
        ? findBlockOfTimes(db, filter, parts, way, offset)
        : findCell(db, filter.scope.repoId, parts, way, offset, filter)
    return readMerged(db, pieces, end, {
      isIndexed: found.isInOrder,
      startBefore: isWhole ? inAll : asksForTimesAlone(filter, asked) ? inTimes : undefined,
    })
  }
  return { places: await (isCounted ? fromNearerEnd(page, total, read) : read(page, false)), total }
}

/**
 * Where a page begins of what changed in a time, in the order of change: what the time leaves out comes before all of it, or
 * behind.
 */
async function findBlockOfTimes(
  db: Db,
  { scope, sinceUnix, beforeUnix }: RepoFilter,
  parts: readonly Part[],
  order: readonly OrderKey[],
  offset: number,
): Promise<Start | undefined> {
  const { repoId } = scope
  const isFromFirst = order[0]?.direction === 'asc'
  const at = isFromFirst ? sinceUnix : beforeUnix
  if (at === undefined) return findBlock(db, repoId, parts, order, offset)
  const changedBefore = await countChangedBefore(db, repoId, isFromFirst ? at : at + 1)
  if (!changedBefore) return undefined
  const passed = parts.reduce(
    (sum, part) => sum + (isFromFirst ? changedBefore(part) : part.total - changedBefore(part)),
    0,
  )
  const start = await findBlock(db, repoId, parts, order, offset + passed)
  return start && start.rank >= passed ? { ...start, rank: start.rank - passed } : undefined
}

/** A page of what words find, and how many there are: they are looked for once, and all that they find is sorted. */
async function findOnce(
  db: Db,
  filter: RepoFilter,
  found: Found,
  order: readonly OrderKey[],
  { limit, offset }: Page,
): Promise<FoundPlaces> {
  const [{ query, order: keys }] = branchesOf(db, filter, found, order, []) as [BranchOfList]
  const rows = await keys
    .reduce((each, { name, direction }) => each.orderBy(sql.ref(name), direction), query)
    .select(sql<number>`count(*) over ()`.as('total'))
    .limit(limit)
    .offset(offset)
    .execute()
  // Behind the last page no row tells how many there are.
  const total = rows[0]?.total ?? (offset === 0 ? 0 : await countRows(db, [query], countedAtMost))
  return { places: offset >= countedAtMost ? [] : rows, total: Math.min(total, countedAtMost) }
}

/** How far a page is from the end that it is read from. */
const fromEither = ({ limit, offset }: Page, total: number): Reach => ({
  limit,
  offset: Math.min(offset, Math.max(0, total - offset - limit)),
})

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

/** Whether nothing but a time is asked for beside kind and state. */
const asksForTimesAlone = ({ words }: RepoFilter, [only, ...others]: readonly Asked[]): boolean =>
  only?.lead.by === 'times' && others.length === 0 && words === undefined

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
  if (rarest.parts === undefined) return sorted
  // Several things at once leave fewer rows than each of them.
  const left = (part: Part, of: readonly Asked[]) => of.reduce((share, each) => share * shareOf(each, part), 1)
  const isKnown = lead.by === 'poster' ? others.every((each) => each.lead.by === 'pair') : isByCreation(sort)
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0)
  const lookedUp = lead.by === 'pair' ? sum((part) => part.total * left(part, asked)) : total
  const sortedCost = total * costs.sorted + (isKnown && filter.words === undefined ? 0 : lookedUp * costs.lookedUp)
  if (sortedCost <= surelySoon) return sorted
  // Cells say where the page begins.
  if (isDeep(page) && asksForTimesAlone(filter, asked)) return inOrder
  const passed = sum((part) =>
    Math.min(part.total, (page.offset + page.limit) / Math.max(left(part, asked), 1 / part.total)),
  )
  const step = asked.some((each) => each.lead.by === 'pair') ? costs.tried : costs.passed
  return passed * step * safety < sortedCost ? inOrder : sorted
}

const keyOf = ({ table, key }: Pair): string => `${table} ${key}`

/** Which share of the issues of a kind and state has what is asked for. */
function shareOf({ parts }: Asked, part: Part): number {
  const have = (parts ?? []).filter((each) => each.isPull === part.isPull && each.isClosed === part.isClosed)
  return Math.min(1, sumOf(have) / part.total)
}

/** Issues by creation, from the newest or from the oldest. */
async function readPlain(
  db: Db,
  { scope, isClosed, isPull }: RepoFilter,
  { limit, offset }: Reach,
  isFromEnd: boolean,
): Promise<readonly IssuePlace[]> {
  const { repoId } = scope
  const from = isFromEnd ? oldestFirst : newestFirst
  const states = isClosed === undefined ? [false, true] : [isClosed]
  const parts = states.flatMap((state) => isPull.map((kind) => ({ isPull: kind, isClosed: state })))
  const order = orderOf(isFromEnd ? 'oldest' : 'latest')
  const start = isDeep({ offset }) ? await findBlock(db, repoId, parts, order, offset) : undefined
  if (start) {
    const createdUnix = start.key[0] as Unix
    return isClosed === undefined
      ? from.fromTime(db, repoId, createdUnix, limit, offset - start.rank)
      : from.ofStateFromTime(db, repoId, isClosed, createdUnix, limit, offset - start.rank)
  }
  return isClosed === undefined
    ? from.ofAll(db, repoId, limit, offset)
    : from.ofState(db, repoId, isClosed, limit, offset)
}

/**
 * One page of the issues that a filter leaves in the order of `sort`, and how many there are.
 * @param counted how many issues the repository has of the kinds and the state that are asked for
 */
export async function findIssuePlaces(
  db: Db,
  filter: IssueFilter,
  sort: IssueSort,
  page: Page,
  counted?: number,
): Promise<FoundPlaces> {
  if (sort === 'latest' && isPlain(filter)) {
    const read = (end: Reach, isFromEnd: boolean) => readPlain(db, filter, end, isFromEnd)
    return {
      places: await (counted === undefined ? read(page, false) : fromNearerEnd(page, counted, read)),
      total: undefined,
    }
  }
  if (isOfRepo(filter)) return findInRepo(db, filter, sort, page)
  return findEverywhere(db, filter, page)
}
