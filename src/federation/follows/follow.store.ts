import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { FederatedFollowTable } from '../../db/tables/federation.ts'
import type { ServerId, UserId } from '../../lib/ids.ts'

/** Finds a follow of a remote account that was sent to its server. */
export const findFederatedFollow = (
  db: Db | Tx,
  followerId: UserId,
  userId: UserId,
): Promise<FederatedFollowTable | undefined> =>
  db
    .selectFrom('federated_follow')
    .selectAll()
    .where('follower_id', '=', followerId)
    .where('user_id', '=', userId)
    .executeTakeFirst()

export const insertFederatedFollow = async (tx: Tx, row: FederatedFollowTable): Promise<void> =>
  void (await tx.insertInto('federated_follow').values(row).execute())

export const acceptFederatedFollow = async (tx: Tx, followerId: UserId, userId: UserId): Promise<void> =>
  void (await tx
    .updateTable('federated_follow')
    .set({ is_accepted: true })
    .where('follower_id', '=', followerId)
    .where('user_id', '=', userId)
    .execute())

/** Returns false when it did not exist. */
export const deleteFederatedFollow = (tx: Tx, followerId: UserId, userId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('federated_follow').where('follower_id', '=', followerId).where('user_id', '=', userId))

/** The inboxes of a remote follower; `shared_inbox_url` is empty when its server has no shared inbox. */
export interface FollowerInbox {
  readonly server_id: ServerId
  readonly inbox_url: string
  readonly shared_inbox_url: string
}

export const listFollowerInboxes = (db: Db | Tx, userId: UserId): Promise<FollowerInbox[]> =>
  db
    .selectFrom('follow')
    .innerJoin('federated_account', 'federated_account.user_id', 'follow.follower_id')
    .select(['federated_account.server_id', 'federated_account.inbox_url', 'federated_account.shared_inbox_url'])
    .where('follow.user_id', '=', userId)
    .orderBy('federated_account.user_id')
    .execute()

/** Returns whether a remote account follows an account. */
export const hasFederatedFollower = (db: Db | Tx, userId: UserId): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('follow')
      .innerJoin('federated_account', 'federated_account.user_id', 'follow.follower_id')
      .where('follow.user_id', '=', userId),
  )
