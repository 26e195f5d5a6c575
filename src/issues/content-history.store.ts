import type { Db, Tx } from '../db/database.ts'
import type { IssueId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const insertContentHistory = (
  tx: Tx,
  rows: readonly {
    issue_id: IssueId
    comment_id: number
    poster_id: UserId
    content: string
    edited_unix: Unix
    is_first: boolean
  }[],
) =>
  tx
    .insertInto('content_history')
    .values(rows as never)
    .execute()

/** Returns versions of a text, newest first; comment 0 is the text of the issue. */
export const listContentHistory = (db: Db, issueId: IssueId, commentId: number, limit: number) =>
  db
    .selectFrom('content_history')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('comment_id', '=', commentId as never)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
