import type { Db, Tx } from '../db/database.ts'
import type { NewQuotaRuleRow, QuotaRuleChange, QuotaRuleRow } from '../db/tables/quota.ts'
import type { QuotaRuleId } from '../lib/ids.ts'

/** Returns all rules in order of creation. */
export const listRules = (db: Db): Promise<QuotaRuleRow[]> =>
  db.selectFrom('quota_rule').selectAll().orderBy('id').execute()

export const findRule = (db: Db, name: string): Promise<QuotaRuleRow | undefined> =>
  db.selectFrom('quota_rule').selectAll().where('name', '=', name).executeTakeFirst()

export const listRulesNamed = (tx: Tx, names: readonly string[]): Promise<QuotaRuleRow[]> =>
  names.length === 0
    ? Promise.resolve([])
    : tx.selectFrom('quota_rule').selectAll().where('name', 'in', names).execute()

export const insertRules = (tx: Tx, values: readonly NewQuotaRuleRow[]): Promise<QuotaRuleRow[]> =>
  values.length === 0
    ? Promise.resolve([])
    : tx
        .insertInto('quota_rule')
        .values([...values])
        .returningAll()
        .execute()

/** Changes a rule and returns it. Undefined: the rule does not exist. */
export const updateRule = (tx: Tx, id: QuotaRuleId, change: QuotaRuleChange): Promise<QuotaRuleRow | undefined> =>
  tx.updateTable('quota_rule').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Deletes a rule and removes it from its groups. */
export const deleteRule = (tx: Tx, id: QuotaRuleId) => tx.deleteFrom('quota_rule').where('id', '=', id).execute()
