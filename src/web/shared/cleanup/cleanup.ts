import { type Static, type TObject } from 'typebox'
import type { Ctx, SubjectCtx } from '../../../access/context.ts'
import { registryTypes } from '../../../packages/cleanup/cleanup-rule.rules.ts'
import { getRule, getRules, type RuleChange } from '../../../packages/cleanup/cleanup-rule.service.ts'
import { previewCleanup } from '../../../packages/cleanup/cleanup.service.ts'
import type { UserRow } from '../../../db/tables/accounts.ts'
import { integer, textUpTo } from '../../ui/fields.ts'

/**
 * What the pages of clean-up rules do, for the settings of accounts and organizations. Each place declares its own
 * addresses and requirements, and shows the views of `cleanup.view.tsx`.
 */

const text = textUpTo(4096)
const number = integer

/** Versions that the preview of a rule shows. */
const previewed = 20

/** The fields of the form of a rule, for `act`. */
export const ruleFields = {
  type: text,
  enabled: text,
  keep_count: number,
  keep_pattern: text,
  remove_days: number,
  remove_pattern: text,
  match_full_name: text,
}

/** Returns the context of the packages of an account or organization. */
export const packagesOf = <Context extends Ctx>(ctx: Context, subject: UserRow): Context & SubjectCtx => ({
  ...ctx,
  subject,
})

/** Returns what a form says of a rule. */
export const ruleChangeOf = (body: Static<TObject<typeof ruleFields>>): RuleChange => ({
  isEnabled: body.enabled !== undefined,
  keepCount: body.keep_count,
  keepPattern: body.keep_pattern?.trim(),
  removeDays: body.remove_days,
  removePattern: body.remove_pattern?.trim(),
  matchesFullName: body.match_full_name !== undefined,
})

/** Returns the rules of an owner, for `CleanupRulesView`. */
export async function loadRules(ctx: SubjectCtx) {
  const rules = await getRules(ctx)
  return { rules, freeTypes: registryTypes.filter((type) => !rules.some((rule) => rule.type === type)) }
}

/** Returns a rule and what it would remove, for `CleanupRuleView`. */
export async function loadRule(ctx: SubjectCtx, id: number) {
  const rule = await getRule(ctx, id)
  const { versions, next } = await previewCleanup(ctx, rule, { after: undefined, limit: previewed })
  return { rule, owner: ctx.subject, versions, hasMore: next !== undefined }
}
