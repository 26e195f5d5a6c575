import type { Db, Tx } from '../db/database.ts'
import type { NewPasskeyRow, PasskeyRow } from '../db/tables/accounts.ts'
import type { PasskeyId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Returns the passkeys of an account in order of creation. */
export const listPasskeys = (db: Db | Tx, userId: UserId): Promise<PasskeyRow[]> =>
  db.selectFrom('passkey').selectAll().where('user_id', '=', userId).orderBy('id').execute()

export const findPasskey = (db: Db, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

export const insertPasskey = (tx: Tx, values: NewPasskeyRow) => tx.insertInto('passkey').values(values).execute()

/** @returns whether the account had this passkey */
export const deletePasskey = async (tx: Tx, userId: UserId, id: PasskeyId): Promise<boolean> =>
  (await tx.deleteFrom('passkey').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst())
    .numDeletedRows > 0n

export const deletePasskeysOf = (tx: Tx, userId: UserId) =>
  tx.deleteFrom('passkey').where('user_id', '=', userId).execute()

/** Records a use of a passkey. @returns false when its counter has advanced meanwhile */
export const updatePasskeyUsed = async (tx: Tx, row: PasskeyRow, counter: number, usedUnix: Unix): Promise<boolean> =>
  (
    await tx
      .updateTable('passkey')
      .set({ counter, used_unix: usedUnix })
      .where('id', '=', row.id)
      .where('counter', '=', row.counter)
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** Records an answered challenge. @returns false when it is answered already */
export const insertChallenge = async (tx: Tx, hash: string, expiresUnix: Unix): Promise<boolean> =>
  ((
    await tx
      .insertInto('passkey_challenge')
      .values({ hash, expires_unix: expiresUnix })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows ?? 0n) > 0n

export const deleteChallengesBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('passkey_challenge').where('expires_unix', '<=', unix).execute()
