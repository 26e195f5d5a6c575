import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { clockOf } from '../db/clock.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { WebhookRow } from '../db/tables/webhooks.ts'
import { getEvent, type RecordedEvent } from '../events/cursor.ts'
import { job, type Job } from '../jobs/job.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import type { EventId, HookId, RepoId, UserId } from '../lib/ids.ts'
import { loadRepos } from '../repos/repo.store.ts'
import { planSending } from './deliver-webhook.job.ts'
import {
  holdHooks,
  insertDeliveries,
  insertPayloads,
  listFullHooks,
  listHooksFor,
  type NewDelivery,
  type NewPayload,
} from './delivery.store.ts'
import { goneRepositoriesOf } from './gone-repositories.ts'
import { compileBranchFilter } from './hook.rules.ts'
import { payloadsOf } from '../payloads/all-payloads.ts'
import { PayloadPresenter, type PayloadCtx } from '../payloads/payload.present.ts'
import type { EventPayload } from '../payloads/event-payload.ts'

interface Told {
  readonly event: RecordedEvent
  readonly telling: EventPayload
}

type TellingTo = Told & { readonly hooks: readonly WebhookRow[] }

/**
 * Writes down what webhooks are to be told of the events of a transaction, as part of it: payloads show how things are at
 * that moment, and who is told is decided by the webhooks of that moment. Nothing is sent before the commit.
 */
export async function recordDeliveries(ctx: PayloadCtx, tx: Tx, events: readonly RecordedEvent[]): Promise<void> {
  const wanted = await wantedTellings(tx, events)
  if (wanted.length === 0) return
  const made = await makeOrPostpone(ctx, tx, wanted)
  if (made) await writeDeliveries(ctx, tx, made)
}

/** What is to be told of events, and which webhooks want it. */
async function wantedTellings(tx: Tx, events: readonly RecordedEvent[]): Promise<readonly TellingTo[]> {
  // References have moved before whatever follows from them, and receivers want to hear it in that order.
  const inOrder = events.toSorted(
    (one, other) => Number(other.name === 'refs.updated') - Number(one.name === 'refs.updated'),
  )
  const told = inOrder.flatMap((event) => payloadsOf(event).map((telling): Told => ({ event, telling })))
  if (told.length === 0) return []
  const repoIds = [...new Set(told.flatMap(({ telling: { to } }) => repoOf(to) ?? []))]
  const ownerIds = [...new Set(told.flatMap(({ telling: { to } }) => ('ownerId' in to ? [to.ownerId] : [])))]
  const hooks = await listHooksFor(tx, repoIds, ownerIds)
  if (hooks.length === 0) return []
  const repos = await loadRepos(tx, repoIds)
  const ownerOf = (id: RepoId): UserId | undefined => repos.get(id)?.owner_id
  const subscriptions = hooks.map(subscriptionOf)
  return told.flatMap((each): TellingTo[] => {
    const those = subscriptions.filter((one) => wants(one, each.telling, ownerOf)).map(({ hook }) => hook)
    return those.length === 0 ? [] : [{ ...each, hooks: those }]
  })
}

/**
 * A mistake of ours in making a payload keeps nobody from doing what they do: it is made again after the commit, by work that
 * administrators see when it fails. A database that fails takes the transaction with it, as everywhere.
 */
async function makeOrPostpone(
  ctx: PayloadCtx,
  tx: Tx,
  wanted: readonly TellingTo[],
): Promise<readonly Made[] | undefined> {
  try {
    const needs = wanted.map(({ telling }) => telling.needs)
    const kit = await PayloadPresenter.load({ ...ctx, db: tx }, needs, goneRepositoriesOf(tx))
    return await makeDeliveries(kit, wanted)
  } catch (error) {
    ctx.log('error', 'the payloads of webhooks could not be made; trying again after the commit', { error })
    const eventIds = [...new Set(wanted.map(({ event }) => event.id))]
    await enqueueAll(tx, [planned(recordLater, { eventIds })])
    return undefined
  }
}

/** Makes the deliveries of events whose payloads could not be made in their transaction. */
export const recordLater: Job<Ctx, { readonly eventIds: readonly EventId[] }> = job({
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
      const wanted = await wantedTellings(tx, events)
      if (wanted.length === 0) return
      const needs = wanted.map(({ telling }) => telling.needs)
      const kit = await PayloadPresenter.load({ ...ctx, db: tx }, needs)
      await writeDeliveries(ctx, tx, await makeDeliveries(kit, wanted))
    })
  },
})

const repoOf = (to: EventPayload['to']): RepoId | undefined =>
  'repoId' in to ? to.repoId : 'ownerOf' in to ? to.ownerOf : undefined

/** A webhook with its events and filter read once for all events of a transaction. */
interface Subscription {
  readonly hook: WebhookRow
  readonly events: ReadonlySet<string>
  readonly passes: (ref: string | undefined) => boolean
}

const subscriptionOf = (hook: WebhookRow): Subscription => ({
  hook,
  events: new Set(JSON.parse(hook.events) as string[]),
  passes: compileBranchFilter(hook.branch_filter),
})

function wants(
  { hook, events, passes }: Subscription,
  { to, eventType, ref }: EventPayload,
  ownerOf: (id: RepoId) => UserId | undefined,
): boolean {
  const isConcerned =
    hook.level === 'system' ||
    ('repoId' in to && hook.repo_id === to.repoId) ||
    (hook.owner_id !== null && hook.owner_id === ('ownerId' in to ? to.ownerId : ownerOf(repoOf(to) as RepoId)))
  return isConcerned && events.has(eventType) && passes(ref)
}

interface Made {
  readonly payload: NewPayload
  readonly to: readonly { readonly hook: WebhookRow; readonly uuid: string }[]
  readonly event: string
  readonly eventType: string
}

async function makeDeliveries(kit: PayloadPresenter, wanted: readonly TellingTo[]): Promise<readonly Made[]> {
  const all: Made[] = []
  const expanded = wanted.flatMap((each) =>
    (each.telling.expand?.(kit) ?? [each.telling]).map((telling) => ({ ...each, telling })),
  )
  for (const { event, telling, hooks } of expanded) {
    const made = await telling.build(kit)
    if (!made) continue
    const add = (data: object, some: readonly WebhookRow[]): void => {
      if (some.length === 0) return
      all.push({
        payload: {
          eventId: event.id,
          data: JSON.stringify(data),
          pending: made.pending ? JSON.stringify(made.pending) : null,
        },
        to: some.map((hook) => ({ hook, uuid: randomUUID() })),
        event: telling.event,
        eventType: telling.eventType,
      })
    }
    const { forGitea } = telling
    const isOther = (hook: WebhookRow): boolean => forGitea !== undefined && hook.type === 'gitea'
    add(
      made.data,
      hooks.filter((hook) => !isOther(hook)),
    )
    if (forGitea) add(forGitea(made.data), hooks.filter(isOther))
  }
  return all
}

/** Adds deliveries, and work for each webhook that has some. */
export async function writeDeliveries(ctx: PayloadCtx, tx: Tx, all: readonly Made[]): Promise<void> {
  if (all.length === 0) return
  const nowMs = clockOf(tx).nowMs()
  const named = new Map<HookId, WebhookRow>(all.flatMap(({ to }) => to.map(({ hook }) => [hook.id, hook] as const)))
  // One that is removed in this moment gets nothing, and takes nothing else with it.
  const held = await holdHooks(tx, [...named.keys()])
  const hooks = new Map([...named].filter(([id]) => held.has(id)))
  // Before the rows: on PostgreSQL it holds the lines of these webhooks, so that rows and commits have one order.
  await enqueueAll(
    tx,
    [...hooks.values()].map((hook) => planSending(hook.id, hook.failures === 0, Math.max(nowMs, hook.retry_at_ms))),
  )
  // Receivers that are well are counted, too: one may be slower than what happens.
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
