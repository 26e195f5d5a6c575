import type { AnyRequirement } from '../../../http/operation.ts'
import { pathNumber } from '../../../http/schema.ts'
import type { UserRow } from '../../../db/tables/accounts.ts'
import { addRule, changeRule, removeRule, runRule } from '../../../packages/cleanup/cleanup-rule.service.ts'
import { packagesOn } from '../../../packages/package.requirements.ts'
import { cleanupTexts as texts } from '../../languages/texts.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import type { PageMeta } from '../../shell/document.tsx'
import { act, page, type Frame } from '../../shell/page.tsx'
import { text } from '../../ui/fields.ts'
import type { HolderCtx } from '../holder-context.ts'
import { loadRule, loadRules } from './cleanup.ts'
import { CleanupRulesView, CleanupRuleView, ruleForm } from './cleanup.view.tsx'

/** Whose packages the rules clean up: an account or an organization. */
interface RuleHolder<Rs extends readonly AnyRequirement[]> {
  /** Address of the list. The other pages are below it. */
  readonly path: string
  /** Checked after `packagesOn` and the session. */
  readonly requires: Rs
  readonly ownerOf: (ctx: HolderCtx<Rs>) => UserRow
  /** Returns the path of the list. */
  readonly pathOf: (ctx: HolderCtx<Rs>) => string
  readonly frame: Frame<HolderCtx<Rs>>
  readonly meta: (ctx: HolderCtx<Rs>) => PageMeta
}

/** Declares the pages of the clean-up rules of a place, and what their forms do. */
export function cleanupPages<const Rs extends readonly AnyRequirement[]>(holder: RuleHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, requires, ownerOf, pathOf, frame, meta } = holder as unknown as RuleHolder<readonly AnyRequirement[]>
  const framed = {
    cost: 'usual',
    requires: [packagesOn, inSession, ...requires],
    frame,
    meta: (_data: object, { ctx }: { readonly ctx: HolderCtx }) => meta(ctx),
  } as const
  const done = { cost: 'usual', requires: [packagesOn, ...requires] } as const
  const one = { path: `${path}/rules/{id}`, params: { id: pathNumber } }
  const ofOwner = (ctx: HolderCtx) => ({ ...ctx, subject: ownerOf(ctx) })

  const listPage = page({
    ...framed,
    path,
    twin: 'listPackageCleanupRules',
    load: async ({ ctx }) => ({ ...(await loadRules(ofOwner(ctx))), path: pathOf(ctx) }),
    view: CleanupRulesView,
  })
  const add = act({
    ...done,
    path,
    twin: 'createPackageCleanupRule',
    fields: { type: text, ...ruleForm.act.fields },
    again: listPage,
    async run({ ctx, body }) {
      const rule = await addRule(ofOwner(ctx), body.type ?? '', ruleForm.read(body))
      return { to: pathOf(ctx), notice: texts.added(rule.type) }
    },
  })
  const rulePage = page({
    ...framed,
    ...one,
    twin: 'previewPackageCleanupRule',
    load: async ({ ctx, params }) => ({ ...(await loadRule(ofOwner(ctx), params.id)), path: pathOf(ctx) }),
    view: CleanupRuleView,
  })
  const edit = act({
    ...done,
    ...one,
    edits: true,
    twin: 'editPackageCleanupRule',
    ...ruleForm.act,
    again: rulePage,
    async run({ ctx, params, body }) {
      await changeRule(ofOwner(ctx), params.id, ruleForm.read(body))
      return { to: pathOf(ctx), notice: texts.saved }
    },
  })
  const runNow = act({
    ...done,
    ...one,
    path: `${one.path}/run`,
    twin: 'runPackageCleanupRule',
    async run({ ctx, params }) {
      await runRule(ofOwner(ctx), params.id)
      return { to: pathOf(ctx), notice: texts.started }
    },
  })
  const remove = act({
    ...done,
    ...one,
    path: `${one.path}/delete`,
    twin: 'deletePackageCleanupRule',
    async run({ ctx, params }) {
      await removeRule(ofOwner(ctx), params.id)
      return { to: pathOf(ctx), notice: texts.removed }
    },
  })
  return { listPage, add, rulePage, edit, runNow, remove }
}
