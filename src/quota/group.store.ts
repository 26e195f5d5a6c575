import { bytewise } from '../db/bytewise.ts'
import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { QuotaGroupRow } from '../db/tables/quota.ts'
import type { QuotaGroupId, QuotaRuleId, UserId } from '../lib/ids.ts'

export const findGroup = (db: Db, name: string): Promise<QuotaGroupRow | undefined> =>
  db.selectFrom('quota_group').selectAll().where('name', '=', name).executeTakeFirst()

export const insertGroup = (tx: Tx, name: string): Promise<QuotaGroupRow> =>
  tx.insertInto('quota_group').values({ name }).returningAll().executeTakeFirstOrThrow()

/** Deletes a group and its memberships. Accounts and rules remain. */
export const deleteGroup = (tx: Tx, id: QuotaGroupId) => tx.deleteFrom('quota_group').where('id', '=', id).execute()

export async function insertGroupRules(tx: Tx, groupId: QuotaGroupId, ruleIds: readonly QuotaRuleId[]): Promise<void> {
  if (ruleIds.length === 0) return
  await tx
    .insertInto('quota_group_rule')
    .values(ruleIds.map((rule_id) => ({ group_id: groupId, rule_id })))
    .execute()
}

/** Removes a rule from a group. Returns false when the rule is not in the group. */
export const deleteGroupRule = (tx: Tx, groupId: QuotaGroupId, ruleId: QuotaRuleId): Promise<boolean> =>
  changesRow(tx.deleteFrom('quota_group_rule').where('group_id', '=', groupId).where('rule_id', '=', ruleId))

export const insertGroupUser = (tx: Tx, groupId: QuotaGroupId, userId: UserId) =>
  tx.insertInto('quota_group_user').values({ group_id: groupId, user_id: userId }).execute()

/** Removes an account from a group. Returns false when the account is not in the group. */
export const deleteGroupUser = (tx: Tx, groupId: QuotaGroupId, userId: UserId): Promise<boolean> =>
  changesRow(tx.deleteFrom('quota_group_user').where('group_id', '=', groupId).where('user_id', '=', userId))

/** Replaces the groups of an account. */
export async function replaceGroupsOfUser(tx: Tx, userId: UserId, groupIds: readonly QuotaGroupId[]): Promise<void> {
  await tx.deleteFrom('quota_group_user').where('user_id', '=', userId).execute()
  if (groupIds.length === 0) return
  await tx
    .insertInto('quota_group_user')
    .values(groupIds.map((group_id) => ({ group_id, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns the accounts and organizations of a group, ordered by name. */
export const listUsersOfGroup = (db: Db, groupId: QuotaGroupId): Promise<UserRow[]> =>
  db
    .selectFrom('quota_group_user')
    .innerJoin('user', 'user.id', 'quota_group_user.user_id')
    .selectAll('user')
    .where('quota_group_user.group_id', '=', groupId)
    .orderBy(bytewise(db, 'user.lower_name'))
    .execute()
