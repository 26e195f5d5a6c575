import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Tx } from '../../db/database.ts'
import { job, type Job, type JobRun } from '../../jobs/job.ts'
import { enqueueAll, planned, type PlannedJob } from '../../jobs/queue.ts'
import type { ServerId, UserId } from '../../lib/ids.ts'
import type { FederatedServerRow } from '../../db/tables/federation.ts'
import { listServers, updateServer } from '../peers/server.store.ts'
import { sendWaiting } from './deliver.service.ts'
import { insertDeliveries } from './delivery.store.ts'

const input = Type.Object({ serverId: Type.Unsafe<ServerId>(Type.Integer()) })
type Input = { readonly serverId: ServerId }

/** One job sends all waiting activities of a server; the lane keeps a second one from running in any process. */
const deliveryJob = {
  input,
  timeoutMs: 120_000,
  attempts: 1000,
  retryDelayMs: (attempt: number) => Math.min(1000 * 2 ** Math.min(attempt, 10), 600_000),
  merge: ({ serverId }: Input) => String(serverId),
  lane: ({ serverId }: Input) => `federated server ${serverId}`,
  async run(ctx: Ctx, { serverId }: Input, { signal }: JobRun): Promise<void> {
    const next = await sendWaiting(ctx, serverId, signal)
    if (next) await transaction(ctx.db, (tx) => enqueueAll(tx, [planDeliveries(serverId, next.isHealthy, next.atMs)]))
  },
} as const

export const deliverActivities: Job<Ctx, Input> = job({ ...deliveryJob, name: 'deliverActivities', pool: 'webhooks' })

/** Sends to a server whose last attempt failed. It has a pool of its own, because each attempt may take the whole timeout. */
export const retryActivities: Job<Ctx, Input> = job({ ...deliveryJob, name: 'retryActivities', pool: 'webhookRetries' })

const planDeliveries = (serverId: ServerId, isHealthy: boolean, runAtMs: number): PlannedJob =>
  planned(isHealthy ? deliverActivities : retryActivities, { serverId }, { runAtMs })

/** A request came from a server that was down: its waiting activities are sent now. */
export async function noteContact({ db, clock }: Ctx, server: FederatedServerRow): Promise<void> {
  if (server.failures === 0) return
  await transaction(db, async (tx) => {
    await updateServer(tx, server.id, { failures: 0, retry_at_ms: 0, problem: '' })
    // It merges with the job that waits for the retry.
    await enqueueAll(tx, [planDeliveries(server.id, false, clock.nowMs())])
  })
}

/** An activity and its receiver. */
export interface OutgoingActivity {
  readonly serverId: ServerId
  readonly inboxUrl: string
  /** The local actor that signs the request. */
  readonly sender: UserId | 'instance'
  readonly activity: object
}

/** Sends activities after the commit, each at least once, and those for one server in this order. */
export async function sendActivities(tx: Tx, activities: readonly OutgoingActivity[]): Promise<void> {
  if (activities.length === 0) return
  const nowMs = clockOf(tx).nowMs()
  await insertDeliveries(
    tx,
    activities.map(({ serverId, inboxUrl, sender, activity }) => ({
      server_id: serverId,
      inbox_url: inboxUrl,
      sender_id: sender === 'instance' ? null : sender,
      body: JSON.stringify(activity),
      created_ms: nowMs,
    })),
  )
  const servers = await listServers(tx, [...new Set(activities.map(({ serverId }) => serverId))])
  await enqueueAll(
    tx,
    servers.map((server) => planDeliveries(server.id, server.failures === 0, Math.max(nowMs, server.retry_at_ms))),
  )
}
