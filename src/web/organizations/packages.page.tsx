import { pathNumber } from '../../http/schema.ts'
import { addRule, changeRule, removeRule, runRule } from '../../packages/cleanup/cleanup-rule.service.ts'
import { packagesOn } from '../../packages/package.requirements.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { loadRule, loadRules, packagesOf, ruleChangeOf, ruleFields } from '../shared/cleanup/cleanup.ts'
import { cleanupTexts as texts } from '../languages/texts.ts'
import { CleanupRulesView, CleanupRuleView } from '../shared/cleanup/cleanup.view.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath, type OwnerCtx } from './settings-frame.tsx'

const rulesPath = (ctx: Pick<OwnerCtx, 'org'>) => orgSettingsPath(ctx, 'packages')
const params = { id: pathNumber }
const shown = {
  requires: [packagesOn, inSession, inOrg, orgOwner],
  frame: inOrgSettings('packages'),
  meta: (_data: object, { ctx }: { readonly ctx: Pick<OwnerCtx, 'org'> }) => orgSettingsMeta('packages', ctx),
} as const
const ofOwners = [packagesOn, inOrg, orgOwner] as const

const ofOrg = (ctx: OwnerCtx) => packagesOf(ctx, ctx.org)

/** Shows the clean-up rules of an organization's packages. */
export const orgCleanupRulesPage = page({
  ...shown,
  path: '/org/{org}/settings/packages',
  twin: 'listPackageCleanupRules',
  cost: 'usual',
  load: async ({ ctx }) => ({ ...(await loadRules(ofOrg(ctx))), path: rulesPath(ctx) }),
  view: CleanupRulesView,
})

export const addOrgCleanupRuleSubmit = act({
  path: '/org/{org}/settings/packages',
  twin: 'createPackageCleanupRule',
  cost: 'usual',
  requires: ofOwners,
  fields: ruleFields,
  again: orgCleanupRulesPage,
  async run({ ctx, body }) {
    const rule = await addRule(ofOrg(ctx), body.type ?? '', ruleChangeOf(body))
    return { to: rulesPath(ctx), notice: texts.added(rule.type) }
  },
})

/** Shows the form of a rule. */
export const orgCleanupRulePage = page({
  ...shown,
  path: '/org/{org}/settings/packages/rules/{id}',
  twin: 'previewPackageCleanupRule',
  cost: 'usual',
  params,
  load: async ({ ctx, params }) => ({ ...(await loadRule(ofOrg(ctx), params.id)), path: rulesPath(ctx) }),
  view: CleanupRuleView,
})

export const editOrgCleanupRuleSubmit = act({
  path: '/org/{org}/settings/packages/rules/{id}',
  edits: true,
  twin: 'editPackageCleanupRule',
  cost: 'usual',
  params,
  requires: ofOwners,
  fields: ruleFields,
  again: orgCleanupRulePage,
  async run({ ctx, params, body }) {
    await changeRule(ofOrg(ctx), params.id, ruleChangeOf(body))
    return { to: rulesPath(ctx), notice: texts.saved }
  },
})

/** Runs a rule now. */
export const runOrgCleanupRuleSubmit = act({
  path: '/org/{org}/settings/packages/rules/{id}/run',
  twin: 'runPackageCleanupRule',
  cost: 'usual',
  params,
  requires: ofOwners,
  async run({ ctx, params }) {
    await runRule(ofOrg(ctx), params.id)
    return { to: rulesPath(ctx), notice: texts.started }
  },
})

export const deleteOrgCleanupRuleSubmit = act({
  path: '/org/{org}/settings/packages/rules/{id}/delete',
  twin: 'deletePackageCleanupRule',
  cost: 'usual',
  params,
  requires: ofOwners,
  async run({ ctx, params }) {
    await removeRule(ofOrg(ctx), params.id)
    return { to: rulesPath(ctx), notice: texts.removed }
  },
})
