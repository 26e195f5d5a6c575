import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { preparedQueries } from '../db/prepared.ts'
import { changesRow } from '../db/rows.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type {
  NewOAuthCodeRow,
  NewOAuthTokenRow,
  OAuthApplicationRow,
  OAuthCodeRow,
  OAuthGrantRow,
  OAuthTokenRow,
} from '../db/tables/oauth.ts'
import type { OAuthApplicationId, OAuthCodeId, OAuthGrantId, OAuthTokenId, UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export const findGrant = (
  db: Db | Tx,
  applicationId: OAuthApplicationId,
  userId: UserId,
): Promise<OAuthGrantRow | undefined> =>
  db
    .selectFrom('oauth_grant')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** Returns the existing grant of a person to an application, or inserts one with this scope. */
export async function findOrInsertGrant(
  tx: Tx,
  values: { application_id: OAuthApplicationId; user_id: UserId; scope: string; created_unix: Unix },
): Promise<OAuthGrantRow> {
  await tx
    .insertInto('oauth_grant')
    .values(values)
    .onConflict((conflict) => conflict.columns(['application_id', 'user_id']).doNothing())
    .execute()
  return (await findGrant(tx, values.application_id, values.user_id)) as OAuthGrantRow
}

/** A grant and its application. */
export type GrantedApplication = Pick<OAuthGrantRow, 'id' | 'scope' | 'created_unix'> &
  Pick<OAuthApplicationRow, 'name' | 'client_id'>

/** Returns the grants of a person, the newest first. */
export const listGrantsOf = (db: Db, userId: UserId, limit: number): Promise<GrantedApplication[]> =>
  db
    .selectFrom('oauth_grant')
    .innerJoin('oauth_application', 'oauth_application.id', 'oauth_grant.application_id')
    .select([
      'oauth_grant.id',
      'oauth_grant.scope',
      'oauth_grant.created_unix',
      'oauth_application.name',
      'oauth_application.client_id',
    ])
    .where('oauth_grant.user_id', '=', userId)
    .orderBy('oauth_grant.id', 'desc')
    .limit(limit)
    .execute()

/** Deletes a grant with its codes and tokens. Returns false when the person has no such grant. */
export const deleteGrant = (tx: Tx, userId: UserId, id: OAuthGrantId): Promise<boolean> =>
  changesRow(tx.deleteFrom('oauth_grant').where('user_id', '=', userId).where('id', '=', id))

/** Most codes, and most tokens, of one grant. The oldest are deleted. */
const maxKept = 200

export async function insertCode(tx: Tx, values: NewOAuthCodeRow): Promise<void> {
  await tx.insertInto('oauth_code').values(values).execute()
  await tx
    .deleteFrom('oauth_code')
    .where('grant_id', '=', values.grant_id)
    .where('id', '<=', (from) =>
      from
        .selectFrom('oauth_code')
        .select('id')
        .where('grant_id', '=', values.grant_id)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(maxKept),
    )
    .execute()
}

/** A grant with its application and its user. */
export interface Granted {
  readonly grant: OAuthGrantRow
  readonly application: OAuthApplicationRow
  readonly user: UserRow
}

/** Loads a grant with its application and its user, in three statements. */
export async function loadGranted(db: Db | Tx, grantId: OAuthGrantId): Promise<Granted | undefined> {
  const grant = await db.selectFrom('oauth_grant').selectAll().where('id', '=', grantId).executeTakeFirst()
  if (!grant) return undefined
  const [application, user] = await Promise.all([
    db.selectFrom('oauth_application').selectAll().where('id', '=', grant.application_id).executeTakeFirst(),
    db.selectFrom('user').selectAll().where('id', '=', grant.user_id).executeTakeFirst(),
  ])
  return application && user && { grant, application, user }
}

export async function findCode(db: Db | Tx, hash: string): Promise<({ code: OAuthCodeRow } & Granted) | undefined> {
  const code = await db.selectFrom('oauth_code').selectAll().where('code_hash', '=', hash).executeTakeFirst()
  const granted = code && (await loadGranted(db, code.grant_id))
  return granted && { code, ...granted }
}

/** Marks a code as used. Returns false when it was used before. */
export const useCode = (tx: Tx, id: OAuthCodeId, usedUnix: Unix): Promise<boolean> =>
  changesRow(
    tx.updateTable('oauth_code').set({ used_unix: usedUnix }).where('id', '=', id).where('used_unix', 'is', null),
  )

export async function insertTokens(tx: Tx, values: readonly [NewOAuthTokenRow, ...NewOAuthTokenRow[]]): Promise<void> {
  const { grant_id } = values[0]
  await tx
    .insertInto('oauth_token')
    .values([...values])
    .execute()
  await tx
    .deleteFrom('oauth_token')
    .where('grant_id', '=', grant_id)
    .where('id', '<=', (from) =>
      from
        .selectFrom('oauth_token')
        .select('id')
        .where('grant_id', '=', grant_id)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(maxKept),
    )
    .execute()
}

export async function findToken(db: Db | Tx, hash: string): Promise<({ token: OAuthTokenRow } & Granted) | undefined> {
  const token = await db.selectFrom('oauth_token').selectAll().where('token_hash', '=', hash).executeTakeFirst()
  const granted = token && (await loadGranted(db, token.grant_id))
  return granted && { token, ...granted }
}

const accessTokenWithUser = preparedQueries((db: Db, hash: string) => {
  const tokens = db.selectFrom('oauth_token').where('token_hash', '=', hash).where('is_refresh', '=', sql.lit(false))
  const grants = db.selectFrom('oauth_grant').where('id', '=', tokens.select('grant_id'))
  return {
    tokens: tokens.selectAll(),
    grants: grants.selectAll(),
    users: db.selectFrom('user').selectAll().where('id', '=', grants.select('user_id')),
  }
})

/** Returns an access token by its hash, with its grant and its user, in one round trip. */
export async function findAccessToken(
  db: Db,
  hash: string,
): Promise<{ token: OAuthTokenRow; grant: OAuthGrantRow; user: UserRow } | undefined> {
  const {
    tokens: [token],
    grants: [grant],
    users: [user],
  } = await accessTokenWithUser(db, hash)
  return token && grant && user && { token, grant, user }
}

/** Marks a refresh token as used. Returns false when it was used before. */
export const useRefreshToken = (tx: Tx, id: OAuthTokenId, usedUnix: Unix): Promise<boolean> =>
  changesRow(
    tx.updateTable('oauth_token').set({ used_unix: usedUnix }).where('id', '=', id).where('used_unix', 'is', null),
  )

/** Deletes all tokens that were issued for one code. */
export const deleteFamily = (tx: Tx, grantId: OAuthGrantId, family: string) =>
  tx.deleteFrom('oauth_token').where('grant_id', '=', grantId).where('family', '=', family).execute()

export const deleteToken = (tx: Tx, id: OAuthTokenId) => tx.deleteFrom('oauth_token').where('id', '=', id).execute()

/** Deletes expired codes and tokens. */
export async function deleteExpired(tx: Tx, unix: Unix): Promise<void> {
  await tx.deleteFrom('oauth_code').where('expires_unix', '<=', unix).execute()
  await tx.deleteFrom('oauth_token').where('expires_unix', '<=', unix).execute()
}
