import type { Db, Tx } from '../../db/database.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'

/** Returns whether a mail has become a comment: after a crash it may still be in the mailbox. */
export const isHandled = async (db: Db | Tx, key: string): Promise<boolean> =>
  (await db.selectFrom('incoming_mail').select('key').where('key', '=', key).executeTakeFirst()) !== undefined

/** Records that a mail became a comment. Returns false when it was recorded before. */
export async function insertHandled(
  tx: Tx,
  values: { readonly key: string; readonly user_id: UserId; readonly issue_id: IssueId; readonly taken_ms: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('incoming_mail')
    .values(values)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Counts the comments by mail of a user since a time. */
export const countHandledSince = async (db: Db, userId: UserId, sinceMs: number): Promise<number> =>
  (
    await db
      .selectFrom('incoming_mail')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('taken_ms', '>', sinceMs)
      .executeTakeFirstOrThrow()
  ).count

/** Deletes the records of mails from before a time. */
export const deleteHandledBefore = async (tx: Tx, beforeMs: number): Promise<void> => {
  await tx.deleteFrom('incoming_mail').where('taken_ms', '<', beforeMs).execute()
}
