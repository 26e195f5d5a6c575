import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { NewSigningKeyRow, SigningKeyRow } from '../db/tables/signing.ts'
import type { SigningKeyId } from '../lib/ids.ts'

/** The key that the instance made for itself and signs with. */
export const findOwnKey = (db: Db | Tx, format: SigningKeyRow['format']): Promise<SigningKeyRow | undefined> =>
  db
    .selectFrom('signing_key')
    .selectAll()
    .where('format', '=', format)
    .where('sealed', '<>', sql.lit(''))
    .executeTakeFirst()

/** Most keys that are looked at. An instance that had more forgets the oldest. */
const maxKeys = 200

/** All keys that the instance signs or signed with, the newest first, without their private halves. */
export const listSigningKeys = (db: Db): Promise<Omit<SigningKeyRow, 'sealed'>[]> =>
  db
    .selectFrom('signing_key')
    .select(['id', 'format', 'fingerprint', 'key_ids', 'public_key', 'name', 'email', 'created_unix'])
    .orderBy('id', 'desc')
    .limit(maxKeys)
    .execute()

/** Adds a key of the instance's own, unless another process was faster. Gives false then. */
export const insertOwnKey = async (tx: Tx, values: NewSigningKeyRow): Promise<boolean> =>
  (
    await tx
      .insertInto('signing_key')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows === 1n

/** Writes down a key that lies in a file, or by which name it is shown now. Gives whether it is a new one. */
export async function upsertFileKey(tx: Tx, values: NewSigningKeyRow): Promise<boolean> {
  const { fingerprint, name, email } = values
  const { numUpdatedRows } = await tx
    .updateTable('signing_key')
    .set({ name, email })
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return false
  return insertOwnKey(tx, values)
}

/** Has a key sign no more: its private half is forgotten. Gives false when it had none. */
export const clearOwnKey = async (tx: Tx, id: SigningKeyId): Promise<boolean> =>
  (
    await tx
      .updateTable('signing_key')
      .set({ sealed: '' })
      .where('id', '=', id)
      .where('sealed', '<>', sql.lit(''))
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** Forgets a key: what it signed is not good any more. */
export const deleteSigningKey = async (tx: Tx, id: SigningKeyId): Promise<boolean> =>
  (await tx.deleteFrom('signing_key').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
