import type { Db, Tx } from '../../db/database.ts'
import type { QuotaGroupId, UserId } from '../../lib/ids.ts'
import type { QuotaGroup, QuotaRule, QuotaSubject } from './quota.rules.ts'

/** A rule and a group with their names. */
export interface NamedQuotaRule extends QuotaRule {
  readonly name: string
}
export interface NamedQuotaGroup extends QuotaGroup {
  readonly id: QuotaGroupId
  readonly name: string
  readonly rules: readonly NamedQuotaRule[]
}

interface GroupLine {
  readonly id: QuotaGroupId
  readonly name: string
  readonly rule: string | null
  readonly limit_bytes: number | null
  readonly subjects: string | null
}

/** One line for each rule of a group, and one for a group without rules. */
const groupLines = (db: Db | Tx) =>
  db
    .selectFrom('quota_group')
    .leftJoin('quota_group_rule', 'quota_group_rule.group_id', 'quota_group.id')
    .leftJoin('quota_rule', 'quota_rule.id', 'quota_group_rule.rule_id')
    .select([
      'quota_group.id',
      'quota_group.name',
      'quota_rule.name as rule',
      'quota_rule.limit_bytes',
      'quota_rule.subjects',
    ])
    .orderBy('quota_group.id')
    .orderBy('quota_rule.id')

function gather(lines: readonly GroupLine[]): NamedQuotaGroup[] {
  return [...Map.groupBy(lines, (line) => line.id).values()].map((ofGroup) => ({
    id: ofGroup[0]!.id,
    name: ofGroup[0]!.name,
    rules: ofGroup.flatMap(({ rule, limit_bytes, subjects }) =>
      rule === null || limit_bytes === null || subjects === null
        ? []
        : [{ name: rule, limit: limit_bytes, subjects: JSON.parse(subjects) as QuotaSubject[] }],
    ),
  }))
}

/** Returns the groups of an account with their rules by creation, in one query. */
export const listGroupsOfUser = async (db: Db | Tx, userId: UserId): Promise<NamedQuotaGroup[]> =>
  gather(
    await groupLines(db)
      .where('quota_group.id', 'in', (from) =>
        from.selectFrom('quota_group_user').select('quota_group_user.group_id').where('user_id', '=', userId),
      )
      .execute(),
  )

/** Returns groups by name with their rules. Unknown names are left out. */
export const listGroupsNamed = async (db: Db | Tx, names: readonly string[]): Promise<NamedQuotaGroup[]> =>
  names.length === 0 ? [] : gather(await groupLines(db).where('quota_group.name', 'in', names).execute())

/** Returns all groups with their rules by creation. */
export const listGroups = async (db: Db | Tx): Promise<NamedQuotaGroup[]> => gather(await groupLines(db).execute())
