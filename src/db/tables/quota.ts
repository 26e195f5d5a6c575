import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { QuotaGroupId, QuotaRuleId, UserId } from '../../lib/ids.ts'

export interface QuotaRuleTable {
  id: Generated<QuotaRuleId>
  /** As it was written: names compare with case. */
  name: string
  /** -1: no limit. */
  limit_bytes: number
  /** JSON: a list of subjects in the order in which they were given; one may stand there twice, and counts twice. */
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

/** Accounts and organizations that are judged by the group. */
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
