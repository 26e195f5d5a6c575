import type { Services } from '../access/context.ts'
import type { QuotaSubject } from '../access/quota/quota.rules.ts'
import { recordAct } from '../audit/audit.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { QuotaRuleRow } from '../db/tables/quota.ts'
import { Conflict, NotFound } from '../lib/errors.ts'
import { deleteRule, findRule, insertRules, listRules, updateRule } from './rule.store.ts'

/** A new rule. */
export interface NewRule {
  readonly name: string
  /** Bytes; -1 is no limit. */
  readonly limit: number
  readonly subjects: readonly QuotaSubject[]
}

const noRule = () => new NotFound('the quota rule does not exist', 'quota_rule_not_found')

/** Returns the subject and details of an audit log entry about a rule. */
const actOn = ({ id, name, limit_bytes: limit, subjects }: QuotaRuleRow) => ({
  about: { kind: 'quota rule' as const, id, name },
  details: { limit, subjects },
})

/** Returns the row of a new rule. */
export const ruleRow = ({ name, limit, subjects }: NewRule) => ({
  name,
  limit_bytes: limit,
  subjects: JSON.stringify(subjects),
})

/** Returns all rules in order of creation. */
export const allRules = ({ db }: Services): Promise<QuotaRuleRow[]> => listRules(db)

/** Returns a rule by its exact name, or throws `NotFound`. */
export async function getRule({ db }: Pick<Services, 'db'>, name: string): Promise<QuotaRuleRow> {
  const rule = await findRule(db, name)
  if (!rule) throw noRule()
  return rule
}

/**
 * Creates a rule.
 * @throws Conflict for a used name
 */
export async function createRule({ db }: Services, rule: NewRule): Promise<QuotaRuleRow> {
  try {
    return await transaction(db, async (tx) => {
      const [row] = await insertRules(tx, [ruleRow(rule)])
      await recordAct(tx, { ...actOn(row as QuotaRuleRow), action: 'quotaRule.created' })
      return row as QuotaRuleRow
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('there is a quota rule of this name', 'quota_rule_name_used')
    throw error
  }
}

/** Changes a rule. The next quota check uses it. */
export async function editRule(
  { db }: Services,
  rule: QuotaRuleRow,
  change: { readonly limit?: number | undefined; readonly subjects?: readonly QuotaSubject[] | undefined },
): Promise<QuotaRuleRow> {
  const columns = {
    ...(change.limit === undefined ? {} : { limit_bytes: change.limit }),
    ...(change.subjects === undefined ? {} : { subjects: JSON.stringify(change.subjects) }),
  }
  if (Object.keys(columns).length === 0) return rule
  const row = await transaction(db, async (tx) => {
    const changed = await updateRule(tx, rule.id, columns)
    if (changed) await recordAct(tx, { ...actOn(changed), action: 'quotaRule.changed' })
    return changed
  })
  if (!row) throw noRule()
  return row
}

/** Deletes a rule and removes it from its groups. */
export async function removeRule({ db }: Services, rule: QuotaRuleRow): Promise<void> {
  await transaction(db, async (tx) => {
    await deleteRule(tx, rule.id)
    await recordAct(tx, { ...actOn(rule), action: 'quotaRule.deleted' })
  })
}
