import type { Insertable, Selectable, Updateable } from 'kysely'
import type { QuotaGroupId, QuotaRuleId, UserId } from '../../lib/ids.ts'
import { bigint, id, ref, table, text, unique, type TablesOf } from '../table.ts'

export const quotaTables = {
  quota_rule: table({
    id: id<QuotaRuleId>(),
    /** As entered; names are case-sensitive. */
    name: unique(text()),
    /** -1: no limit. */
    limit_bytes: bigint(),
    /** JSON list of subjects in the given order. A subject that is listed twice counts twice. */
    subjects: text(),
  }),

  quota_group: table({
    id: id<QuotaGroupId>(),
    name: unique(text()),
  }),

  quota_group_rule: table(
    {
      group_id: ref<QuotaGroupId>('quota_group', 'cascade'),
      rule_id: ref<QuotaRuleId>('quota_rule', 'cascade'),
    },
    { primaryKey: ['group_id', 'rule_id'], indexes: { quota_group_rule_rule: '(rule_id)' } },
  ),

  /** The accounts and organizations that the group applies to. */
  quota_group_user: table(
    {
      user_id: ref<UserId>('user', 'cascade'),
      group_id: ref<QuotaGroupId>('quota_group', 'cascade'),
    },
    { primaryKey: ['user_id', 'group_id'], indexes: { quota_group_user_group: '(group_id, user_id)' } },
  ),
}

export type QuotaTables = TablesOf<typeof quotaTables>
export type QuotaRuleRow = Selectable<QuotaTables['quota_rule']>
export type NewQuotaRuleRow = Insertable<QuotaTables['quota_rule']>
export type QuotaRuleChange = Updateable<QuotaTables['quota_rule']>
export type QuotaGroupRow = Selectable<QuotaTables['quota_group']>
