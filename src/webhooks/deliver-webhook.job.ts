import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { job, type Job, type JobRun } from '../jobs/job.ts'
import { enqueueAll, planned, type PlannedJob } from '../jobs/queue.ts'
import type { HookId } from '../lib/ids.ts'
import { sendWaiting } from './send.service.ts'

const input = Type.Object({ hookId: Type.Unsafe<HookId>(Type.Integer()) })
type Input = { readonly hookId: HookId }

/**
 * One sends what waits for one webhook, and one at a time in all processes: of many events one waits. So an event costs rows for its
 * deliveries, and none for the work.
 */
const sending = {
  input,
  timeoutMs: 120_000,
  attempts: 1000,
  retryDelayMs: (attempt: number) => Math.min(1000 * 2 ** Math.min(attempt, 10), 600_000),
  merge: ({ hookId }: Input) => String(hookId),
  lane: ({ hookId }: Input) => `webhook ${hookId}`,
  async run(ctx: Ctx, { hookId }: Input, { signal }: JobRun): Promise<void> {
    const next = await sendWaiting(ctx, hookId, signal)
    if (next) await transaction(ctx.db, (tx) => enqueueAll(tx, [planSending(hookId, next.isWell, next.atMs)]))
  },
} as const

export const deliverWebhook: Job<Ctx, Input> = job({ ...sending, name: 'deliverWebhook', pool: 'webhooks' })

/** The same for a receiver that failed the last time, in a pool of its own: it may take all the time that it is given. */
export const retryWebhook: Job<Ctx, Input> = job({ ...sending, name: 'retryWebhook', pool: 'webhookRetries' })

/** The work on a webhook, at a time. */
export const planSending = (hookId: HookId, isWell: boolean, runAtMs: number): PlannedJob =>
  planned(isWell ? deliverWebhook : retryWebhook, { hookId }, { runAtMs })
