import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { NewPasskeyRow, PasskeyRow } from '../db/tables/sign-in.ts'
import type { PasskeyId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

/** Returns the passkeys of an account in order of creation. */
export const listPasskeys = (db: Db | Tx, userId: UserId): Promise<PasskeyRow[]> =>
  db.selectFrom('passkey').selectAll().where('user_id', '=', userId).orderBy('id').execute()

export const findPasskey = (db: Db, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

export const insertPasskey = (tx: Tx, values: NewPasskeyRow) => tx.insertInto('passkey').values(values).execute()

/** @returns whether the account had this passkey */
export const deletePasskey = (tx: Tx, userId: UserId, id: PasskeyId): Promise<boolean> =>
  changesRow(tx.deleteFrom('passkey').where('id', '=', id).where('user_id', '=', userId))

export const deletePasskeysOf = (tx: Tx, userId: UserId) =>
  tx.deleteFrom('passkey').where('user_id', '=', userId).execute()

/** Records a use of a passkey. @returns false when its counter has advanced meanwhile */
export const updatePasskeyUsed = (tx: Tx, row: PasskeyRow, counter: number, usedUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('passkey')
      .set({ counter, used_unix: usedUnix })
      .where('id', '=', row.id)
      .where('counter', '=', row.counter),
  )

/** Records an answered challenge. @returns false when it is answered already */
export const insertChallenge = (tx: Tx, hash: string, expiresUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .insertInto('passkey_challenge')
      .values({ hash, expires_unix: expiresUnix })
      .onConflict((conflict) => conflict.column('hash').doNothing()),
  )

export const deleteChallengesBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('passkey_challenge').where('expires_unix', '<=', unix).execute()
