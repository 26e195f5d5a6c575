import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { QuotaGroupId, QuotaRuleId, UserId } from '../../lib/ids.ts'

export interface QuotaRuleTable {
  id: Generated<QuotaRuleId>
  /** As entered; names are case-sensitive. */
  name: string
  /** -1: no limit. */
  limit_bytes: number
  /** JSON list of subjects in the given order. A subject that is listed twice counts twice. */
  subjects: string
}

export interface QuotaGroupTable {
  id: Generated<QuotaGroupId>
  name: string
}

export interface QuotaGroupRuleTable {
  group_id: QuotaGroupId
  rule_id: QuotaRuleId
}

/** The accounts and organizations that the group applies to. */
export interface QuotaGroupUserTable {
  user_id: UserId
  group_id: QuotaGroupId
}

export interface QuotaTables {
  quota_rule: QuotaRuleTable
  quota_group: QuotaGroupTable
  quota_group_rule: QuotaGroupRuleTable
  quota_group_user: QuotaGroupUserTable
}

export type QuotaRuleRow = Selectable<QuotaRuleTable>
export type NewQuotaRuleRow = Insertable<QuotaRuleTable>
export type QuotaRuleChange = Updateable<QuotaRuleTable>
export type QuotaGroupRow = Selectable<QuotaGroupTable>
