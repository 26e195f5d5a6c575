import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { AttachmentRow, NewAttachmentRow } from '../../db/tables/issues.ts'
import type { AttachmentId, CommentId, IssueId } from '../../lib/ids.ts'

/** Files of comments, oldest first. */
export const listFilesOfComments = (db: Db, commentIds: readonly CommentId[]): Promise<AttachmentRow[]> =>
  commentIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('attachment').selectAll().where('comment_id', 'in', commentIds).orderBy('id').execute()

/** A file of an issue or of one of its comments. */
export const findAttachmentOfIssue = (db: Db, issueId: IssueId, id: AttachmentId): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachment').selectAll().where('id', '=', id).where('issue_id', '=', issueId).executeTakeFirst()

export const findAttachmentByUuid = (db: Db, uuid: string): Promise<AttachmentRow | undefined> =>
  db.selectFrom('attachment').selectAll().where('uuid', '=', uuid).executeTakeFirst()

/** All files of an issue, those of its comments too. */
export const listAllFilesOfIssue = (db: Db, issueId: IssueId): Promise<AttachmentRow[]> =>
  db.selectFrom('attachment').selectAll().where('issue_id', '=', issueId).execute()

export const insertAttachment = (tx: Tx, values: NewAttachmentRow): Promise<AttachmentRow> =>
  tx.insertInto('attachment').values(values).returningAll().executeTakeFirstOrThrow()

export const updateAttachmentName = (tx: Tx, id: AttachmentId, name: string): Promise<AttachmentRow | undefined> =>
  tx.updateTable('attachment').set({ name }).where('id', '=', id).returningAll().executeTakeFirst()

/** Counts a download; what else happens to the row meanwhile is kept. */
export const countDownload = (tx: Tx, id: AttachmentId) =>
  tx
    .updateTable('attachment')
    .set({ download_count: sql`download_count + 1` })
    .where('id', '=', id)
    .execute()

export const deleteAttachments = async (tx: Tx, ids: readonly AttachmentId[]): Promise<AttachmentRow[]> =>
  ids.length === 0 ? [] : tx.deleteFrom('attachment').where('id', 'in', ids).returningAll().execute()
