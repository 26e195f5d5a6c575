import { Type } from 'typebox'
import { anyone, siteAdmin, signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok } from '../http/reply.ts'
import { presentRule } from './quota.present.ts'
import { namedRule, quotaOn } from './quota.requirements.ts'
import { CreateQuotaRuleOptions, EditQuotaRuleOptions, QuotaRuleInfo } from './quota.schemas.ts'
import { subjectsFrom } from './subject.rules.ts'
import { allRules, createRule, editRule, removeRule } from './rule.service.ts'

export const adminListQuotaRules = operation({
  method: 'GET',
  path: '/admin/quota/rules',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin],
  reply: { 200: Type.Array(QuotaRuleInfo) },
  summary: 'List the quota rules',
  async run({ ctx }) {
    return ok((await allRules(ctx)).map(presentRule))
  },
})

export const adminCreateQuotaRule = operation({
  method: 'POST',
  path: '/admin/quota/rules',
  cost: 'usual',
  scope: 'admin',
  refuses: [409],
  requires: [anyone, quotaOn, signedIn, siteAdmin, validBody],
  body: CreateQuotaRuleOptions,
  reply: { 201: QuotaRuleInfo },
  summary: 'Create a quota rule',
  async run({ ctx, body }) {
    return created(presentRule(await createRule(ctx, { ...body, subjects: subjectsFrom(body.subjects) ?? [] })))
  },
})

export const adminGetQuotaRule = operation({
  method: 'GET',
  path: '/admin/quota/rules/{quotarule}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedRule],
  reply: { 200: QuotaRuleInfo },
  summary: 'Get a quota rule',
  async run({ ctx }) {
    return ok(presentRule(ctx.rule))
  },
})

export const adminEditQuotaRule = operation({
  method: 'PATCH',
  path: '/admin/quota/rules/{quotarule}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedRule, validBody],
  body: EditQuotaRuleOptions,
  reply: { 200: QuotaRuleInfo },
  summary: 'Edit a quota rule',
  async run({ ctx, body }) {
    const change = { limit: body.limit ?? undefined, subjects: subjectsFrom(body.subjects) }
    return ok(presentRule(await editRule(ctx, ctx.rule, change)))
  },
})

// The contract spells the operation id this way.
export const adminDEleteQuotaRule = operation({
  method: 'DELETE',
  path: '/admin/quota/rules/{quotarule}',
  cost: 'usual',
  scope: 'admin',
  requires: [anyone, quotaOn, signedIn, siteAdmin, namedRule],
  reply: { 204: 'empty' },
  summary: 'Delete a quota rule',
  run: ({ ctx }) => removeRule(ctx, ctx.rule),
})
