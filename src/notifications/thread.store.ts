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
import { countingQuery, mergedPage } from '../db/merged-page.ts'
import { eachOnce } from '../db/each-once.ts'
import { idList, idListText } from '../db/id-list.ts'
import { hasRow } from '../db/rows.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import {
  threadStatuses,
  type ThreadReason,
  type ThreadRow,
  type ThreadStatus,
  type ThreadSubject,
} from '../db/tables/notifications.ts'
import type { RepoUnit } from '../db/tables/repositories.ts'
import type { IssueId, RepoId, ThreadId, UserId } from '../lib/ids.ts'
import { totalOf, type Bound, type Page } from '../lib/paging.ts'
import type { Unix } from '../lib/time.ts'

/** Selects threads of one account. */
export interface ThreadFilter {
  /** Empty: each status. */
  readonly statuses: readonly ThreadStatus[]
  /** Empty: each subject type. */
  readonly subjects: readonly ThreadSubject[]
  readonly repoId?: RepoId | undefined
  readonly reason?: ThreadReason | undefined
  /** Updated at this time or later. */
  readonly since?: Unix | undefined
  /** Updated at this time or earlier. */
  readonly before?: Unix | undefined
}

/** Read access to threads follows the subject's unit. Lost access and limited credentials hide threads. */
const reading: Reading = {
  repo: 'notification.repo_id',
  word: 'notification.subject',
  units: { issue: 'issues', pull: 'pulls', commit: undefined, repository: undefined } satisfies Record<
    ThreadSubject,
    RepoUnit | undefined
  >,
}

const threadsOf = (db: Db | Tx, userId: UserId, filter: ThreadFilter) => {
  const { statuses, subjects, repoId, reason } = filter
  let query = db.selectFrom('notification').where('notification.user_id', '=', userId)
  if (statuses.length > 0) query = query.where('notification.status', 'in', statuses)
  if (subjects.length > 0) query = query.where('notification.subject', 'in', subjects)
  if (repoId !== undefined) query = query.where('notification.repo_id', '=', repoId)
  if (reason !== undefined) query = query.where('notification.reason', '=', reason)
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

/** Returns the repositories whose threads are hidden from the viewer; undefined when there are too many repositories. */
const findHiddenThreads = (db: Db, viewer: Viewer, { repoId }: ThreadFilter): Promise<HiddenRepos | undefined> =>
  findHidden(
    db,
    viewer,
    reading,
    repoId === undefined
      ? eachOnce('notification', 'repo_id', sql<SqlBool>`user_id = ${viewer.id}`)
      : sql`(select cast(${repoId} as bigint) as id)`,
  )

/**
 * Returns queries whose rows together are the viewer's readable threads. Each reads one index in the order of lists:
 *
 * | filter     | index                                     |
 * | ---------- | ----------------------------------------- |
 * | repository | `notification_of_repo`, once for a status |
 * | reason     | `notification_of_reason`, likewise        |
 * | statuses   | `notification_status`, once for a status  |
 * | none       | `notification_list`                       |
 */
function threadQueries(db: Db, viewer: Viewer, filter: ThreadFilter, hidden: HiddenRepos | undefined): Threads[] {
  const statuses = filter.statuses.length > 0 ? filter.statuses : threadStatuses
  const isNarrow = filter.repoId !== undefined || filter.reason !== undefined
  const isOfEveryStatus = !isNarrow && statuses.length === threadStatuses.length
  const parts = isOfEveryStatus ? [[]] : statuses.map((status) => [status])
  return parts.map((each) => {
    const part = { ...filter, statuses: each }
    return hidden
      ? threadsOf(db, viewer.id, part).where(isNotHidden(db, reading, hidden))
      : readableThreadsOf(db, viewer, part)
  })
}

/** The order of lists: last updated first. */
const order = [
  { name: 'thread_ms', direction: 'desc' },
  { name: 'thread_id', direction: 'desc' },
] as const

interface ThreadPage {
  readonly rows: ThreadRow[]
  readonly total: number
  readonly bound?: Bound | undefined
}

/** Returns one page of the viewer's readable threads, last updated first, and their total. */
export async function findThreads(db: Db, viewer: Viewer, filter: ThreadFilter, page: Page): Promise<ThreadPage> {
  const hidden = await findHiddenThreads(db, viewer, filter)
  const queries = threadQueries(db, viewer, filter, hidden)
  const hasTimes = filter.since !== undefined || filter.before !== undefined
  const count = hasTimes ? await countRows(db, queries) : await countByTally(db, viewer, filter, hidden)
  const keys = queries.map((query) =>
    query.select(['notification.id as thread_id', 'notification.updated_ms as thread_ms']),
  )
  const found = await mergedPage(db, keys, order, page).execute()
  const total = hasTimes ? count : totalOf(count, page, found.length)
  const counted = total > countedAtMost && hasTimes ? { total: countedAtMost, bound: 'total' as const } : { total }
  if (found.length === 0) return { rows: [], ...counted }
  const ids = found.map((key) => key.thread_id)
  const threads = await listThreadsByIds(db, ids)
  // A thread in a further repository may have been created since the hidden repositories were found.
  return { rows: threads.filter((thread) => hidden?.repoIds.has(thread.repo_id) ?? true), ...counted }
}

/** Returns the number of the viewer's readable threads from `notification_tally`, which cannot answer filters by time. */
export const countThreads = async (
  db: Db,
  viewer: Viewer,
  filter: Omit<ThreadFilter, 'since' | 'before'>,
): Promise<number> => countByTally(db, viewer, filter, await findHiddenThreads(db, viewer, filter))

/** Limit of counting with a filter by time; a longer list reports its total as a lower bound. */
const countedAtMost = 10_000

/** Returns the number of rows, at most `countedAtMost` + 1. */
const countRows = async (db: Db, queries: readonly Threads[]): Promise<number> =>
  (await countingQuery(db, queries, countedAtMost + 1).executeTakeFirstOrThrow()).total

/** Returns the counts of readable threads in `notification_tally`. */
function readableTally(
  db: Db,
  viewer: Viewer,
  { statuses, subjects, repoId, reason }: ThreadFilter,
  hidden: HiddenRepos | undefined,
) {
  // The conditions name the columns of `notification`.
  let kept = db.selectFrom('notification_tally as notification').where('notification.user_id', '=', viewer.id)
  if (statuses.length > 0) kept = kept.where('notification.status', 'in', statuses)
  if (subjects.length > 0) kept = kept.where('notification.subject', 'in', subjects)
  if (repoId !== undefined) kept = kept.where('notification.repo_id', '=', repoId)
  if (reason !== undefined) kept = kept.where('notification.reason', '=', reason)
  return hidden
    ? kept.where(isNotHidden(db, reading, hidden))
    : kept
        .innerJoin('repo', 'repo.id', 'notification.repo_id')
        .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
        .where(isReadable(viewer, reading))
}

/** Returns the number of readable threads from `notification_tally`. */
async function countByTally(
  db: Db,
  viewer: Viewer,
  filter: ThreadFilter,
  hidden: HiddenRepos | undefined,
): Promise<number> {
  const { count } = await readableTally(db, viewer, filter, hidden)
    .select((select) => select.fn.sum<number | string | null>('notification.total').as('count'))
    .executeTakeFirstOrThrow()
  return Number(count ?? 0)
}

/** Most repositories that `countByRepo` names. */
const namedRepos = 50

/** Returns the numbers of readable threads by repository, the most threads first. */
export async function countByRepo(
  db: Db,
  viewer: Viewer,
  filter: Omit<ThreadFilter, 'since' | 'before'>,
): Promise<ReadonlyMap<RepoId, number>> {
  const hidden = await findHiddenThreads(db, viewer, filter)
  const rows = await readableTally(db, viewer, filter, hidden)
    .select((select) => ['notification.repo_id', select.fn.sum<number | string>('notification.total').as('count')])
    .groupBy('notification.repo_id')
    .having((having) => having.fn.sum('notification.total'), '>', 0)
    .orderBy('count', 'desc')
    .orderBy('notification.repo_id')
    .limit(namedRepos)
    .execute()
  return new Map(rows.map((row) => [row.repo_id, Number(row.count)]))
}

/** Returns the numbers of readable threads by reason. */
export async function countByReason(
  db: Db,
  viewer: Viewer,
  filter: Omit<ThreadFilter, 'since' | 'before'>,
): Promise<ReadonlyMap<ThreadReason, number>> {
  const hidden = await findHiddenThreads(db, viewer, filter)
  const rows = await readableTally(db, viewer, filter, hidden)
    .select((select) => ['notification.reason', select.fn.sum<number | string>('notification.total').as('count')])
    .groupBy('notification.reason')
    .execute()
  return new Map(rows.map((row) => [row.reason, Number(row.count)]))
}

export const findThread = (db: Db, id: ThreadId): Promise<ThreadRow | undefined> =>
  db.selectFrom('notification').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns whether the viewer may read the subject of a thread. */
export const isThreadReadable = (db: Db, viewer: Viewer, id: ThreadId): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('notification')
      .innerJoin('repo', 'repo.id', 'notification.repo_id')
      .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
      .where('notification.id', '=', id)
      .where(isReadable(viewer, reading)),
  )

/** Returns whether an account has an unread thread about an issue. */
export const isThreadUnread = async (db: Db, userId: UserId, issueId: IssueId): Promise<boolean> =>
  (await db
    .selectFrom('notification')
    .select('id')
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .where('status', '=', 'unread')
    .executeTakeFirst()) !== undefined

/** Marks the thread of an account about an issue as read if it is unread. */
export async function readThreadOfIssue(tx: Tx, userId: UserId, issueId: IssueId, nowMs: number): Promise<void> {
  await tx
    .updateTable('notification')
    .set(withStatus('read', nowMs))
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .where('status', '=', 'unread')
    .execute()
}

/** Returns the change that sets a status; threads that already have the status keep their time. */
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

/** Sets the status of those of the given threads that belong to an account. Returns their number. */
export async function updateOwnThreads(
  tx: Tx,
  userId: UserId,
  ids: readonly ThreadId[],
  { status, nowMs }: { readonly status: ThreadStatus; readonly nowMs: number },
): Promise<number> {
  if (ids.length === 0) return 0
  const rows = await tx
    .updateTable('notification')
    .set(withStatus(status, nowMs))
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .returning('id')
    .execute()
  return rows.length
}

/** Sets the status of each readable thread of the viewer that the filter selects. */
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

/** Returns threads by their ids, last updated first. */
export const listThreadsByIds = (db: Db, ids: readonly ThreadId[]): Promise<ThreadRow[]> =>
  db
    .selectFrom('notification')
    .selectAll()
    .where('id', 'in', idList(db, idListText(ids)) as Expression<ThreadId>)
    .orderBy('updated_ms', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Returns the last plain comment of each issue; other timeline entries do not count. */
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
