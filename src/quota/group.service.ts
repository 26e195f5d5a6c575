import type { Services } from '../access/context.ts'
import type { QuotaSubject } from '../access/quota/quota.rules.ts'
import { listGroups, listGroupsNamed, type NamedQuotaGroup } from '../access/quota/quota.store.ts'
import { recordAct } from '../audit/audit.ts'
import { isForeignKeyViolation, isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { QuotaGroupRow, QuotaRuleRow } from '../db/tables/quota.ts'
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

/** A rule of a new group: one that there is, or one that is made with it. */
export interface RuleOfNewGroup {
  readonly name: string
  /** Bytes, for a new rule; 0 when it is not said. */
  readonly limit?: number | undefined
  readonly subjects?: readonly QuotaSubject[] | undefined
}

const noGroup = () => new NotFound('there is no such quota group', 'quota_group_not_found')

const recordGroupAct = (
  tx: Tx,
  { id, name }: Pick<QuotaGroupRow, 'id' | 'name'>,
  action: string,
  details: Record<string, string | readonly string[]> = {},
): Promise<void> => recordAct(tx, { action, about: { kind: 'quota group', id, name }, details })

/** All groups with their rules, in order of making. */
export const allGroups = ({ db }: Services): Promise<NamedQuotaGroup[]> => listGroups(db)

/** Returns a group by its exact name, or throws `NotFound`. */
export async function getGroup({ db }: Pick<Services, 'db'>, name: string): Promise<QuotaGroupRow> {
  const group = await findGroup(db, name)
  if (!group) throw noGroup()
  return group
}

/** A group by its name with its rules; else `NotFound`. */
export async function getGroupWithRules({ db }: Services, name: string): Promise<NamedQuotaGroup> {
  const [group] = await listGroupsNamed(db, [name])
  if (!group) throw noGroup()
  return group
}

/**
 * Makes a group and those of its rules that there are not yet; rules of a known name are taken as they are. All of it or
 * nothing: a used name is `Conflict`, a rule named twice `Invalid`.
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
      await insertGroupRules(
        tx,
        group.id,
        [...known, ...made].map((row) => row.id),
      )
      await recordGroupAct(tx, group, 'quotaGroup.created', { rules: names })
      const [whole] = await listGroupsNamed(tx, [name])
      return whole as NamedQuotaGroup
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('there is a quota group of this name', 'quota_group_name_used')
    throw error
  }
}

/** Removes a group; who was in it is judged by what else there is. */
export async function removeGroup({ db }: Services, group: QuotaGroupRow): Promise<void> {
  await transaction(db, async (tx) => {
    await deleteGroup(tx, group.id)
    await recordGroupAct(tx, group, 'quotaGroup.deleted')
  })
}

/** Adds with `insert`; what is there already is `Conflict`, what has gone meanwhile `NotFound`. */
async function join(insert: () => Promise<unknown>, already: string): Promise<void> {
  try {
    await insert()
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict(already, 'quota_group_joined')
    if (isForeignKeyViolation(error)) throw noGroup()
    throw error
  }
}

/** `Conflict` when the group has the rule. */
export const addRuleToGroup = ({ db }: Services, group: QuotaGroupRow, rule: QuotaRuleRow): Promise<void> =>
  join(
    () =>
      transaction(db, async (tx) => {
        await insertGroupRules(tx, group.id, [rule.id])
        await recordGroupAct(tx, group, 'quotaGroup.ruleAdded', { rule: rule.name })
      }),
    'the rule is in the quota group already',
  )

/** `NotFound` when the group does not have the rule. */
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

/** The accounts and organizations of a group, by name. */
export const usersOfGroup = ({ db }: Services, group: QuotaGroupRow): Promise<UserRow[]> =>
  listUsersOfGroup(db, group.id)

/** `Conflict` when the account is in the group. */
export const addUserToGroup = ({ db }: Services, group: QuotaGroupRow, user: UserRow): Promise<void> =>
  join(
    () =>
      transaction(db, async (tx) => {
        await insertGroupUser(tx, group.id, user.id)
        await recordGroupAct(tx, group, 'quotaGroup.accountAdded', { account: user.name })
      }),
    'the account is in the quota group already',
  )

/** `NotFound` when the account is not in the group. */
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
        throw new Invalid(`[groups]: there is no quota group ${unknown}`, 'quota_group_unknown', { field: 'groups' })
      }
      await replaceGroupsOfUser(
        tx,
        user.id,
        groups.map((group) => group.id),
      )
      const about = { kind: 'account', id: user.id } as const
      await recordAct(tx, { action: 'quotaGroups.set', about, details: { groups: names } })
    })
  } catch (error) {
    if (isForeignKeyViolation(error)) throw noGroup()
    throw error
  }
}
