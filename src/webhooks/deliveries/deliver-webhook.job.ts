import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { job, type Job, type JobRun } from '../../jobs/job.ts'
import { enqueueAll, planned, type PlannedJob } from '../../jobs/queue.ts'
import type { HookId } from '../../lib/ids.ts'
import { sendWaiting } from './send.service.ts'

const input = Type.Object({ hookId: Type.Unsafe<HookId>(Type.Integer()) })
type Input = { readonly hookId: HookId }

/** One job sends all waiting deliveries of a webhook; the lane keeps a second one from running in any process. */
const deliveryJob = {
  input,
  timeoutMs: 120_000,
  attempts: 1000,
  retryDelayMs: (attempt: number) => Math.min(1000 * 2 ** Math.min(attempt, 10), 600_000),
  merge: ({ hookId }: Input) => String(hookId),
  lane: ({ hookId }: Input) => `webhook ${hookId}`,
  async run(ctx: Ctx, { hookId }: Input, { signal }: JobRun): Promise<void> {
    const next = await sendWaiting(ctx, hookId, signal)
    if (next) await transaction(ctx.db, (tx) => enqueueAll(tx, [planDeliveries(hookId, next.isHealthy, next.atMs)]))
  },
} as const

export const deliverWebhook: Job<Ctx, Input> = job({ ...deliveryJob, name: 'deliverWebhook', pool: 'webhooks' })

/** Sends to a receiver whose last attempt failed. It has a pool of its own, because each attempt may take the whole timeout. */
export const retryWebhook: Job<Ctx, Input> = job({ ...deliveryJob, name: 'retryWebhook', pool: 'webhookRetries' })

/** Returns the job that sends what waits for a webhook. */
export const planDeliveries = (hookId: HookId, isHealthy: boolean, runAtMs: number): PlannedJob =>
  planned(isHealthy ? deliverWebhook : retryWebhook, { hookId }, { runAtMs })
