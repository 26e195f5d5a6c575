import type { SubjectCtx } from '../../../access/context.ts'
import { registryTypes } from '../../../packages/cleanup/cleanup-rule.rules.ts'
import { getRule, getRules } from '../../../packages/cleanup/cleanup-rule.service.ts'
import { previewCleanup } from '../../../packages/cleanup/cleanup.service.ts'

/** Versions that the preview of a rule shows. */
const previewed = 20

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
