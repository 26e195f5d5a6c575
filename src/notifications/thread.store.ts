import { sql, type Expression, type SqlBool } from 'kysely'
import {
  findHidden,
  isNotHidden,
  isReadable,
  type HiddenRepos,
  type Reading,
} from '../access/conditions/reading.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { mergedPage } from '../db/merged-page.ts'
import { databaseKind } from '../db/open.ts'
import { eachOnce } from '../db/each-once.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import { threadStatuses, type ThreadRow, type ThreadStatus, type ThreadSubject } from '../db/tables/notifications.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'
import type { IssueId, RepoId, ThreadId, UserId } from '../lib/ids.ts'
import { totalOf, type Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

/** Which of somebody's threads. */
export interface ThreadFilter {
  /** Empty: of every status. */
  readonly statuses: readonly ThreadStatus[]
  /** Empty: about everything. */
  readonly subjects: readonly ThreadSubject[]
  readonly repoId?: RepoId | undefined
  /** Changed at this time or later. */
  readonly since?: Unix | undefined
  /** Changed at this time or earlier. */
  readonly before?: Unix | undefined
}

/** By what threads are read. Access that ended takes them along, and so does a credential that is limited. */
const reading: Reading = {
  repo: 'notification.repo_id',
  word: 'notification.subject',
  units: { issue: 'issues', pull: 'pulls', commit: undefined, repository: undefined } satisfies Record<
    ThreadSubject,
    RepoUnit | undefined
  >,
}

/** A column by which SQLite is not to look rows up. */
const passedOver = <Value>(db: Db | Tx, column: string): Expression<Value> =>
  databaseKind(db) === 'sqlite' ? sql<Value>`+${sql.ref(column)}` : sql.ref<Value>(column)

/**
 * Somebody's threads.
 * @param isInOrder they are found in their order, whatever else an index may have
 */
const threadsOf = (db: Db | Tx, userId: UserId, filter: ThreadFilter, { isInOrder = false } = {}) => {
  const { statuses, subjects, repoId } = filter
  const by = <Value>(column: string) => (isInOrder ? passedOver<Value>(db, column) : sql.ref<Value>(column))
  let query = db.selectFrom('notification').where('notification.user_id', '=', userId)
  if (statuses.length > 0) query = query.where(by<ThreadStatus>('notification.status'), 'in', statuses)
  if (subjects.length > 0) query = query.where('notification.subject', 'in', subjects)
  if (repoId !== undefined) query = query.where(by<RepoId>('notification.repo_id'), '=', repoId)
  if (filter.since !== undefined) query = query.where('notification.updated_ms', '>=', filter.since * 1000)
  if (filter.before !== undefined) query = query.where('notification.updated_ms', '<', (filter.before + 1) * 1000)
  return query
}

type Threads = ReturnType<typeof threadsOf>

const readableThreadsOf = (db: Db | Tx, viewer: Viewer, filter: ThreadFilter) =>
  threadsOf(db, viewer.id, filter)
    .innerJoin('repo', 'repo.id', 'notification.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadable(viewer, reading))

/** What of a viewer's threads they may not read; undefined: too much to be asked for beside them. */
const hiddenThreads = (db: Db, viewer: Viewer, { repoId }: ThreadFilter): Promise<HiddenRepos | undefined> =>
  findHidden(
    db,
    viewer,
    reading,
    repoId === undefined
      ? eachOnce('notification', 'repo_id', sql<SqlBool>`user_id = ${viewer.id}`)
      : sql`(select cast(${repoId} as bigint) as id)`,
  )

const statusesOf = ({ statuses }: ThreadFilter): readonly ThreadStatus[] =>
  statuses.length > 0 ? statuses : threadStatuses

/** How many threads there are of each status. */
type ThreadCounts = ReadonlyMap<ThreadStatus, number>

const sumOf = (counts: ThreadCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

/** The viewer's threads that they may read, of each status: an index has each of them in the order of lists. */
const byStatus = (db: Db, viewer: Viewer, filter: ThreadFilter, hidden: HiddenRepos) =>
  statusesOf(filter).map((status) =>
    threadsOf(db, viewer.id, { ...filter, statuses: [status] }).where(isNotHidden(db, reading, hidden)),
  )

/**
 * Queries whose rows are the viewer's threads that they may read. An index has all threads in the order of lists; others have
 * those of a status, and of a repository and status, in this order.
 */
function threadQueries(db: Db, viewer: Viewer, filter: ThreadFilter, hidden: HiddenRepos | undefined): Threads[] {
  if (hidden === undefined) return [readableThreadsOf(db, viewer, filter)]
  const isPartial = filter.repoId !== undefined || statusesOf(filter).length < threadStatuses.length
  if (isPartial) return byStatus(db, viewer, filter, hidden)
  return [threadsOf(db, viewer.id, filter, { isInOrder: true }).where(isNotHidden(db, reading, hidden))]
}

/** The order of lists: last changed first. */
const order = [
  { name: 'thread_ms', direction: 'desc' },
  { name: 'thread_id', direction: 'desc' },
] as const

/** One page of the viewer's threads that they may read, last changed first, and how many there are on all pages. */
export async function findThreads(
  db: Db,
  viewer: Viewer,
  filter: ThreadFilter,
  page: Page,
): Promise<{ readonly rows: ThreadRow[]; readonly total: number }> {
  const hidden = await hiddenThreads(db, viewer, filter)
  const counts = await countReadable(db, viewer, filter, hidden)
  const queries = threadQueries(db, viewer, filter, hidden).map((query) =>
    query.select(['notification.id as thread_id', 'notification.updated_ms as thread_ms']),
  )
  const places = await mergedPage(db, queries, order, page).execute()
  const total = totalOf(sumOf(counts), page, places.length)
  if (places.length === 0) return { rows: [], total }
  const ids = places.map((place) => place.thread_id)
  const rows = await db
    .selectFrom('notification')
    .selectAll()
    .where('id', 'in', idList(db, idListText(ids)) as Expression<ThreadId>)
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  const threads = ids.flatMap((id) => found.get(id) ?? [])
  return { rows: threads.filter((thread) => hidden?.places.has(thread.repo_id) ?? true), total }
}

/** How many of the viewer's threads they may read. */
export const countThreads = async (db: Db, viewer: Viewer, filter: ThreadFilter): Promise<number> =>
  sumOf(await countReadable(db, viewer, filter, await hiddenThreads(db, viewer, filter)))

async function countReadable(
  db: Db,
  viewer: Viewer,
  filter: ThreadFilter,
  hidden: HiddenRepos | undefined,
): Promise<ThreadCounts> {
  const { since, before } = filter
  if (since === undefined && before === undefined) return countTallied(db, viewer, filter, hidden)
  if (since !== undefined && before !== undefined) return countOfTimes(db, viewer, filter, hidden)
  if (!(await isMost(db, viewer, filter))) return countOfTimes(db, viewer, filter, hidden)
  const rest = {
    ...filter,
    ...(since === undefined
      ? { since: (before as Unix) + 1, before: undefined }
      : { since: undefined, before: since - 1 }),
  }
  const [all, others] = await Promise.all([
    countTallied(db, viewer, filter, hidden),
    countOfTimes(db, viewer, rest, hidden),
  ])
  return new Map([...all].map(([status, count]) => [status, Math.max(0, count - (others.get(status) ?? 0))]))
}

/** Whether a time, of which one end is given, seems to have most of the viewer's threads: those that it has not are counted then. */
async function isMost(db: Db, viewer: Viewer, { since, before }: ThreadFilter): Promise<boolean> {
  const of = (end: 'min' | 'max') =>
    db
      .selectFrom('notification')
      .select((select) => select.fn[end]<number | null>('updated_ms').as('at'))
      .where('user_id', '=', viewer.id)
      .executeTakeFirstOrThrow()
  const [first, last] = await Promise.all([of('min'), of('max')])
  if (first.at === null || last.at === null) return false
  const isEarly = ((since ?? before) as number) * 1000 < (first.at + last.at) / 2
  return isEarly === (since !== undefined)
}

/** How many threads of a filter without times there are, by what is counted. */
async function countTallied(
  db: Db,
  viewer: Viewer,
  { statuses, subjects, repoId }: ThreadFilter,
  hidden: HiddenRepos | undefined,
): Promise<ThreadCounts> {
  // By the name of the threads, of which the conditions speak.
  let tally = db.selectFrom('notification_tally as notification').where('notification.user_id', '=', viewer.id)
  if (statuses.length > 0) tally = tally.where('notification.status', 'in', statuses)
  if (subjects.length > 0) tally = tally.where('notification.subject', 'in', subjects)
  if (repoId !== undefined) tally = tally.where('notification.repo_id', '=', repoId)
  const readable = hidden
    ? tally.where(isNotHidden(db, reading, hidden))
    : tally
        .innerJoin('repo', 'repo.id', 'notification.repo_id')
        .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
        .where(isReadable(viewer, reading))
  const rows = await readable
    .select((select) => ['notification.status', select.fn.sum<number | string>('notification.total').as('count')])
    .groupBy('notification.status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

/** How many threads of a filter with times there are; each is looked at. */
async function countOfTimes(
  db: Db,
  viewer: Viewer,
  filter: ThreadFilter,
  hidden: HiddenRepos | undefined,
): Promise<ThreadCounts> {
  if (hidden === undefined) return countByRepo(db, viewer, filter)
  const statuses = statusesOf(filter)
  const counts = await Promise.all(
    byStatus(db, viewer, filter, hidden).map((part) =>
      part.select((select) => select.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    ),
  )
  return new Map(counts.map(({ count }, index) => [statuses[index] as ThreadStatus, count]))
}

/** The same, counted by repository, so that access is asked once for each and not for each thread. */
async function countByRepo(db: Db, viewer: Viewer, filter: ThreadFilter): Promise<ThreadCounts> {
  const groups = threadsOf(db, viewer.id, filter)
    .select((select) => ['repo_id', 'subject', 'status', select.fn.countAll<number>().as('count')])
    .groupBy(['repo_id', 'subject', 'status'])
  const rows = await db
    .selectFrom(groups.as('notification'))
    .innerJoin('repo', 'repo.id', 'notification.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadable(viewer, reading))
    .select((select) => ['notification.status', select.fn.sum<number | string>('notification.count').as('count')])
    .groupBy('notification.status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}

export const findThread = (db: Db, id: ThreadId): Promise<ThreadRow | undefined> =>
  db.selectFrom('notification').selectAll().where('id', '=', id).executeTakeFirst()

/** Whether the viewer may read what a thread is about. */
export const isThreadReadable = async (db: Db, viewer: Viewer, id: ThreadId): Promise<boolean> =>
  (await db
    .selectFrom('notification')
    .innerJoin('repo', 'repo.id', 'notification.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('notification.id')
    .where('notification.id', '=', id)
    .where(isReadable(viewer, reading))
    .executeTakeFirst()) !== undefined

/** Gives threads a status; the time of those that have it already stays. */
const withStatus = (status: ThreadStatus, nowMs: number) => ({
  status,
  updated_ms: sql<number>`case when notification.status = ${status} then notification.updated_ms
    else cast(${nowMs} as bigint) end`,
})

export const updateThread = (
  tx: Tx,
  id: ThreadId,
  status: ThreadStatus,
  nowMs: number,
): Promise<ThreadRow | undefined> =>
  tx.updateTable('notification').set(withStatus(status, nowMs)).where('id', '=', id).returningAll().executeTakeFirst()

/** Gives the viewer's threads that they may read a status, all of the filter at once. */
export async function updateThreads(
  tx: Tx,
  viewer: Viewer,
  filter: ThreadFilter,
  status: ThreadStatus,
  nowMs: number,
): Promise<ThreadId[]> {
  const rows = await tx
    .updateTable('notification')
    .set(withStatus(status, nowMs))
    .where('id', 'in', readableThreadsOf(tx, viewer, filter).select('notification.id'))
    .returning('notification.id')
    .execute()
  return rows.map((row) => row.id)
}

/** Threads by their ids, last changed first. */
export const listThreadsByIds = (db: Db, ids: readonly ThreadId[]): Promise<ThreadRow[]> =>
  db
    .selectFrom('notification')
    .selectAll()
    .where('id', 'in', idList(db, idListText(ids)) as Expression<ThreadId>)
    .orderBy('updated_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** The last thing that somebody said below each of some issues; entries that tell what happened are none. */
export async function loadLastComments(
  db: Db,
  issueIds: readonly IssueId[],
): Promise<ReadonlyMap<IssueId, CommentRow>> {
  if (issueIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('issue')
    .innerJoin('comment', (join) =>
      join.on('comment.id', '=', (on) =>
        on
          .selectFrom('comment as said')
          .select('said.id')
          .whereRef('said.issue_id', '=', 'issue.id')
          .where('said.type', '=', sql.lit('comment'))
          .orderBy('said.created_unix', 'desc')
          .orderBy('said.id', 'desc')
          .limit(1),
      ),
    )
    .selectAll('comment')
    .where('issue.id', 'in', idList(db, idListText(issueIds)) as Expression<IssueId>)
    .execute()
  return new Map(rows.map((row) => [row.issue_id, row]))
}
