import { pathNumber } from '../../../http/schema.ts'
import { addRule, changeRule, removeRule, runRule } from '../../../packages/cleanup/cleanup-rule.service.ts'
import { packagesOn } from '../../../packages/package.requirements.ts'
import { loadRule, loadRules, packagesOf, ruleChangeOf, ruleFields } from '../../shared/cleanup/cleanup.ts'
import { cleanupTexts as texts } from '../../languages/texts.ts'
import { CleanupRulesView, CleanupRuleView } from '../../shared/cleanup/cleanup.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from '../settings-frame.tsx'

const path = settingsPath('packages')
const params = { id: pathNumber }
const shown = { frame: inSettings('packages'), meta: () => settingsMeta('packages') } as const

const ofOwn = (ctx: PersonCtx) => packagesOf(ctx, ctx.viewer.user)

/** Shows the clean-up rules of the account's packages. */
export const cleanupRulesPage = page({
  ...shown,
  path: '/user/settings/packages',
  twin: 'listPackageCleanupRules',
  cost: 'usual',
  requires: [packagesOn, inSession],
  load: async ({ ctx }) => ({ ...(await loadRules(ofOwn(ctx))), path }),
  view: CleanupRulesView,
})

export const addCleanupRuleSubmit = act({
  path: '/user/settings/packages',
  twin: 'createPackageCleanupRule',
  cost: 'usual',
  requires: [packagesOn],
  fields: ruleFields,
  again: cleanupRulesPage,
  async run({ ctx, body }) {
    const rule = await addRule(ofOwn(ctx), body.type ?? '', ruleChangeOf(body))
    return { to: path, notice: texts.added(rule.type) }
  },
})

/** Shows the form of a rule. */
export const cleanupRulePage = page({
  ...shown,
  path: '/user/settings/packages/rules/{id}',
  twin: 'previewPackageCleanupRule',
  cost: 'usual',
  params,
  requires: [packagesOn, inSession],
  load: async ({ ctx, params }) => ({ ...(await loadRule(ofOwn(ctx), params.id)), path }),
  view: CleanupRuleView,
})

export const editCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}',
  edits: true,
  twin: 'editPackageCleanupRule',
  cost: 'usual',
  params,
  requires: [packagesOn],
  fields: ruleFields,
  again: cleanupRulePage,
  async run({ ctx, params, body }) {
    await changeRule(ofOwn(ctx), params.id, ruleChangeOf(body))
    return { to: path, notice: texts.saved }
  },
})

/** Runs a rule now. */
export const runCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}/run',
  twin: 'runPackageCleanupRule',
  cost: 'usual',
  params,
  requires: [packagesOn],
  async run({ ctx, params }) {
    await runRule(ofOwn(ctx), params.id)
    return { to: path, notice: texts.started }
  },
})

export const deleteCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}/delete',
  twin: 'deletePackageCleanupRule',
  cost: 'usual',
  params,
  requires: [packagesOn],
  async run({ ctx, params }) {
    await removeRule(ofOwn(ctx), params.id)
    return { to: path, notice: texts.removed }
  },
})
