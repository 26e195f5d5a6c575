import type { Db } from '../../db/database.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import type { AttachmentId, CommentId, IssueId } from '../../lib/ids.ts'

/** Returns the files of comments, oldest first. */
export const listFilesOfComments = (db: Db, commentIds: readonly CommentId[]): Promise<AttachmentRow[]> =>
  commentIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('attachment').selectAll().where('comment_id', 'in', commentIds).orderBy('id').execute()

/** Returns a file of an issue or of one of its comments. */
export const findAttachmentOfIssue = (db: Db, issueId: IssueId, id: AttachmentId): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachment').selectAll().where('id', '=', id).where('issue_id', '=', issueId).executeTakeFirst()

/** Returns all files of an issue and its comments. */
export const listAllFilesOfIssue = (db: Db, issueId: IssueId): Promise<AttachmentRow[]> =>
  db.selectFrom('attachment').selectAll().where('issue_id', '=', issueId).execute()
