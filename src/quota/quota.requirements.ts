import type { Ctx } from '../access/context.ts'
import { switchedOn } from '../access/requirements.ts'
import type { QuotaGroupRow, QuotaRuleRow } from '../db/tables/quota.ts'
import type { Requirement } from '../http/operation.ts'
import { pathText } from '../http/schema.ts'
import { getGroup } from './group.service.ts'
import { getRule } from './rule.service.ts'

/** Requires `[quota].ENABLED`. Without it the operations answer 404. */
export const quotaOn = switchedOn('quotaEnabled', (config) => config.quota.enabled)

const ruleParams = { quotarule: pathText }
const groupParams = { quotagroup: pathText }

/** Resolves the rule that the path names. Letter case matters. */
export const namedRule: Requirement<Ctx, { readonly rule: QuotaRuleRow }, typeof ruleParams> = {
  codes: ['resolve:quotaRule'],
  refuses: [404],
  params: ruleParams,
  check: async (ctx, call) => ({ rule: await getRule(ctx, call.params.quotarule) }),
}

/** Resolves the group that the path names. Letter case matters. */
export const namedGroup: Requirement<Ctx, { readonly group: QuotaGroupRow }, typeof groupParams> = {
  codes: ['resolve:quotaGroup'],
  refuses: [404],
  params: groupParams,
  check: async (ctx, call) => ({ group: await getGroup(ctx, call.params.quotagroup) }),
}
