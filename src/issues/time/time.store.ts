import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { TrackedTimeRow } from '../../db/tables/issues.ts'
import type { IssueId, RepoId, TrackedTimeId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { readableIssues } from '../readable-issue.store.ts'

export interface TimeFilter {
  readonly issueId?: IssueId | undefined
  readonly repoId?: RepoId | undefined
  readonly userId?: UserId | undefined
  /** Those of issues that this viewer may read; without it, of whatever the other conditions say. */
  readonly readableBy?: Viewer | undefined
  /** Both inclusive, on the moment of entry. */
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
}

const matching = (db: Db, filter: TimeFilter) => {
  let query = db.selectFrom('tracked_time').where('is_deleted', '=', false)
  if (filter.issueId !== undefined) query = query.where('issue_id', '=', filter.issueId)
  if (filter.repoId !== undefined) {
    const { repoId } = filter
    query = query.where((where) =>
      where(
        'tracked_time.issue_id',
        'in',
        where.selectFrom('issue').select('issue.id').where('issue.repo_id', '=', repoId),
      ),
    )
  }
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
  if (filter.readableBy) {
    const readable = readableIssues(db, filter.readableBy)
    query = query.where((where) =>
      where.exists(readable.select('issue.id').whereRef('issue.id', '=', 'tracked_time.issue_id' as never)),
    )
  }
  if (filter.sinceUnix !== undefined) query = query.where('created_unix', '>=', filter.sinceUnix)
  if (filter.beforeUnix !== undefined) query = query.where('created_unix', '<=', filter.beforeUnix)
  return query
}

/** One page of tracked times, oldest first. */
export const listTimes = (db: Db, filter: TimeFilter, page: Page): Promise<TrackedTimeRow[]> =>
  matching(db, filter).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute()

export const countTimes = async (db: Db, filter: TimeFilter): Promise<number> =>
  (
    await matching(db, filter)
      .select((each) => each.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

export const findTime = (db: Db, issueId: IssueId, id: TrackedTimeId): Promise<TrackedTimeRow | undefined> =>
  db
    .selectFrom('tracked_time')
    .selectAll()
    .where('id', '=', id)
    .where('issue_id', '=', issueId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()

/** Tracked times by id, those that were taken away too. */
export async function loadTimes(
  db: Db,
  ids: Iterable<TrackedTimeId | null>,
): Promise<ReadonlyMap<TrackedTimeId, TrackedTimeRow>> {
  const wanted = [...new Set(ids)].filter((id): id is TrackedTimeId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('tracked_time').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Deletes a tracked time; its row stays for the timeline entry about it. undefined when it was deleted already. */
export const deleteTime = (tx: Tx, id: TrackedTimeId): Promise<TrackedTimeRow | undefined> =>
  tx
    .updateTable('tracked_time')
    .set({ is_deleted: true })
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .returningAll()
    .executeTakeFirst()

/** Takes away what an account tracked on an issue. */
export const deleteTimesOf = (tx: Tx, issueId: IssueId, userId: UserId): Promise<TrackedTimeRow[]> =>
  tx
    .updateTable('tracked_time')
    .set({ is_deleted: true })
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .where('is_deleted', '=', false)
    .returningAll()
    .execute()
