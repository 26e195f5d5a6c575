import type { Db, Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const insertSession = (
  tx: Tx,
  values: { secret_hash: string; user_id: UserId; created_unix: Unix; expires_unix: Unix },
) => tx.insertInto('session').values(values).execute()

/** The account of a session that has not ended. */
export const findSessionUser = (db: Db, secretHash: string, nowUnix: Unix): Promise<UserRow | undefined> =>
  db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .selectAll('user')
    .where('session.secret_hash', '=', secretHash)
    .where('session.expires_unix', '>', nowUnix)
    .executeTakeFirst()

export const deleteSession = (tx: Tx, secretHash: string) =>
  tx.deleteFrom('session').where('secret_hash', '=', secretHash).execute()

export const deleteSessionsOf = (tx: Tx, userId: UserId) =>
  tx.deleteFrom('session').where('user_id', '=', userId).execute()

export const deleteSessionsBefore = (tx: Tx, unix: Unix) =>
  tx.deleteFrom('session').where('expires_unix', '<=', unix).execute()

export const updateLastLogin = (tx: Tx, id: UserId, unix: Unix, language: string) =>
  tx
    .updateTable('user')
    .set((set) => ({
      last_login_unix: unix,
      language: set.case().when('language', '=', '').then(language).else(set.ref('language')).end(),
    }))
    .where('id', '=', id)
    .execute()
