import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Tx } from '../../db/database.ts'
import { job, type Job, type JobRun } from '../../jobs/job.ts'
import { enqueueAll, planned, type PlannedJob } from '../../jobs/queue.ts'
import type { ServerId, UserId } from '../../lib/ids.ts'
import type { FederatedServerRow } from '../../db/tables/federation.ts'
import { updateServer } from '../peers/server.store.ts'
import { sendWaiting } from './deliver.service.ts'
import { insertDeliveries } from './delivery.store.ts'

const input = Type.Object({ serverId: Type.Unsafe<ServerId>(Type.Integer()) })
type Input = { readonly serverId: ServerId }

/** One sends what waits for one server, and one at a time in all processes: of many activities one waits. */
const sending = {
  input,
  timeoutMs: 120_000,
  attempts: 1000,
  retryDelayMs: (attempt: number) => Math.min(1000 * 2 ** Math.min(attempt, 10), 600_000),
  merge: ({ serverId }: Input) => String(serverId),
  lane: ({ serverId }: Input) => `federated server ${serverId}`,
  async run(ctx: Ctx, { serverId }: Input, { signal }: JobRun): Promise<void> {
    const next = await sendWaiting(ctx, serverId, signal)
    if (next) await transaction(ctx.db, (tx) => enqueueAll(tx, [planSending(serverId, next.isWell, next.atMs)]))
  },
} as const

export const deliverActivities: Job<Ctx, Input> = job({ ...sending, name: 'deliverActivities', pool: 'webhooks' })

/** The same for a server that failed the last time, in a pool of its own: it may take all the time that it is given. */
export const retryActivities: Job<Ctx, Input> = job({ ...sending, name: 'retryActivities', pool: 'webhookRetries' })

const planSending = (serverId: ServerId, isWell: boolean, runAtMs: number): PlannedJob =>
  planned(isWell ? deliverActivities : retryActivities, { serverId }, { runAtMs })

/** A server that was away is heard of: what waits for it is sent now. */
export async function noteHeard({ db, clock }: Ctx, server: FederatedServerRow): Promise<void> {
  if (server.failures === 0) return
  await transaction(db, async (tx) => {
    await updateServer(tx, server.id, { failures: 0, retry_at_ms: 0, problem: '' })
    // It merges with the one that waits for the server to be well.
    await enqueueAll(tx, [planSending(server.id, false, clock.nowMs())])
  })
}

/** An activity, and where it goes. */
export interface Outgoing {
  readonly server: { readonly id: ServerId; readonly failures: number; readonly retryAtMs: number }
  readonly inboxUrl: string
  /** Who signs. */
  readonly sender: UserId | 'instance'
  readonly activity: object
}

/** Has activities sent once the transaction commits: at least once each, those for one server in this order. */
export async function sendActivities(tx: Tx, activities: readonly Outgoing[]): Promise<void> {
  if (activities.length === 0) return
  const nowMs = clockOf(tx).nowMs()
  await insertDeliveries(
    tx,
    activities.map(({ server, inboxUrl, sender, activity }) => ({
      server_id: server.id,
      inbox_url: inboxUrl,
      sender_id: sender === 'instance' ? null : sender,
      body: JSON.stringify(activity),
      created_ms: nowMs,
    })),
  )
  const servers = new Map(activities.map(({ server }) => [server.id, server]))
  await enqueueAll(
    tx,
    [...servers.values()].map(({ id, failures, retryAtMs }) =>
      planSending(id, failures === 0, Math.max(nowMs, retryAtMs)),
    ),
  )
}
