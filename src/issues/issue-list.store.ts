import { sql, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { preparedQuery } from '../db/prepared.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'
import {
  conditions,
  countRows,
  having,
  labelled,
  passedOver,
  wordScope,
  type FoundPlaces,
  type IssueFilter,
  type Lead,
} from './issue-filter.store.ts'
import { orderOf, type IssueSort } from './issue-order.store.ts'
import { findEverywhere } from './issue-search.store.ts'
import type { IssuePlace } from './issue.store.ts'
import { wordSets } from './issue-words.store.ts'
import { listParts, listTallies, type Facet, type Part } from './tally.store.ts'

const newestOf = (db: Db, repoId: RepoId, limit: number, offset: number) =>
  db
    .selectFrom('issue')
    .select(['id', 'repo_id'])
    // The table has an index with a condition: SQLite would compare a bare argument with it, and plan the statement anew for
    // each value. Into a sum it does not look.
    .where('repo_id', '=', sql<RepoId>`${repoId} + 0`)
    .orderBy('created_unix', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)

const newestOfState = preparedQuery((db: Db, repoId: RepoId, isClosed: boolean, limit: number, offset: number) =>
  newestOf(db, repoId, limit, offset).where('is_closed', '=', isClosed),
)

const newestOfAll = preparedQuery(newestOf)

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

type RepoFilter = IssueFilter & { readonly scope: { readonly kind: 'repo'; readonly repoId: RepoId } }

const isOfRepo = (filter: IssueFilter): filter is RepoFilter => filter.scope.kind === 'repo'

/** One thing that a filter asks for, and how many issues of each kind and state have it. */
interface Asked {
  readonly lead: Lead
  /** undefined: nobody knows. */
  readonly parts: readonly Part[] | undefined
  /** How many have it, of the kinds and states that are asked for; 0 where nobody knows. */
  readonly total: number
  /** Whether none of those is counted twice. */
  readonly isExact: boolean
}

/** What the database keeps count of, each with what finds the issues that have it. */
function tallied(db: Db, filter: RepoFilter): { readonly facet: Facet; readonly lead: Lead }[] {
  const { allLabels = [], anyLabels, milestoneIds, posterId, assigneeId, mentionedId } = filter
  const one = (facet: Facet['facet'], keys: readonly number[] | undefined, lead: () => Lead) =>
    keys === undefined ? [] : [{ facet: { facet, keys }, lead: lead() }]
  const person = (id: UserId | undefined) => (id === undefined ? undefined : [id])
  return [
    ...allLabels.map((label) => ({ facet: { facet: 'label', keys: [label] } as const, lead: labelled(db, [label]) })),
    ...one('label', anyLabels, () => labelled(db, anyLabels ?? [])),
    ...one('milestone', milestoneIds, () => ({ by: 'milestone' })),
    ...one('poster', person(posterId), () => ({ by: 'poster' })),
    ...one('assignee', person(assigneeId), () => having(db, 'issue_assignee', assigneeId as UserId)),
    ...one('mentioned', person(mentionedId), () => having(db, 'issue_mention', mentionedId as UserId)),
  ]
}

const isOfFilter =
  ({ isPull, isClosed }: RepoFilter) =>
  (part: Part): boolean =>
    isPull.includes(part.isPull) && (isClosed === undefined || isClosed === part.isClosed)

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { total }) => sum + total, 0)

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
    hasTimes ? Promise.all(all.map((part) => countChanged(db, filter, part))) : [],
  ])
  const asked = counted.map(({ lead, facet }, index): Asked => {
    const parts = (tallies[index] ?? []).filter(isOfFilter(filter))
    return { lead, parts, total: sumOf(parts), isExact: facet.facet !== 'label' || facet.keys.length === 1 }
  })
  if (hasTimes) asked.push({ lead: { by: 'times' }, parts: changed, total: sumOf(changed), isExact: true })
  const found = words && wordSets(db, words, wordScope(filter)).found
  if (found) asked.push({ lead: { by: 'ids', ids: found }, parts: undefined, total: 0, isExact: false })
  return asked.sort((one, other) => one.total - other.total)
}

/** How many of a kind and state changed in a time. Where most did, those that did not are counted. */
async function countChanged(db: Db, filter: RepoFilter, part: Part): Promise<Part> {
  const { scope, sinceUnix, beforeUnix } = filter
  const between = (since: Unix | undefined, before: Unix | undefined) =>
    branchOf(db, { scope, isPull: [part.isPull], sinceUnix: since, beforeUnix: before }, { by: 'times' }, [], part)
  const at = sinceUnix ?? beforeUnix
  if (at === undefined || (sinceUnix !== undefined && beforeUnix !== undefined)) {
    return { ...part, total: await countRows(db, [between(sinceUnix, beforeUnix)], undefined) }
  }
  const ends = between(undefined, undefined).clearSelect().select('issue.updated_unix').limit(1)
  const [first, last] = await Promise.all([
    ends.orderBy('issue.updated_unix').executeTakeFirst(),
    ends.orderBy('issue.updated_unix', 'desc').executeTakeFirst(),
  ])
  if (!first || !last) return { ...part, total: 0 }
  const isLater = at > (first.updated_unix + last.updated_unix) / 2
  const isMost = isLater === (beforeUnix !== undefined)
  if (!isMost) return { ...part, total: await countRows(db, [between(sinceUnix, beforeUnix)], undefined) }
  const rest =
    sinceUnix === undefined ? between((beforeUnix as number) + 1, undefined) : between(undefined, sinceUnix - 1)
  return { ...part, total: Math.max(0, part.total - (await countRows(db, [rest], undefined))) }
}

type Order = ReturnType<typeof orderOf>
/** What an order compares is at hand in every branch, so that branches in order can be merged. */
type Branch = ReturnType<typeof branchOf>
/** A kind and a state that a branch is limited to; nothing: all that are asked for. */
type OfPart = Partial<Pick<Part, 'isPull' | 'isClosed'>>

function branchOf(db: Db, filter: RepoFilter, lead: Lead, order: Order, { isPull, isClosed }: OfPart) {
  const column = (name: 'repo_id' | 'is_pull' | 'is_closed', isUsed: boolean) =>
    isUsed ? sql.ref(`issue.${name}`) : passedOver(db, name)
  const isColumns = lead.by !== 'ids'
  return db
    .selectFrom('issue')
    .select(['issue.id', 'issue.repo_id'])
    .select(order.filter(({ name }) => name !== 'id').map(({ name, value }) => value.as(name)))
    .where((where) =>
      where.and([
        // SQLite would plan a statement anew for each value of a bare argument, since the table has an index with a condition.
        sql<SqlBool>`${column('repo_id', isColumns && lead.by !== 'milestone')} = ${filter.scope.repoId} + 0`,
        ...(isPull === undefined ? [] : [sql<SqlBool>`${column('is_pull', isColumns)} = ${sql.lit(isPull)}`]),
        ...(isClosed === undefined ? [] : [sql<SqlBool>`${column('is_closed', isColumns)} = ${sql.lit(isClosed)}`]),
        ...conditions(db, where, filter, lead),
      ]),
    )
}

/** The rows of a filter in parts, each of which an index has in the order. */
function branchesOf(db: Db, filter: RepoFilter, lead: Lead, order: Order, parts: readonly Part[]): readonly Branch[] {
  if (lead.by !== 'ids') return parts.map((part) => branchOf(db, filter, lead, order, part))
  const [isPull] = filter.isPull
  return [
    branchOf(db, filter, lead, order, {
      ...(filter.isPull.length === 1 && isPull !== undefined ? { isPull } : {}),
      ...(filter.isClosed === undefined ? {} : { isClosed: filter.isClosed }),
    }),
  ]
}

/** Of more issues that only going through them could count, the total is this. */
const countedAtMost = 10_000
/** Issues that are rather gone through and sorted than found by what they are sorted by. */
const soonSorted = 300
/** How much cheaper it is to pass over a row in an index than to look one up and sort it, to be on the safe side. */
const safety = 4

/** One page of the issues of a repository that a filter leaves, and how many there are. */
async function findInRepo(db: Db, filter: RepoFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  const order = orderOf(sort)
  const all = (await listParts(db, filter.scope.repoId)).filter((part) => part.total > 0 && isOfFilter(filter)(part))
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
  const lead = leadOf(filter, sort, page, asked, parts)
  const isCounted = asked.length === 0 ? filter.words === undefined : asked.length === 1 && rarest?.isExact
  const total = isCounted
    ? sumOf(rarest?.parts ?? parts)
    : await countRows(db, branchesOf(db, filter, rarest?.lead ?? lead, [], parts), countedAtMost)
  if (page.offset >= total) return { places: [], total }
  return {
    places: await ordered(branchesOf(db, filter, lead, order, parts), order, page, isCounted ? total : undefined),
    total,
  }
}

/**
 * By what a page is found: by the rarest thing asked for, whose rows are then sorted, or in the order, passing over rows
 * until the page is full. Some indexes have both.
 */
function leadOf(
  filter: RepoFilter,
  sort: IssueSort,
  page: Page,
  asked: readonly Asked[],
  parts: readonly Part[],
): Lead {
  const [rarest] = asked
  if (!rarest) return { by: 'order' }
  const { lead, total } = rarest
  const isByCreation = sort === 'latest' || sort === 'relevance' || sort === 'oldest'
  const isOneMilestone = lead.by === 'milestone' && filter.milestoneIds?.length === 1
  if (isByCreation && (isOneMilestone || lead.by === 'poster')) return lead
  if (lead.by === 'times' && (sort === 'recentupdate' || sort === 'leastupdate')) return lead
  if (rarest.parts === undefined || total <= soonSorted) return lead
  // Several things at once leave fewer rows than each of them.
  const passed = parts.reduce((sum, part) => {
    const share = asked.reduce((left, each) => left * shareOf(each, part), 1)
    return sum + Math.min(part.total, (page.offset + page.limit) / Math.max(share, 1 / part.total))
  }, 0)
  return passed * safety < total ? { by: 'order' } : lead
}

/** Which share of the issues of a kind and state has what is asked for. */
function shareOf({ parts }: Asked, part: Part): number {
  const have = (parts ?? []).filter((each) => each.isPull === part.isPull && each.isClosed === part.isClosed)
  return Math.min(1, sumOf(have) / part.total)
}

/**
 * The rows of a page of branches that are merged.
 * @param total how many rows there are, when that is known: what is nearer to the end is counted from there
 */
async function ordered(
  branches: readonly Branch[],
  order: Order,
  page: Page,
  total: number | undefined,
): Promise<readonly IssuePlace[]> {
  const [first, ...others] = branches
  if (!first) return []
  const isFromEnd = total !== undefined && page.offset > total / 2
  const limit = isFromEnd ? Math.min(page.limit, total - page.offset) : page.limit
  const merged = others.reduce((one, other) => one.unionAll(other), first)
  const rows = await order
    .reduce(
      (query, { name, direction }) =>
        query.orderBy(sql.ref(name), (direction === 'asc') === isFromEnd ? 'desc' : 'asc'),
      merged,
    )
    .limit(limit)
    .offset(isFromEnd ? total - page.offset - limit : page.offset)
    .execute()
  return isFromEnd ? rows.toReversed() : rows
}

/** One page of the issues that a filter leaves in the order of `sort`, and how many there are. */
export async function findIssuePlaces(db: Db, filter: IssueFilter, sort: IssueSort, page: Page): Promise<FoundPlaces> {
  if (sort === 'latest' && isPlain(filter)) {
    const { repoId } = filter.scope
    const places = await (filter.isClosed === undefined
      ? newestOfAll(db, repoId, page.limit, page.offset)
      : newestOfState(db, repoId, filter.isClosed, page.limit, page.offset))
    return { places, total: undefined }
  }
  if (isOfRepo(filter)) return findInRepo(db, filter, sort, page)
  return findEverywhere(db, filter, page)
}
