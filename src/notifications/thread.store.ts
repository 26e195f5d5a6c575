import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { mayAccess, mayEnter } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import type { ThreadRow, ThreadStatus, ThreadSubject } from '../db/tables/notifications.ts'
import type { IssueId, RepoId, ThreadId, UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
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

/**
 * That the viewer may read what a thread is about, now: for queries of threads, joined with their `repo` and its `owner`.
 * Access that ended takes the threads along, and so does a credential that is limited.
 */
const isReadableBy = (viewer: Viewer): RawBuilder<SqlBool> =>
  sql<SqlBool>`case notification.subject
    when 'issue' then ${mayAccess(viewer, 'repo', { units: ['issues'], mode: 1 })}
    when 'pull' then ${mayAccess(viewer, 'repo', { units: ['pulls'], mode: 1 })}
    else ${mayEnter(viewer, 'repo')} end`

const threadsOf = (db: Db | Tx, userId: UserId, filter: ThreadFilter) => {
  let query = db.selectFrom('notification').where('notification.user_id', '=', userId)
  if (filter.statuses.length > 0) query = query.where('notification.status', 'in', filter.statuses)
  if (filter.subjects.length > 0) query = query.where('notification.subject', 'in', filter.subjects)
  if (filter.repoId !== undefined) query = query.where('notification.repo_id', '=', filter.repoId)
  if (filter.since !== undefined) query = query.where('notification.updated_ms', '>=', filter.since * 1000)
  if (filter.before !== undefined) query = query.where('notification.updated_ms', '<', (filter.before + 1) * 1000)
  return query
}

const readableThreadsOf = (db: Db | Tx, viewer: Viewer, filter: ThreadFilter) =>
  threadsOf(db, viewer.id, filter)
    .innerJoin('repo', 'repo.id', 'notification.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadableBy(viewer))

/** One page of the viewer's threads that they may read, last changed first. */
export const listThreads = (db: Db, viewer: Viewer, filter: ThreadFilter, page: Page): Promise<ThreadRow[]> =>
  readableThreadsOf(db, viewer, filter)
    .selectAll('notification')
    .orderBy('notification.updated_ms', 'desc')
    .orderBy('notification.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

/** How many there are on all pages: counted by repository, so that access is asked once for each and not for each thread. */
export async function countThreads(db: Db, viewer: Viewer, filter: ThreadFilter): Promise<number> {
  const groups = threadsOf(db, viewer.id, filter)
    .select((select) => ['repo_id', 'subject', select.fn.countAll<number>().as('count')])
    .groupBy(['repo_id', 'subject'])
  const row = await db
    .selectFrom(groups.as('notification'))
    .innerJoin('repo', 'repo.id', 'notification.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where(isReadableBy(viewer))
    .select((select) => select.fn.sum<number | string | null>('notification.count').as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count ?? 0)
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
    .where(isReadableBy(viewer))
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
          .where('said.type', '=', 'comment')
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
