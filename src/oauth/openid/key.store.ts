import type { Db, Tx } from '../../db/database.ts'
import type { NewOAuthKeyRow, OAuthKeyRow } from '../../db/tables/oauth.ts'

/** Returns keys, the newest first. */
export const listKeys = (db: Db | Tx, limit: number): Promise<OAuthKeyRow[]> =>
  db.selectFrom('oauth_key').selectAll().orderBy('number', 'desc').limit(limit).execute()

/** Inserts a key, unless another process inserted one with the number. */
export const insertKey = (tx: Tx, values: NewOAuthKeyRow) =>
  tx
    .insertInto('oauth_key')
    .values(values)
    .onConflict((conflict) => conflict.column('number').doNothing())
    .execute()
