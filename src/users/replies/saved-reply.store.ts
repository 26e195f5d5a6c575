import type { Db, Tx } from '../../db/database.ts'
import { bytewise } from '../../db/bytewise.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { SavedReplyRow } from '../../db/tables/accounts.ts'
import type { SavedReplyId, UserId } from '../../lib/ids.ts'

/** What a person writes of a reply. */
export type ReplyText = Pick<SavedReplyRow, 'title' | 'content'>

/** Returns the replies of a person by title. */
export const listSavedReplies = (db: Db, userId: UserId, limit: number): Promise<SavedReplyRow[]> =>
  db
    .selectFrom('saved_reply')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy(bytewise(db, 'title'))
    .orderBy('id')
    .limit(limit)
    .execute()

export const findSavedReply = (db: Db, userId: UserId, id: SavedReplyId): Promise<SavedReplyRow | undefined> =>
  db.selectFrom('saved_reply').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()

export const countSavedReplies = (tx: Tx, userId: UserId): Promise<number> =>
  countRows(tx.selectFrom('saved_reply').where('user_id', '=', userId))

export async function insertSavedReply(
  tx: Tx,
  reply: ReplyText & Pick<SavedReplyRow, 'user_id' | 'created_unix' | 'updated_unix'>,
): Promise<void> {
  await tx.insertInto('saved_reply').values(reply).execute()
}

/** Returns false when the person has no such reply. */
export const updateSavedReply = (
  tx: Tx,
  userId: UserId,
  id: SavedReplyId,
  change: ReplyText & Pick<SavedReplyRow, 'updated_unix'>,
) => changesRow(tx.updateTable('saved_reply').set(change).where('user_id', '=', userId).where('id', '=', id))

export async function deleteSavedReply(tx: Tx, userId: UserId, id: SavedReplyId): Promise<void> {
  await tx.deleteFrom('saved_reply').where('user_id', '=', userId).where('id', '=', id).execute()
}
