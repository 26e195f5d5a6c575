import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { StopwatchRow, TrackedTimeRow } from '../../db/tables/issue-details.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { readableIssues } from '../readable-issue.store.ts'

export const findStopwatch = (db: Db | Tx, userId: UserId): Promise<StopwatchRow | undefined> =>
  (db as Db).selectFrom('stopwatch').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** @returns false when the account has a running stopwatch */
export async function insertStopwatch(tx: Tx, userId: UserId, issueId: IssueId, createdUnix: Unix): Promise<boolean> {
  const made = await tx
    .insertInto('stopwatch')
    .values({ user_id: userId, issue_id: issueId, created_unix: createdUnix })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return made !== undefined
}

/** Deletes a running stopwatch; returns undefined when none runs on the issue. */
export const deleteStopwatch = (tx: Tx, userId: UserId, issueId: IssueId): Promise<StopwatchRow | undefined> =>
  tx
    .deleteFrom('stopwatch')
    .where('user_id', '=', userId)
    .where('issue_id', '=', issueId)
    .returningAll()
    .executeTakeFirst()

export const insertTrackedTime = (
  tx: Tx,
  values: Pick<TrackedTimeRow, 'issue_id' | 'user_id' | 'seconds' | 'created_unix'>,
): Promise<TrackedTimeRow> => tx.insertInto('tracked_time').values(values).returningAll().executeTakeFirstOrThrow()

/** Returns the viewer's running stopwatch as a page of at most one, if they may read its issue. */
export const listStopwatches = (db: Db, viewer: Viewer, page: Page): Promise<StopwatchRow[]> =>
  readableIssues(db, viewer)
    .innerJoin('stopwatch', 'stopwatch.issue_id', 'issue.id')
    .selectAll('stopwatch')
    .where('stopwatch.user_id', '=', viewer.id)
    .limit(page.limit)
    .offset(page.offset)
    .execute()
