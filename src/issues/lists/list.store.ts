import { sql, type Expression } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mergedPage, type OrderKey } from '../../db/merged-page.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { CursorKey } from '../../lib/cursor.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import { totalOf, type Page } from '../../lib/paging.ts'
import { countRows, foundByFilter, type FoundPlaces, type RepoFilter } from '../issue-filter.store.ts'
import type { IssuePlace } from '../issue.store.ts'
import { isByChange, isByCreation, orderOf, type IssueSort } from './list-order.store.ts'
import { countPair, readPairPage } from './prepared-list.store.ts'
import { leadsOf, matching, matchingAfter, type Access, type Lead, type Part } from './matching.store.ts'

/** Limits of a list. Tests use smaller ones. */
export interface ListLimits {
  /** Matches that are counted; a list with more says so. */
  readonly counted: number
  /** Matches that are sorted. More are met soon enough in the index of the order. */
  readonly sorted: number
}

const usual: ListLimits = { counted: 10_000, sorted: 2000 }

/**
 * Returns one page of the issues of a repository that a filter leaves, and their number. Each list reads one index:
 *
 * | filter                                      | order of creation     | other orders                          |
 * | ------------------------------------------- | --------------------- | ------------------------------------- |
 * | none                                        | index of the order    | index of the order                    |
 * | words                                       | text index, sorted    | text index, sorted                    |
 * | label, assignee, mention, milestone, author | index of the filter   | few: index of the filter, sorted;     |
 * | several labels or milestones                | as for other orders   | many: index of the order              |
 * | since, before                               | as for other orders   | latest change: index of the order     |
 *
 * The filter with the fewest issues leads when there are several; the others are checked in its rows.
 * @param kept the kept number of issues of the kinds and the state that the filter asks for; it decides no row
 */
export async function findIssuePlaces(
  db: Db,
  filter: RepoFilter,
  sort: IssueSort,
  page: Page,
  kept: number,
  limits: ListLimits = usual,
): Promise<FoundPlaces> {
  const ids = foundByFilter(db, filter)
  if (ids) return findByWords(db, filter, ids, sort, page)
  const leads = leadsOf(filter)
  const usualList = filter.words || page.after ? undefined : readUsual(db, filter, leads, sort, page)
  if (usualList) {
    const [places, matches] = await Promise.all([usualList.places, usualList.count?.(limits.counted + 1)])
    return foundPlaces(places, matches ?? totalOf(kept, page, places.length), orderOf(sort), {
      counted: matches === undefined ? Number.POSITIVE_INFINITY : limits.counted,
    })
  }
  const counted = await Promise.all(
    leads.map(async ({ lead, alone }) => ({
      lead,
      matches: await count(db, alone, lead, limits.counted + 1),
    })),
  )
  const [narrowest] = counted.toSorted((one, other) => one.matches - other.matches)
  const access = accessOf(filter, sort, narrowest, limits)
  const places = await readPage(db, filter, access, page)
  // Refused words find nothing, so they do not lead.
  const [isWhole, isCounted] = [counted.length === 0, counted.length === 1].map((is) => is && !filter.words)
  if (isWhole) {
    const total = totalOf(kept, page, places.length)
    return foundPlaces(places, total, access.order, { counted: Number.POSITIVE_INFINITY })
  }
  const lead: Lead = narrowest?.lead ?? { by: 'order' }
  const total = isCounted && narrowest ? narrowest.matches : await count(db, filter, lead, limits.counted + 1)
  return foundPlaces(places, total, access.order, limits)
}

function foundPlaces(
  places: readonly IssuePlace[],
  total: number,
  order: readonly OrderKey[],
  { counted }: Pick<ListLimits, 'counted'>,
): FoundPlaces {
  const last = keyOf(order, places.at(-1))
  return total <= counted ? { places, last, total } : { places, last, total: counted, bound: 'total' }
}

/** The lists that most clients ask for. Their statements are prepared. */
function readUsual(
  db: Db,
  filter: RepoFilter,
  leads: ReturnType<typeof leadsOf>,
  sort: IssueSort,
  { limit, offset }: Page,
): { readonly places: Promise<readonly IssuePlace[]>; count?(atMost: number): Promise<number> } | undefined {
  if (!isByCreation(sort)) return undefined
  const [first, ...others] = leads
  const { isClosed, isPull, scope } = filter
  if (!first) {
    // One index has both kinds, the newest first.
    if (sort === 'oldest' || isPull.length < 2) return undefined
    const isOfAll = isClosed === undefined
    return {
      places: isOfAll
        ? newest(db, scope.repoId, limit, offset)
        : newestOfState(db, scope.repoId, isClosed, limit, offset),
    }
  }
  if (first.lead.by !== 'pair' || others.length > 0) return undefined
  const list = { lead: first.lead, filter, sort, parts: partsOf(filter) }
  return { places: readPairPage(db, list, { limit, offset }), count: (atMost) => countPair(db, list, atMost) }
}

/** Returns the keys of a row, which are selected under their names. */
const keyOf = (order: readonly OrderKey[], row: IssuePlace | undefined): CursorKey | undefined =>
  row && order.map(({ name }) => Number((row as unknown as Readonly<Record<string, unknown>>)[name]))

function accessOf(
  filter: RepoFilter,
  sort: IssueSort,
  narrowest: { readonly lead: Lead; readonly matches: number } | undefined,
  limits: ListLimits,
): Access {
  const order = orderOf(sort)
  if (!narrowest) return { lead: { by: 'order' }, order, isSorted: false }
  const { lead, matches } = narrowest
  if (isInOrder(lead, filter, sort)) return { lead, order, isSorted: false }
  if (matches <= limits.sorted) return { lead, order, isSorted: true }
  return { lead: { by: 'order' }, order, isSorted: false }
}

/** Returns whether the index of a lead has its rows in an order. */
function isInOrder({ by }: Lead, { milestoneIds }: RepoFilter, sort: IssueSort): boolean {
  if (by === 'times') return isByChange(sort)
  if (!isByCreation(sort)) return false
  return by === 'pair' || by === 'poster' || (by === 'milestone' && milestoneIds?.length === 1)
}

/** Returns the kinds and states that a filter asks for; an index has each in the order. */
function partsOf({ isPull, isClosed }: RepoFilter): readonly Required<Part>[] {
  const states = isClosed === undefined ? [false, true] : [isClosed]
  return isPull.flatMap((kind) => states.map((state) => ({ isPull: kind, isClosed: state })))
}

const count = (db: Db, filter: RepoFilter, lead: Lead, atMost: number): Promise<number> =>
  countRows(
    db,
    partsOf(filter).map((part) => matching(db, filter, { lead, order: [], isSorted: false }, part)),
    atMost,
  )

const newestOfRepo = (db: Db, repoId: RepoId, limit: number, offset: number) =>
  db
    .selectFrom('issue')
    .select(['id', 'repo_id', 'created_unix'])
    .where('repo_id', '=', repoId)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
const newest = preparedQuery(newestOfRepo)
const newestOfState = preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
  newestOfRepo(db, repoId, limit, offset).where('is_closed', '=', isClosed),
)

async function readPage(
  db: Db,
  filter: RepoFilter,
  access: Access,
  { limit, offset, after }: Page,
): Promise<readonly IssuePlace[]> {
  if (after) {
    const rest = partsOf(filter).flatMap((part) => matchingAfter(db, filter, access, part, after))
    return mergedPage(db, rest, access.order, { limit, offset: 0 }).execute()
  }
  const queries = partsOf(filter).map((part) => matching(db, filter, access, part))
  return mergedPage(db, queries, access.order, { limit, offset }).execute()
}

/** Returns a page of the issues that words find. The text index finds all of them, and they are sorted once. */
async function findByWords(
  db: Db,
  filter: RepoFilter,
  ids: Expression<IssueId>,
  sort: IssueSort,
  { limit, offset }: Page,
): Promise<FoundPlaces> {
  const order = orderOf(sort)
  const [isPull, ...otherKinds] = filter.isPull
  const part = {
    ...(isPull === undefined || otherKinds.length > 0 ? {} : { isPull }),
    ...(filter.isClosed === undefined ? {} : { isClosed: filter.isClosed }),
  }
  const query = matching(db, filter, { lead: { by: 'ids', ids }, order, isSorted: true }, part)
  const counting = query.select(sql<number>`count(*) over ()`.as('total'))
  const places = await mergedPage(db, [counting], order, { limit, offset }).execute()
  // A page behind the last one has no row that contains the total.
  const total = places[0]?.total ?? (offset === 0 ? 0 : await countRows(db, [query], undefined))
  return { places, total }
}
