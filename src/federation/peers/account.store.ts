import type { Db, Tx } from '../../db/database.ts'
import type { FederatedAccountRow, NewFederatedAccountRow } from '../../db/tables/federation.ts'
import type { ServerId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** The accounts of other servers among some. */
export const listFederatedAccounts = (db: Db | Tx, userIds: readonly UserId[]): Promise<FederatedAccountRow[]> =>
  userIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('federated_account').selectAll().where('user_id', 'in', userIds).execute()

export const findFederatedAccount = async (db: Db | Tx, userId: UserId): Promise<FederatedAccountRow | undefined> =>
  (await listFederatedAccounts(db, [userId]))[0]

export const findAccountByKeyId = (db: Db, keyId: string): Promise<FederatedAccountRow | undefined> =>
  db.selectFrom('federated_account').selectAll().where('key_id', '=', keyId).executeTakeFirst()

export const findAccountByActor = (db: Db | Tx, actorUrl: string): Promise<FederatedAccountRow | undefined> =>
  db.selectFrom('federated_account').selectAll().where('actor_url', '=', actorUrl).executeTakeFirst()

export const insertFederatedAccount = async (tx: Tx, row: NewFederatedAccountRow): Promise<void> =>
  void (await tx.insertInto('federated_account').values(row).execute())

export const updateFederatedAccount = async (
  tx: Tx,
  userId: UserId,
  change: Partial<Omit<FederatedAccountRow, 'user_id'>>,
): Promise<void> => void (await tx.updateTable('federated_account').set(change).where('user_id', '=', userId).execute())

/** The accounts that a server has got since a time, `most` at the most. */
export const countNewAccounts = async (db: Db, serverId: ServerId, since: Unix, most: number): Promise<number> =>
  (
    await db
      .selectFrom('federated_account')
      .innerJoin('user', 'user.id', 'federated_account.user_id')
      .select('user.id')
      .where('federated_account.server_id', '=', serverId)
      .where('user.created_unix', '>', since)
      .limit(most)
      .execute()
  ).length

/** Whether there is an account of this name, or was one. */
export const isNameKnown = async (tx: Tx, lowerName: string): Promise<boolean> =>
  (await tx.selectFrom('user').select('id').where('lower_name', '=', lowerName).executeTakeFirst()) !== undefined ||
  (await tx.selectFrom('user_redirect').select('user_id').where('lower_name', '=', lowerName).executeTakeFirst()) !==
    undefined

/** Renames a person of another server, as it is called there. */
export const updateFullName = async (tx: Tx, id: UserId, fullName: string, updatedUnix: Unix): Promise<boolean> =>
  (
    await tx
      .updateTable('user')
      .set({ full_name: fullName, updated_unix: updatedUnix })
      .where('id', '=', id)
      .where('full_name', '<>', fullName)
      .executeTakeFirst()
  ).numUpdatedRows > 0n
