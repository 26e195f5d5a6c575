import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'

/** Returns whether a mail has become a comment: after a crash it may still be in the mailbox. */
export const isHandled = (db: Db | Tx, key: string): Promise<boolean> =>
  hasRow(db.selectFrom('incoming_mail').where('key', '=', key))

/** Records that a mail became a comment. Returns false when it was recorded before. */
export async function insertHandled(
  tx: Tx,
  values: { readonly key: string; readonly user_id: UserId; readonly issue_id: IssueId; readonly taken_ms: number },
): Promise<boolean> {
  return changesRow(
    tx
      .insertInto('incoming_mail')
      .values(values)
      .onConflict((conflict) => conflict.column('key').doNothing()),
  )
}

/** Counts the comments by mail of a user since a time. */
export const countHandledSince = (db: Db, userId: UserId, sinceMs: number): Promise<number> =>
  countRows(db.selectFrom('incoming_mail').where('user_id', '=', userId).where('taken_ms', '>', sinceMs))

/** Deletes the records of mails from before a time. */
export const deleteHandledBefore = async (tx: Tx, beforeMs: number): Promise<void> => {
  await tx.deleteFrom('incoming_mail').where('taken_ms', '<', beforeMs).execute()
}
