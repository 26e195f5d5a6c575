import { Type, type Static, type TObject } from 'typebox'
import { pathNumber } from '../../http/schema.ts'
import { registryTypes } from '../../packages/cleanup/cleanup-rule.rules.ts'
import {
  addRule,
  changeRule,
  getRule,
  getRules,
  removeRule,
  runRule,
  type RuleChange,
} from '../../packages/cleanup/cleanup-rule.service.ts'
import { packagesOn } from '../../packages/package.requirements.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { CleanupRulesView, CleanupRuleView } from './packages.view.tsx'
import { inSettings, settingsMeta, settingsPath, type PersonCtx } from './settings-frame.tsx'
import { texts as all } from './texts.tsx'

const texts = all.packages
const path = settingsPath('packages')
const text = Type.Optional(Type.String({ maxLength: 4096 }))
const number = Type.Optional(Type.Integer())
const params = { id: pathNumber }
const shown = { frame: inSettings('packages'), meta: () => settingsMeta('packages') } as const

const fields = {
  type: text,
  enabled: text,
  keep_count: number,
  keep_pattern: text,
  remove_days: number,
  remove_pattern: text,
  match_full_name: text,
}

/** The rules of the person's own packages. */
const ofOwn = (ctx: PersonCtx) => ({ ...ctx, subject: ctx.viewer.user })

const changeOf = (body: Static<TObject<typeof fields>>): RuleChange => ({
  isEnabled: body.enabled !== undefined,
  keepCount: body.keep_count,
  keepPattern: body.keep_pattern?.trim(),
  removeDays: body.remove_days,
  removePattern: body.remove_pattern?.trim(),
  matchesFullName: body.match_full_name !== undefined,
})

/** Shows the clean-up rules of the account's packages. */
export const cleanupRulesPage = page({
  ...shown,
  path: '/user/settings/packages',
  requires: [packagesOn, inSession],
  async load({ ctx }) {
    const rules = await getRules(ofOwn(ctx))
    return { rules, freeTypes: registryTypes.filter((type) => !rules.some((rule) => rule.type === type)) }
  },
  view: CleanupRulesView,
})

export const addCleanupRuleSubmit = act({
  path: '/user/settings/packages',
  requires: [packagesOn],
  fields,
  again: cleanupRulesPage,
  async run({ ctx, body }) {
    const rule = await addRule(ofOwn(ctx), body.type ?? '', changeOf(body))
    return { to: path, notice: texts.added(rule.type) }
  },
})

/** Shows the form of a rule. */
export const cleanupRulePage = page({
  ...shown,
  path: '/user/settings/packages/rules/{id}',
  params,
  requires: [packagesOn, inSession],
  load: async ({ ctx, params }) => ({ rule: await getRule(ofOwn(ctx), params.id) }),
  view: CleanupRuleView,
})

export const editCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}',
  params,
  requires: [packagesOn],
  fields,
  again: cleanupRulePage,
  async run({ ctx, params, body }) {
    await changeRule(ofOwn(ctx), params.id, changeOf(body))
    return { to: path, notice: all.saved }
  },
})

/** Runs a rule now. */
export const runCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}/run',
  params,
  requires: [packagesOn],
  async run({ ctx, params }) {
    await runRule(ofOwn(ctx), params.id)
    return { to: path, notice: texts.started }
  },
})

export const deleteCleanupRuleSubmit = act({
  path: '/user/settings/packages/rules/{id}/delete',
  params,
  requires: [packagesOn],
  async run({ ctx, params }) {
    await removeRule(ofOwn(ctx), params.id)
    return { to: path, notice: texts.removed }
  },
})
