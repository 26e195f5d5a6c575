import type { Db, Tx } from '../../db/database.ts'
import type { IssueId, UserId } from '../../lib/ids.ts'

/** Whether a mail has become a comment already: a crash may have kept it from leaving the mailbox. */
export const isTaken = async (db: Db | Tx, key: string): Promise<boolean> =>
  (await db.selectFrom('incoming_mail').select('key').where('key', '=', key).executeTakeFirst()) !== undefined

/** Notes that a mail has become a comment. @returns false when somebody else has noted it */
export async function insertTaken(
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

/** How many mails of somebody became comments since a time. */
export const countTakenSince = async (db: Db, userId: UserId, sinceMs: number): Promise<number> =>
  (
    await db
      .selectFrom('incoming_mail')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .where('taken_ms', '>', sinceMs)
      .executeTakeFirstOrThrow()
  ).count

/** Forgets mails of before a time. */
export const deleteTakenBefore = async (tx: Tx, beforeMs: number): Promise<void> => {
  await tx.deleteFrom('incoming_mail').where('taken_ms', '<', beforeMs).execute()
}
