import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { NewSigningKeyRow, SigningKeyRow } from '../db/tables/signing.ts'
import type { SigningKeyId } from '../lib/ids.ts'

/** Returns the generated key that signs now. */
export const findOwnKey = (db: Db | Tx, format: SigningKeyRow['format']): Promise<SigningKeyRow | undefined> =>
  db
    .selectFrom('signing_key')
    .selectAll()
    .where('format', '=', format)
    .where('sealed', '<>', sql.lit(''))
    .executeTakeFirst()

/** Largest number of kept keys; the oldest are deleted. */
const maxKeys = 200

/** Returns current and former keys without their private halves, newest first. */
export const listSigningKeys = (db: Db): Promise<Omit<SigningKeyRow, 'sealed'>[]> =>
  db
    .selectFrom('signing_key')
    .select(['id', 'format', 'fingerprint', 'key_ids', 'public_key', 'name', 'email', 'created_unix'])
    .orderBy('id', 'desc')
    .limit(maxKeys)
    .execute()

/** Inserts a generated key; returns false when another process was faster. */
export const insertOwnKey = async (tx: Tx, values: NewSigningKeyRow): Promise<boolean> =>
  (
    await tx
      .insertInto('signing_key')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows === 1n

/** Records a key of a file or its changed identity; returns whether it is new. */
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

/** Erases the private half of a key; returns false when it had none. */
export const clearOwnKey = (tx: Tx, id: SigningKeyId): Promise<boolean> =>
  changesRow(tx.updateTable('signing_key').set({ sealed: '' }).where('id', '=', id).where('sealed', '<>', sql.lit('')))

/** Deletes a key, which ends the trust in its signatures. */
export const deleteSigningKey = (tx: Tx, id: SigningKeyId): Promise<boolean> =>
  changesRow(tx.deleteFrom('signing_key').where('id', '=', id))
