import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import { enqueue, enqueueAll, planned } from '../../jobs/queue.ts'
import { job, type JobRun } from '../../jobs/job.ts'
import { Invalid } from '../../lib/errors.ts'
import type { PackageRuleId, UserId } from '../../lib/ids.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { nowUnix } from '../../lib/time.ts'
import { findUserById } from '../../users/user.store.ts'
import { findRule, listEnabledRules, updateRule } from './cleanup-rule.store.ts'
import { applyCleanup } from './cleanup.service.ts'

/** Number of rules whose jobs are added in one transaction. */
const batch = 200

/**
 * Removes a batch of the versions that a rule selects, and leaves the rest to another job. Each job loads the rule
 * again, because
 * it may be changed, disabled or deleted meanwhile.
 */
export const applyCleanupRule = job({
  name: 'applyCleanupRule',
  input: Type.Object({
    ruleId: Type.Integer(),
    ownerId: Type.Integer(),
    /** The user who started the rule; 0 for the schedule. */
    doerId: Type.Integer(),
    /** The package to continue with; empty for the first one. */
    from: Type.String(),
    isByHand: Type.Boolean(),
  }),
  priority: 'low',
  merge: ({ ruleId, isByHand }) => `rule ${ruleId}${isByHand ? ' by hand' : ''}`,
  lane: ({ ownerId }) => `clean-up of packages ${ownerId}`,
  whenFailing: 'pass',
  async run(ctx: Ctx, input, { signal }: JobRun) {
    const rule = await findRule(ctx.db, input.ruleId as PackageRuleId)
    if (!rule || !(rule.is_enabled || input.isByHand)) return
    const doerId = input.doerId === 0 ? rule.doer_id : (input.doerId as UserId)
    let problem = ''
    const { removed, next } = await applyCleanup(ctx, rule, doerId, input.from, signal).catch((error: unknown) => {
      if (!(error instanceof Invalid)) throw error
      // The error is stored with the rule, where the owner reads it; a retry would fail alike.
      problem = error.message
      return { removed: 0, next: undefined }
    })
    const owner = await findUserById(ctx.db, rule.owner_id)
    await transaction(ctx.db, async (tx) => {
      const before = input.from === '' ? 0 : rule.removed_count
      await updateRule(tx, rule.id, { ran_unix: nowUnix(ctx.clock), removed_count: before + removed, problem })
      if (removed > 0) {
        await recordAct(tx, {
          action: 'packages.cleanedUp',
          doerId,
          about: { kind: owner?.kind === 'organization' ? 'organization' : 'account', id: rule.owner_id },
          details: { type: rule.type, rule: rule.id, removed },
        })
      }
      if (next !== undefined) await enqueue(tx, applyCleanupRule, { ...input, from: next })
    })
  },
})

/** Starts a job for each enabled rule. */
export async function applyAllRules({ db }: Pick<Ctx, 'db'>, { signal }: Pick<JobRun, 'signal'>): Promise<void> {
  for await (const rules of inBatches((after?: PackageRuleId) => listEnabledRules(db, after, batch))) {
    signal.throwIfAborted()
    await transaction(db, (tx) =>
      enqueueAll(
        tx,
        rules.map(({ id, owner_id: ownerId }) =>
          planned(applyCleanupRule, { ruleId: id, ownerId, doerId: 0, from: '', isByHand: false }),
        ),
      ),
    )
  }
}
