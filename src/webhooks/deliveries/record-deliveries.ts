import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { WebhookRow } from '../../db/tables/webhooks.ts'
import { getEvent, type RecordedEvent } from '../../events/cursor.ts'
import { job, type Job } from '../../jobs/job.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import type { EventId, HookId, RepoId, UserId } from '../../lib/ids.ts'
import { payloadsOf } from '../../payloads/all-payloads.ts'
import type { EventPayload } from '../../payloads/event-payload.ts'
import { PayloadPresenter, type PayloadCtx } from '../../payloads/payload.present.ts'
import { loadRepos } from '../../repos/repo.store.ts'
import { WorkBudget } from '../../lib/work-budget.ts'
import { compileBranchFilter } from '../hook.rules.ts'
import { deletedRepositoriesIn } from './deleted-repositories.ts'
import { planDeliveries } from './deliver-webhook.job.ts'
import {
  insertDeliveries,
  insertPayloads,
  listFullHooks,
  listHooksFor,
  lockHooks,
  type NewDelivery,
  type NewPayload,
} from './delivery.store.ts'

/** A payload of an event and the webhooks that want it. */
interface AddressedPayload {
  readonly event: RecordedEvent
  readonly payload: EventPayload
  readonly hooks: readonly WebhookRow[]
}

/**
 * Writes the deliveries of a transaction's events, in that transaction: payloads show the state at that moment, and the webhooks
 * of that moment receive them. Sending begins after the commit.
 */
export async function recordDeliveries(ctx: PayloadCtx, tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
  const wanted = await findWantedPayloads(tx, events)
  if (wanted.length === 0) return
  const deliveries = await buildOrPostpone(ctx, tx, wanted)
  if (deliveries) await writeDeliveries(ctx, tx, deliveries)
}

async function findWantedPayloads(tx: Tx, events: readonly RecordedEvent[]): Promise<readonly AddressedPayload[]> {
  // References move before what follows from them, and receivers get the events in that order.
  const inOrder = events.toSorted(
    (one, other) => Number(other.name === 'refs.updated') - Number(one.name === 'refs.updated'),
  )
  const all = inOrder.flatMap((event) => payloadsOf(event).map((payload) => ({ event, payload })))
  if (all.length === 0) return []
  const repoIds = [...new Set(all.flatMap(({ payload: { to } }) => repoIdOf(to) ?? []))]
  const ownerIds = [...new Set(all.flatMap(({ payload: { to } }) => ('ownerId' in to ? [to.ownerId] : [])))]
  const hooks = await listHooksFor(tx, repoIds, ownerIds)
  if (hooks.length === 0) return []
  const repos = await loadRepos(tx, repoIds)
  const ownerOf = (id: RepoId): UserId | undefined => repos.get(id)?.owner_id
  // Each transaction has a budget of its own, because many requests may write events of one repository.
  const budget = new WorkBudget()
  const subscriptions = hooks.map((hook) => subscriptionOf(hook, budget))
  return all.flatMap((each): AddressedPayload[] => {
    const wanting = subscriptions.filter((one) => wants(one, each.payload, ownerOf)).map(({ hook }) => hook)
    return wanting.length === 0 ? [] : [{ ...each, hooks: wanting }]
  })
}

/**
 * Builds the payloads. A defect in building one must not make the request of a user fail: a job builds them again after the
 * commit, where administrators see its failure. An error of the database fails the transaction as everywhere.
 */
async function buildOrPostpone(
  ctx: PayloadCtx,
  tx: Tx,
  wanted: readonly AddressedPayload[],
): Promise<readonly NewDeliveries[] | undefined> {
  try {
    const needs = wanted.map(({ payload }) => payload.needs)
    const presenter = await PayloadPresenter.load({ ...ctx, db: tx }, needs, deletedRepositoriesIn(tx))
    return await buildDeliveries(presenter, wanted)
  } catch (error) {
    ctx.log('error', 'cannot build the payloads of webhooks; a job tries again after the commit', { error })
    const eventIds = [...new Set(wanted.map(({ event }) => event.id))]
    await enqueueAll(tx, [planned(recordDeliveriesLater, { eventIds })])
    return undefined
  }
}

/** Writes the deliveries of events whose payloads could not be built in their transaction. */
export const recordDeliveriesLater: Job<Ctx, { readonly eventIds: readonly EventId[] }> = job({
  name: 'recordDeliveries',
  pool: 'webhooks',
  input: Type.Object({ eventIds: Type.Array(Type.Unsafe<EventId>(Type.Integer())) }),
  async run(ctx: Ctx, { eventIds }) {
    const events: RecordedEvent[] = []
    for (const id of eventIds) {
      const event = await getEvent(ctx.db, id)
      if (event) events.push(event)
    }
    await transaction(ctx.db, async (tx) => {
      const wanted = await findWantedPayloads(tx, events)
      if (wanted.length === 0) return
      const needs = wanted.map(({ payload }) => payload.needs)
      const presenter = await PayloadPresenter.load({ ...ctx, db: tx }, needs)
      await writeDeliveries(ctx, tx, await buildDeliveries(presenter, wanted))
    })
  },
})

const repoIdOf = (to: EventPayload['to']): RepoId | undefined =>
  'repoId' in to ? to.repoId : 'ownerOf' in to ? to.ownerOf : undefined

/** A webhook with its event list and branch filter decoded once for all events of a transaction. */
interface Subscription {
  readonly hook: WebhookRow
  readonly events: ReadonlySet<string>
  readonly passes: (ref: string | undefined) => boolean
}

const subscriptionOf = (hook: WebhookRow, budget: WorkBudget): Subscription => ({
  hook,
  events: new Set(JSON.parse(hook.events) as string[]),
  passes: compileBranchFilter(hook.branch_filter, budget),
})

function wants(
  { hook, events, passes }: Subscription,
  { to, eventType, ref }: EventPayload,
  ownerOf: (id: RepoId) => UserId | undefined,
): boolean {
  const isConcerned =
    hook.level === 'system' ||
    ('repoId' in to && hook.repo_id === to.repoId) ||
    (hook.owner_id !== null && hook.owner_id === ('ownerId' in to ? to.ownerId : ownerOf(repoIdOf(to) as RepoId)))
  return isConcerned && events.has(eventType) && passes(ref)
}

/** One payload and the webhooks that it is delivered to. */
interface NewDeliveries {
  readonly payload: NewPayload
  readonly to: readonly { readonly hook: WebhookRow; readonly uuid: string }[]
  readonly event: string
  readonly eventType: string
}

async function buildDeliveries(
  presenter: PayloadPresenter,
  wanted: readonly AddressedPayload[],
): Promise<readonly NewDeliveries[]> {
  const all: NewDeliveries[] = []
  const expanded = wanted.flatMap((each) =>
    (each.payload.expand?.(presenter) ?? [each.payload]).map((payload) => ({ ...each, payload })),
  )
  for (const { event, payload, hooks } of expanded) {
    const built = await payload.build(presenter)
    if (!built) continue
    const add = (data: object, receivers: readonly WebhookRow[]): void => {
      if (receivers.length === 0) return
      all.push({
        payload: {
          eventId: event.id,
          data: JSON.stringify(data),
          pending: built.pending ? JSON.stringify(built.pending) : null,
        },
        to: receivers.map((hook) => ({ hook, uuid: randomUUID() })),
        event: payload.event,
        eventType: payload.eventType,
      })
    }
    const { forGitea } = payload
    const isGitea = (hook: WebhookRow): boolean => forGitea !== undefined && hook.type === 'gitea'
    add(
      built.data,
      hooks.filter((hook) => !isGitea(hook)),
    )
    if (forGitea) add(forGitea(built.data), hooks.filter(isGitea))
  }
  return all
}

/** Inserts payloads and deliveries, and enqueues the job of each webhook. */
export async function writeDeliveries(ctx: PayloadCtx, tx: Tx, all: readonly NewDeliveries[]): Promise<void> {
  if (all.length === 0) return
  const nowMs = clockOf(tx).nowMs()
  const named = new Map<HookId, WebhookRow>(all.flatMap(({ to }) => to.map(({ hook }) => [hook.id, hook] as const)))
  // A webhook that is deleted at the same time gets nothing, and must not fail this transaction.
  const existing = await lockHooks(tx, [...named.keys()])
  const hooks = new Map([...named].filter(([id]) => existing.has(id)))
  // Before the rows: on PostgreSQL the lock of the merged job gives the rows of a webhook the order of the commits.
  await enqueueAll(
    tx,
    [...hooks.values()].map((hook) => planDeliveries(hook.id, hook.failures === 0, Math.max(nowMs, hook.retry_at_ms))),
  )
  const full = await listFullHooks(tx, [...hooks.keys()], ctx.config.ingot.maxWebhookBacklog)
  const payloadIds = await insertPayloads(
    tx,
    all.map(({ payload }) => payload),
    nowMs,
  )
  const deliveries = all.flatMap(({ to, event, eventType }, index) =>
    to
      .filter(({ hook }) => hooks.has(hook.id))
      .map(({ hook, uuid }): NewDelivery => ({
        hookId: hook.id,
        payloadId: payloadIds[index] as (typeof payloadIds)[number],
        uuid,
        event,
        eventType,
        ...(full.has(hook.id) ? { problem: 'too many deliveries wait for this webhook' } : {}),
      })),
  )
  await insertDeliveries(tx, deliveries, nowMs)
}
