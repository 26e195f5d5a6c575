import type { Db, Tx } from '../db/database.ts'
import { preparedQueries } from '../db/prepared.ts'
import { changesRow, countRows } from '../db/rows.ts'
import type { AccessTokenRow, UserRow } from '../db/tables/accounts.ts'
import type { TokenId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

const tokenWithUser = preparedQueries((db: Db, hash: string) => {
  const tokens = db.selectFrom('access_token').where('token_hash', '=', hash)
  return {
    tokens: tokens.selectAll(),
    users: db.selectFrom('user').selectAll().where('id', '=', tokens.select('user_id')),
  }
})

/** Returns a token by its hash with its account. */
export async function findTokenByHash(
  db: Db,
  hash: string,
): Promise<{ token: AccessTokenRow; user: UserRow } | undefined> {
  const {
    tokens: [token],
    users: [user],
  } = await tokenWithUser(db, hash)
  return token && user && { token, user }
}

/** Returns the tokens of an account, newest first. */
export const listTokens = (db: Db, userId: UserId, limit: number, offset: number): Promise<AccessTokenRow[]> =>
  db
    .selectFrom('access_token')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export const countTokens = (db: Db, userId: UserId): Promise<number> =>
  countRows(db.selectFrom('access_token').where('user_id', '=', userId))

export const insertToken = (
  tx: Tx,
  values: Pick<AccessTokenRow, 'user_id' | 'name' | 'token_hash' | 'token_last_eight' | 'scopes' | 'created_unix'>,
): Promise<AccessTokenRow> => tx.insertInto('access_token').values(values).returningAll().executeTakeFirstOrThrow()

export const findTokenByName = (db: Db, userId: UserId, name: string): Promise<AccessTokenRow | undefined> =>
  db.selectFrom('access_token').selectAll().where('user_id', '=', userId).where('name', '=', name).executeTakeFirst()

/** @returns whether the account had this token */
export const deleteToken = (tx: Tx, userId: UserId, id: TokenId): Promise<boolean> =>
  changesRow(tx.deleteFrom('access_token').where('user_id', '=', userId).where('id', '=', id))

export const updateTokensUsed = (tx: Tx, ids: readonly TokenId[], usedUnix: Unix) =>
  tx.updateTable('access_token').set({ last_used_unix: usedUnix }).where('id', 'in', ids).execute()
