import { sql, type Expression, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mergedPage, rangesAfter } from '../../db/merged-page.ts'
import { preparedQuery } from '../../db/prepared.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import { totalOf, type Page } from '../../lib/paging.ts'
import { countRows, foundByFilter, type IssuePage, type RepoFilter } from '../search/issue-filter.store.ts'
import type { IssueKey } from '../issue.store.ts'
import { findByCommonWords } from './common-words.store.ts'
import { isByChange, isByCreation, keyOf, orderOf, type IssueSort } from './list-order.store.ts'
import { isNarrowed, leadsOf, matching, partsOf, rangesOf, type Access, type Lead } from './matching.store.ts'
import { countPair, readPairPage, type PairList } from './prepared-list.store.ts'

/** Limits of a list. Tests use smaller ones. */
export interface ListLimits {
  /** Matches that are counted; a list with more says so. */
  readonly counted: number
  /** Matches that are sorted. More are met soon enough in the index of the order. */
  readonly sorted: number
  /** Issues in the order of the list that are tested for words which more issues have than are counted. */
  readonly tested: number
}

const usual: ListLimits = { counted: 10_000, sorted: 2000, tested: 500 }

/**
 * Returns one page of the issues of a repository that a filter leaves, and their number. Each list reads one index:
 *
 * | filter                                      | order of creation     | other orders                          |
 * | ------------------------------------------- | --------------------- | ------------------------------------- |
 * | none                                        | index of the order    | index of the order                    |
 * | words                                       | text index, sorted    | text index, sorted                    |
 * | words of very many issues                   | as without words      | as without words                      |
 * | label, assignee, mention, milestone, author | index of the filter   | few: index of the filter, sorted;     |
 * | several labels or milestones                | as for other orders   | many: index of the order              |
 * | since, before                               | as for other orders   | latest change: index of the order     |
 *
 * The filter with the fewest issues leads when there are several; the others are checked in its rows.
 * @param kept the kept number of issues of the kinds and the state that the filter asks for; it decides no row
 */
export async function findIssuePage(
  db: Db,
  filter: RepoFilter,
  sort: IssueSort,
  page: Page,
  kept: number,
  limits: ListLimits = usual,
): Promise<IssuePage> {
  const ids = foundByFilter(db, filter)
  const leads = leadsOf(filter)
  if (ids) {
    const inOrder = leads.find(({ lead }) => isInOrder(lead, filter, sort))
    const access: Access = { lead: inOrder?.lead ?? { by: 'order' }, order: orderOf(sort), isSorted: false }
    return (await findByCommonWords(db, filter, access, page, limits)) ?? findByWords(db, filter, ids, sort, page)
  }
  // Refused words and what issues lack do not lead, but leave fewer issues than the kept number.
  if (leads.length === 0 && !isNarrowed(filter)) {
    const keys = await readAll(db, filter, sort, page)
    return { keys, last: keyOf(orderOf(sort), keys), total: totalOf(kept, page, keys.length) }
  }
  const pairList = page.after ? undefined : pairListOf(filter, leads, sort)
  if (pairList) {
    const [keys, total] = await Promise.all([
      readPairPage(db, pairList, page),
      countPair(db, pairList, limits.counted + 1),
    ])
    return { keys, last: keyOf(orderOf(sort), keys), ...boundedTotal(total, limits) }
  }
  const counted = await Promise.all(
    leads.map(async ({ lead, alone }) => ({
      lead,
      matches: await count(db, alone, lead, limits.counted + 1),
    })),
  )
  const [narrowest] = counted.toSorted((one, other) => one.matches - other.matches)
  const access = accessOf(filter, sort, narrowest, limits)
  const keys = await readPage(db, filter, access, page)
  const isCounted = counted.length === 1 && !isNarrowed(filter)
  const total =
    isCounted && narrowest
      ? narrowest.matches
      : await count(db, filter, narrowest?.lead ?? { by: 'order' }, limits.counted + 1)
  return { keys, last: keyOf(access.order, keys), ...boundedTotal(total, limits) }
}

const boundedTotal = (total: number, { counted }: ListLimits): Pick<IssuePage, 'total' | 'bound'> =>
  total <= counted ? { total } : { total: counted, bound: 'total' }

/** Returns a page of a list without filters. The list that most clients ask for is prepared. */
function readAll(db: Db, filter: RepoFilter, sort: IssueSort, page: Page): Promise<readonly IssueKey[]> {
  const { isClosed, isPull, scope } = filter
  const { limit, offset } = page
  // One index has both kinds by creation.
  const isPrepared = isByCreation(sort) && isPull.length === 2 && !page.after
  if (!isPrepared) return readPage(db, filter, { lead: { by: 'order' }, order: orderOf(sort), isSorted: false }, page)
  const { all, ofState } = sort === 'oldest' ? oldestFirst : newestFirst
  return isClosed === undefined
    ? all(db, scope.repoId, limit, offset)
    : ofState(db, scope.repoId, isClosed, limit, offset)
}

/** Returns the list by one label, assignee or mentioned account in the order of creation, if it is one. */
function pairListOf(filter: RepoFilter, leads: ReturnType<typeof leadsOf>, sort: IssueSort): PairList | undefined {
  const [first, ...others] = leads
  if (first?.lead.by !== 'pair' || others.length > 0 || isNarrowed(filter) || !isByCreation(sort)) return undefined
  return { lead: first.lead, filter, sort, parts: partsOf(filter) }
}

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

const count = (db: Db, filter: RepoFilter, lead: Lead, atMost: number): Promise<number> =>
  countRows(
    db,
    partsOf(filter).map((part) => matching(db, filter, { lead, order: [], isSorted: false }, part)),
    atMost,
  )

/** Returns the statements of a repository's issues of both kinds by creation: of all, and of one state. */
function preparedByCreation(direction: 'asc' | 'desc') {
  const ofRepo = (db: Db, repoId: RepoId, limit: number, offset: number) =>
    db
      .selectFrom('issue')
      .select(['id', 'repo_id', 'created_unix'])
      .where('repo_id', '=', repoId)
      .orderBy('created_unix', direction)
      .orderBy('id', direction)
      .limit(limit)
      .offset(offset)
  return {
    all: preparedQuery(ofRepo),
    ofState: preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
      ofRepo(db, repoId, limit, offset).where('is_closed', '=', isClosed),
    ),
  }
}
const newestFirst = preparedByCreation('desc')
const oldestFirst = preparedByCreation('asc')

const readPage = (
  db: Db,
  filter: RepoFilter,
  access: Access,
  { limit, offset, after }: Page,
): Promise<readonly IssueKey[]> =>
  mergedPage(db, rangesOf(db, filter, access, after), access.order, { limit, offset: after ? 0 : offset }).execute()

/** Returns a page of the issues that words find. The text index finds all of them, and they are sorted once. */
async function findByWords(
  db: Db,
  filter: RepoFilter,
  ids: Expression<IssueId>,
  sort: IssueSort,
  { limit, offset, after }: Page,
): Promise<IssuePage> {
  const order = orderOf(sort)
  const [isPull, ...otherKinds] = filter.isPull
  const part = {
    ...(isPull === undefined || otherKinds.length > 0 ? {} : { isPull }),
    ...(filter.isClosed === undefined ? {} : { isClosed: filter.isClosed }),
  }
  const query = matching(db, filter, { lead: { by: 'ids', ids }, order, isSorted: true }, part)
  const counting = query.select(sql<number>`count(*) over ()`.as('total'))
  const rest = after ? query.where(sql<SqlBool>`(${sql.join(rangesAfter(order, after), sql` or `)})`) : counting
  const keys = await mergedPage(db, [rest as typeof counting], order, { limit, offset: after ? 0 : offset }).execute()
  // A page behind the last one has no row that contains the total; one behind a cursor does not count the rows before it.
  const total = (after ? undefined : keys[0]?.total) ?? (offset === 0 ? 0 : await countRows(db, [query], undefined))
  return { keys, total, last: keyOf(order, keys) }
}
