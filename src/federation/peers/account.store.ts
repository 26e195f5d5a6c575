import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { FederatedAccountRow, NewFederatedAccountRow } from '../../db/tables/federation.ts'
import type { ServerId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Lists the remote accounts among these. */
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

/** Counts the accounts of a server that were created since a time, up to `limit`. */
export const countNewAccounts = async (db: Db, serverId: ServerId, since: Unix, limit: number): Promise<number> =>
  (
    await db
      .selectFrom('federated_account')
      .innerJoin('user', 'user.id', 'federated_account.user_id')
      .select('user.id')
      .where('federated_account.server_id', '=', serverId)
      .where('user.created_unix', '>', since)
      .limit(limit)
      .execute()
  ).length

/** Returns whether an account has this name or had it. */
export const isNameKnown = async (tx: Tx, lowerName: string): Promise<boolean> =>
  (await hasRow(tx.selectFrom('user').where('lower_name', '=', lowerName))) ||
  (await hasRow(tx.selectFrom('user_redirect').where('lower_name', '=', lowerName)))

/** Sets the full name of a remote account. Returns false when it is unchanged. */
export const updateFullName = (tx: Tx, id: UserId, fullName: string, updatedUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('user')
      .set({ full_name: fullName, updated_unix: updatedUnix })
      .where('id', '=', id)
      .where('full_name', '<>', fullName),
  )
