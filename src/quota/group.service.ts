import type { Services } from '../access/context.ts'
import type { QuotaSubject } from '../access/quota/quota.rules.ts'
import { listGroups, listGroupsNamed, type NamedQuotaGroup } from '../access/quota/quota.store.ts'
import { recordAct } from '../audit/audit.ts'
import type { AuditedAction } from '../audit/audited-actions.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { QuotaGroupRow, QuotaRuleRow } from '../db/tables/quota.ts'
import { pluck } from '../lib/pluck.ts'
import { Conflict, Invalid, NotFound } from '../lib/errors.ts'
import {
  deleteGroup,
  deleteGroupRule,
  deleteGroupUser,
  findGroup,
  insertGroup,
  insertGroupRules,
  insertGroupUser,
  listUsersOfGroup,
  replaceGroupsOfUser,
} from './group.store.ts'
import { ruleRow } from './rule.service.ts'
import { insertRules, listRulesNamed } from './rule.store.ts'

/** A rule of a new group: an existing rule by its name, or a new one. */
export interface RuleOfNewGroup {
  readonly name: string
  /** Bytes, for a new rule. Default: 0. */
  readonly limit?: number | undefined
  readonly subjects?: readonly QuotaSubject[] | undefined
}

const noGroup = () => new NotFound('the quota group does not exist', 'quota_group_not_found')

const recordGroupAct = (
  tx: Tx,
  { id, name }: Pick<QuotaGroupRow, 'id' | 'name'>,
  action: AuditedAction,
  details: Record<string, string | readonly string[]> = {},
): Promise<void> => recordAct(tx, { action, about: { kind: 'quota group', id, name }, details })

/** Returns all groups with their rules, in order of creation. */
export const allGroups = ({ db }: Services): Promise<NamedQuotaGroup[]> => listGroups(db)

/** Returns a group by its exact name, or throws `NotFound`. */
export async function getGroup({ db }: Pick<Services, 'db'>, name: string): Promise<QuotaGroupRow> {
  const group = await findGroup(db, name)
  if (!group) throw noGroup()
  return group
}

/** Returns a group by its exact name with its rules, or throws `NotFound`. */
export async function getGroupWithRules({ db }: Services, name: string): Promise<NamedQuotaGroup> {
  const [group] = await listGroupsNamed(db, [name])
  if (!group) throw noGroup()
  return group
}

/**
 * Creates a group and its missing rules in one transaction. Existing rules are not changed.
 * @throws Conflict for a used name
 * @throws Invalid for a rule that is named twice
 */
export async function createGroup(
  { db }: Services,
  name: string,
  rules: readonly RuleOfNewGroup[],
): Promise<NamedQuotaGroup> {
  const names = rules.map((rule) => rule.name)
  const twice = names.find((each, index) => names.indexOf(each) !== index)
  if (twice !== undefined) throw new Invalid(`[rules]: ${twice} is named twice`, 'quota_rule_twice', { field: 'rules' })
  try {
    return await transaction(db, async (tx) => {
      const group = await insertGroup(tx, name)
      const known = await listRulesNamed(tx, names)
      const missing = rules.filter((rule) => known.every((row) => row.name !== rule.name))
      const made = await insertRules(
        tx,
        missing.map((rule) => ruleRow({ name: rule.name, limit: rule.limit ?? 0, subjects: rule.subjects ?? [] })),
      )
      await insertGroupRules(tx, group.id, pluck([...known, ...made], 'id'))
      await recordGroupAct(tx, group, 'quotaGroup.created', { rules: names })
      const [whole] = await listGroupsNamed(tx, [name])
      return whole as NamedQuotaGroup
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('there is a quota group of this name', 'quota_group_name_used')
    throw error
  }
}

/** Deletes a group. */
export async function removeGroup({ db }: Services, group: QuotaGroupRow): Promise<void> {
  await transaction(db, async (tx) => {
    await deleteGroup(tx, group.id)
    await recordGroupAct(tx, group, 'quotaGroup.deleted')
  })
}

/**
 * Runs an insert of a membership.
 * @throws Conflict for an existing membership
 * @throws NotFound when one side was deleted concurrently
 */
async function join(insert: () => Promise<unknown>, already: string): Promise<void> {
  try {
    await insert()
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict(already, 'quota_group_joined')
    if (isForeignKeyViolation(error)) throw noGroup()
    throw error
  }
}

/** Adds a rule to a group. Throws `Conflict` when the group has the rule. */
export const addRuleToGroup = ({ db }: Services, group: QuotaGroupRow, rule: QuotaRuleRow): Promise<void> =>
  join(
    () =>
      transaction(db, async (tx) => {
        await insertGroupRules(tx, group.id, [rule.id])
        await recordGroupAct(tx, group, 'quotaGroup.ruleAdded', { rule: rule.name })
      }),
    'the rule is in the quota group already',
  )

/** Removes a rule from a group. Throws `NotFound` when the group does not have the rule. */
export async function removeRuleFromGroup({ db }: Services, group: QuotaGroupRow, rule: QuotaRuleRow): Promise<void> {
  const isRemoved = await transaction(db, async (tx) => {
    const isGone = await deleteGroupRule(tx, group.id, rule.id)
    if (isGone) await recordGroupAct(tx, group, 'quotaGroup.ruleRemoved', { rule: rule.name })
    return isGone
  })
  if (!isRemoved) {
    throw new NotFound('the rule is not in the quota group', 'quota_rule_not_in_group')
  }
}

/** Returns the accounts and organizations of a group, ordered by name. */
export const usersOfGroup = ({ db }: Services, group: QuotaGroupRow): Promise<UserRow[]> =>
  listUsersOfGroup(db, group.id)

/** Adds an account to a group. Throws `Conflict` when the account is in the group. */
export const addUserToGroup = ({ db }: Services, group: QuotaGroupRow, user: UserRow): Promise<void> =>
  join(
    () =>
      transaction(db, async (tx) => {
        await insertGroupUser(tx, group.id, user.id)
        await recordGroupAct(tx, group, 'quotaGroup.accountAdded', { account: user.name })
      }),
    'the account is in the quota group already',
  )

/** Removes an account from a group. Throws `NotFound` when the account is not in the group. */
export async function removeUserFromGroup({ db }: Services, group: QuotaGroupRow, user: UserRow): Promise<void> {
  const isRemoved = await transaction(db, async (tx) => {
    const isGone = await deleteGroupUser(tx, group.id, user.id)
    if (isGone) await recordGroupAct(tx, group, 'quotaGroup.accountRemoved', { account: user.name })
    return isGone
  })
  if (!isRemoved) {
    throw new NotFound('the account is not in the quota group', 'user_not_in_quota_group')
  }
}

/** Replaces the groups of an account. Throws `Invalid` for an unknown group; then nothing changes. */
export async function setGroupsOfUser({ db }: Services, user: UserRow, names: readonly string[]): Promise<void> {
  try {
    await transaction(db, async (tx) => {
      const groups = await listGroupsNamed(tx, names)
      const unknown = names.find((name) => groups.every((group) => group.name !== name))
      if (unknown !== undefined) {
        throw new Invalid(`[groups]: the quota group ${unknown} does not exist`, 'quota_group_unknown', {
          field: 'groups',
        })
      }
      await replaceGroupsOfUser(tx, user.id, pluck(groups, 'id'))
      const about = { kind: 'account', id: user.id } as const
      await recordAct(tx, { action: 'quotaGroups.set', about, details: { groups: names } })
    })
  } catch (error) {
    if (isForeignKeyViolation(error)) throw noGroup()
    throw error
  }
}
