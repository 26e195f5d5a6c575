import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { NewOAuthApplicationRow, OAuthApplicationChange, OAuthApplicationRow } from '../../db/tables/oauth.ts'
import type { OAuthApplicationId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** Returns applications, the newest first. */
export const listApplications = (db: Db, userId: UserId, page: Page): Promise<OAuthApplicationRow[]> =>
  db
    .selectFrom('oauth_application')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countApplications = (db: Db, userId: UserId): Promise<number> =>
  countRows(db.selectFrom('oauth_application').where('user_id', '=', userId))

export const findApplication = (
  db: Db,
  userId: UserId,
  id: OAuthApplicationId,
): Promise<OAuthApplicationRow | undefined> =>
  db.selectFrom('oauth_application').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()

export const findApplicationByClientId = (db: Db, clientId: string): Promise<OAuthApplicationRow | undefined> =>
  db.selectFrom('oauth_application').selectAll().where('client_id', '=', clientId).executeTakeFirst()

export const insertApplication = (tx: Tx, values: NewOAuthApplicationRow): Promise<OAuthApplicationRow> =>
  tx.insertInto('oauth_application').values(values).returningAll().executeTakeFirstOrThrow()

/** Returns undefined when the account has no such application. */
export const updateApplication = (
  tx: Tx,
  userId: UserId,
  id: OAuthApplicationId,
  change: OAuthApplicationChange,
): Promise<OAuthApplicationRow | undefined> =>
  tx
    .updateTable('oauth_application')
    .set(change)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Deletes an application with its grants, codes and tokens. Returns false when the account has no such application. */
export const deleteApplication = (tx: Tx, userId: UserId, id: OAuthApplicationId): Promise<boolean> =>
  changesRow(tx.deleteFrom('oauth_application').where('user_id', '=', userId).where('id', '=', id))

/** Inserts or updates a built-in application. */
export const upsertBuiltIn = (tx: Tx, values: NewOAuthApplicationRow) =>
  tx
    .insertInto('oauth_application')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('client_id').doUpdateSet({ name: values.name, redirect_uris: values.redirect_uris }),
    )
    .execute()

export const deleteBuiltIn = (tx: Tx, clientIds: readonly string[]) =>
  tx.deleteFrom('oauth_application').where('user_id', 'is', null).where('client_id', 'in', clientIds).execute()
