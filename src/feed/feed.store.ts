import { sql, type SqlBool } from 'kysely'
import { accountsShownTo } from '../access/conditions/account-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/** Name of the instance value that marks cursors of this instance. */
const instanceName = 'feed_instance'

export const findFeedInstance = async (db: Db | Tx): Promise<string | undefined> =>
  (await db.selectFrom('instance_value').select('value').where('name', '=', instanceName).executeTakeFirst())?.value

/** Inserts the value unless one exists. */
export async function insertFeedInstance(tx: Tx, value: string): Promise<void> {
  await tx
    .insertInto('instance_value')
    .values({ name: instanceName, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Returns the accounts among `ids` that the viewer may see. */
export const listShownAccounts = async (db: Db, viewer: Viewer, ids: readonly UserId[]): Promise<Set<UserId>> =>
  ids.length === 0
    ? new Set()
    : new Set(
        (
          await db
            .selectFrom('user')
            .select('id')
            .where(sql<SqlBool>`"user".id in ${idList(db, idListText(ids))}`)
            .where(accountsShownTo(viewer))
            .execute()
        ).map((row) => row.id),
      )

/** Returns the organizations among `ids` that the account owns. */
export const listOwnedOrgs = async (db: Db, ids: readonly UserId[], userId: UserId): Promise<Set<UserId>> =>
  ids.length === 0
    ? new Set()
    : new Set(
        (
          await db
            .selectFrom('team_user')
            .innerJoin('team', 'team.id', 'team_user.team_id')
            .select('team.org_id')
            .where('team_user.user_id', '=', userId)
            .where('team.access_mode', '=', 4)
            .where(sql<SqlBool>`team.org_id in ${idList(db, idListText(ids))}`)
            .execute()
        ).map((row) => row.org_id),
      )

/** Returns the current account of a viewer. Undefined: it may not sign in, or its token is revoked. */
export const findPresentAccount = (db: Db, { id, credential }: Viewer): Promise<UserRow | undefined> => {
  const query = db
    .selectFrom('user')
    .selectAll()
    .where('id', '=', id)
    .where('is_active', '=', true)
    .where('prohibit_login', '=', false)
  if (credential.kind !== 'token') return query.executeTakeFirst()
  const { tokenId, isOAuth } = credential
  return query
    .where((where) =>
      where.exists(
        where
          .selectFrom(isOAuth ? 'oauth_token' : 'access_token')
          .select('id')
          .where('id', '=', tokenId),
      ),
    )
    .executeTakeFirst()
}
