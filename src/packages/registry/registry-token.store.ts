import type { Db } from '../../db/database.ts'
import type { AccessTokenRow, UserRow } from '../../db/tables/accounts.ts'
import type { TokenId, UserId } from '../../lib/ids.ts'

export const findUserOfToken = (db: Db, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns an access token of an account, unless it is revoked. */
export const findTokenById = (db: Db, userId: UserId, id: TokenId): Promise<AccessTokenRow | undefined> =>
  db.selectFrom('access_token').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
