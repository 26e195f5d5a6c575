import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { PackageCleanupRuleRow } from '../../db/tables/packages.ts'
import { enqueue } from '../../jobs/queue.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import type { PackageRuleId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { applyCleanupRule } from './apply-cleanup-rule.job.ts'
import { checkSettings, ruleTypeOf, emptySettings, type RuleSettings } from './cleanup-rule.rules.ts'
import { deleteRule, findRule, insertRule, listRules, updateRule } from './cleanup-rule.store.ts'
import { settingsOf } from './cleanup.service.ts'

type RuleCtx = SubjectCtx & SignedInCtx

/** Settings of a request; a missing setting keeps its value. */
export type RuleChange = { readonly [Key in keyof RuleSettings]: RuleSettings[Key] | undefined }

const noRule = () => new NotFound('the rule does not exist', 'cleanup_rule_not_found')

const merged = (known: RuleSettings, change: RuleChange): RuleSettings => ({
  isEnabled: change.isEnabled ?? known.isEnabled,
  keepCount: change.keepCount ?? known.keepCount,
  keepPattern: change.keepPattern ?? known.keepPattern,
  removeDays: change.removeDays ?? known.removeDays,
  removePattern: change.removePattern ?? known.removePattern,
  matchesFullName: change.matchesFullName ?? known.matchesFullName,
})

const columnsOf = (settings: RuleSettings) => ({
  is_enabled: settings.isEnabled,
  keep_count: settings.keepCount,
  keep_pattern: settings.keepPattern,
  remove_days: settings.removeDays,
  remove_pattern: settings.removePattern,
  matches_full_name: settings.matchesFullName,
})

const note = (tx: Tx, ctx: RuleCtx, what: 'created' | 'changed' | 'deleted', rule: PackageCleanupRuleRow) =>
  recordAct(tx, {
    action: `packageCleanupRule.${what}`,
    doerId: ctx.viewer.id,
    about: aboutOwner(ctx.subject),
    details: {
      type: rule.type,
      enabled: rule.is_enabled,
      keepCount: rule.keep_count,
      keepPattern: rule.keep_pattern,
      removeDays: rule.remove_days,
      removePattern: rule.remove_pattern,
      matchFullName: rule.matches_full_name,
    },
  })

const aboutOwner = ({ id, kind }: UserRow) =>
  ({ kind: kind === 'organization' ? 'organization' : 'account', id }) as const

/** Lists the rules of an owner. */
export const getRules = ({ db, subject }: SubjectCtx): Promise<PackageCleanupRuleRow[]> => listRules(db, subject.id)

/** Returns a rule of the owner, or throws `NotFound`. */
export async function getRule({ db, subject }: SubjectCtx, id: number): Promise<PackageCleanupRuleRow> {
  const rule = await findRule(db, id as PackageRuleId)
  if (rule?.owner_id !== subject.id) throw noRule()
  return rule
}

/** Creates the rule of a registry. Throws `Invalid`, and `Conflict` when the registry has a rule. */
export async function addRule(ctx: RuleCtx, type: string, change: RuleChange): Promise<PackageCleanupRuleRow> {
  const settings = merged(emptySettings, change)
  checkSettings(settings, ctx.budget)
  const now = nowUnix(ctx.clock)
  return transaction(ctx.db, async (tx) => {
    const rule = await insertRule(tx, {
      owner_id: ctx.subject.id,
      type: ruleTypeOf(type),
      ...columnsOf(settings),
      doer_id: ctx.viewer.id,
      created_unix: now,
      updated_unix: now,
      ran_unix: null,
    })
    if (!rule) throw new Conflict('the registry has a rule', 'cleanup_rule_exists')
    await note(tx, ctx, 'created', rule)
    return rule
  })
}

/** Changes a rule. Throws `Invalid`. */
export async function changeRule(ctx: RuleCtx, id: number, change: RuleChange): Promise<PackageCleanupRuleRow> {
  const known = await getRule(ctx, id)
  const settings = merged(settingsOf(known), change)
  checkSettings(settings, ctx.budget)
  return transaction(ctx.db, async (tx) => {
    const values = { ...columnsOf(settings), doer_id: ctx.viewer.id, updated_unix: nowUnix(ctx.clock), problem: '' }
    const rule = await updateRule(tx, known.id, values)
    if (!rule) throw noRule()
    await note(tx, ctx, 'changed', rule)
    return rule
  })
}

/** Deletes a rule; a running job may still finish its batch. */
export async function removeRule(ctx: RuleCtx, id: number): Promise<void> {
  const rule = await getRule(ctx, id)
  await transaction(ctx.db, async (tx) => {
    if (!(await deleteRule(tx, rule.id))) throw noRule()
    await note(tx, ctx, 'deleted', rule)
  })
}

/** Starts a rule now, even a disabled one. */
export async function runRule(ctx: RuleCtx, id: number): Promise<void> {
  const rule = await getRule(ctx, id)
  const input = { ruleId: rule.id, ownerId: rule.owner_id, doerId: ctx.viewer.id, from: '', isByHand: true }
  await transaction(ctx.db, (tx) => enqueue(tx, applyCleanupRule, input))
}
