import { Type, type Static } from 'typebox'
import { clockOf } from '../db/clock.ts'
import { beforeCommit, databaseSlot, type Db, type Tx } from '../db/database.ts'
import { pluck } from '../lib/pluck.ts'
import { GiveUp, job, type AnyJob, type Job } from '../jobs/job.ts'
import { enqueueAll, type PlannedJob } from '../jobs/queue.ts'
import { payloadVersion } from '../jobs/versions.ts'
import type { EventId } from '../lib/ids.ts'
import { checkedFact, type Event, type EventData, type EventName } from './catalogue.ts'
import { getEvent, type RecordedEvent } from './cursor.ts'
import { insertEvents, type NewEventRow } from './event.store.ts'
import type { Fact } from './fact.ts'
import { announce, createLiveEvents, type LiveEvents, type LiveLimits } from './live.ts'
import type {
  AfterCommitSubscriber,
  BeforeCommitSubscriber,
  InTransactionSubscriber,
  Subscriber,
} from './subscriber.ts'

/** An after-commit subscriber and the keys of its jobs. */
interface Follower<Ctx> {
  readonly job: Job<Ctx, FollowedEvent>
  merge(event: Event): string | undefined
  lane(event: Event): string | undefined
  isNeeded(tx: Tx, event: Event): Promise<boolean> | undefined
}

/** The subscribers of an application by event. */
export interface EventHub<Ctx> {
  /** The jobs of after-commit subscribers; the workers declare them. */
  readonly jobs: readonly AnyJob<Ctx>[]
  readonly inTransaction: ReadonlyMap<EventName, readonly InTransactionSubscriber<EventName>[]>
  readonly beforeCommit: ReadonlyMap<EventName, readonly BeforeCommitSubscriber<EventName>[]>
  readonly afterCommit: ReadonlyMap<EventName, readonly Follower<Ctx>[]>
}

/**
 * Groups the subscribers by event. The subscribers of an event run in the given order.
 * @param muted subscribers that receive no events; their jobs are declared, because older ones may still wait
 */
export function createEventHub<Ctx>(
  subscribers: readonly Subscriber<Ctx>[],
  muted: readonly Subscriber<Ctx>[] = [],
): EventHub<Ctx> {
  const inTransaction = new Map<EventName, InTransactionSubscriber<EventName>[]>()
  const beforeCommitOf = new Map<EventName, BeforeCommitSubscriber<EventName>[]>()
  const afterCommit = new Map<EventName, Follower<Ctx>[]>()
  const jobs: AnyJob<Ctx>[] = []
  const names = new Set<string>()
  for (const each of subscribers) {
    if (names.has(each.name)) throw new Error(`two subscribers are named ${each.name}`)
    names.add(each.name)
    const heard = muted.includes(each) ? [] : each.events
    if ('inTransaction' in each) {
      for (const event of heard) append(inTransaction, event, each)
      continue
    }
    if ('beforeCommit' in each) {
      for (const event of heard) append(beforeCommitOf, event, each)
      continue
    }
    const own = followerOf(each)
    jobs.push(own.job)
    for (const event of heard) append(afterCommit, event, own)
  }
  return { jobs, inTransaction, beforeCommit: beforeCommitOf, afterCommit }
}

const append = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Input of a subscriber's job. */
type FollowedEvent = Static<typeof FollowedEvent>
const FollowedEvent = Type.Object({ eventId: Type.Unsafe<EventId>(Type.Integer()) })

function followerOf<Ctx>(own: AfterCommitSubscriber<Ctx, EventName>): Follower<Ctx> {
  const { name, attempts, priority, timeoutMs, pool, whenFailing } = own
  return {
    merge: (event) => own.merge?.(event),
    lane: (event) => own.lane?.(event),
    isNeeded: (tx, event) => own.isNeeded?.(tx, event),
    job: job({
      ...{ name, attempts, priority, timeoutMs, pool, whenFailing },
      retryDelayMs: own.retryDelayMs && ((attempt) => own.retryDelayMs?.(attempt) as number),
      input: FollowedEvent,
      async run(ctx: Ctx, { eventId }, run) {
        const event = await getEvent(run.db, eventId)
        if (!event) throw new GiveUp('the event does not exist any more')
        await own.afterCommit(ctx, event, { ...run, eventId })
      },
    }),
  }
}

interface Attached {
  readonly hub: EventHub<never>
  readonly live: LiveEvents
  readonly recorders: Set<EventRecorder>
}

/**
 * Records the events of a transaction as its last act, for data that must show the state at that moment. It awaits only the
 * database, publishes nothing, and must be fast, since it runs with nearly every change.
 */
export interface EventRecorder {
  readonly hears: ReadonlySet<EventName>
  record(tx: Tx, events: readonly RecordedEvent[]): Promise<void>
}

const attachments = databaseSlot<Attached>()

/**
 * Connects a database to the subscribers of `hub`.
 * @returns the live events for watchers
 */
export function attachEvents<Ctx>(db: Db, hub: EventHub<Ctx>, limits?: Partial<LiveLimits>): LiveEvents {
  const live = createLiveEvents(db, limits)
  attachments.set(db, { hub, live, recorders: new Set() })
  return live
}

/** Adds a recorder and returns a function that removes it. */
export function recordEventsWith(db: Db, recorder: EventRecorder): () => void {
  const attached = attachments.of(db)
  if (!attached) throw new Error('a database without events has nothing to record')
  attached.recorders.add(recorder)
  return () => void attached.recorders.delete(recorder)
}

/** Maximum number of events of one transaction. A repository may have many forks, and a team many members. */
const maxEventsPerTransaction = 50_000

/** Maximum depth of events that subscribers publish in reaction to events; more is a loop. */
const maxNestedEvents = 500

/** Maximum length of the data as JSON, in characters. Data hold ids, but one push may change many references. */
const maxDataLength = 8_000_000

/** Maximum number of events of one transaction for which `isNeeded` is asked. */
const maxFilteredEvents = 10

interface Published {
  readonly event: Event
  readonly row: NewEventRow
}

/** Events that open transactions have published. */
const publishedIn = new WeakMap<Tx, { readonly all: Published[]; nested: number; isWritten: boolean }>()

/**
 * Publishes an event in the caller's transaction. In-transaction subscribers run at once, in order. Before the commit all
 * events are inserted in one statement, with one job for each after-commit subscriber, and before-commit subscribers run.
 */
export async function publish<Name extends EventName>(tx: Tx, name: Name, data: EventData<Name>): Promise<void> {
  const attached = attachments.of(tx)
  if (!attached) throw new Error(`${name} was published on a database without events`)
  const declared = checkedFact(name, data)
  const clock = clockOf(tx)
  const event = { name, data, atMs: clock.nowMs() } as unknown as Event
  let published = publishedIn.get(tx)
  if (!published) {
    const all: Published[] = []
    const opened = { all, nested: 0, isWritten: false }
    published = opened
    publishedIn.set(tx, opened)
    beforeCommit(tx, () => {
      opened.isWritten = true
      return writeEvents(tx, attached, all)
    })
  }
  if (published.isWritten) throw new Error(`${name} was published after the events of its transaction were written`)
  if (published.all.length >= maxEventsPerTransaction) {
    throw new Error(`one transaction published more than ${maxEventsPerTransaction} events`)
  }
  if (published.nested >= maxNestedEvents) {
    throw new Error(`more than ${maxNestedEvents} events answer each other, the last of them ${name}`)
  }
  published.all.push({ event, row: rowOf(event, declared) })
  published.nested += 1
  for (const each of attached.hub.inTransaction.get(name) ?? []) await each.inTransaction(tx, event, { clock })
  published.nested -= 1
}

function rowOf({ name, data, atMs }: Event, declared: Fact): NewEventRow {
  const text = JSON.stringify(data)
  if (text.length > maxDataLength) throw new Error(`the data of event ${name} are ${text.length} characters long`)
  const ids = data as Readonly<Record<string, unknown>>
  const idOf = (member: string): number | null => {
    const id = ids[member]
    return typeof id === 'number' ? id : null
  }
  return {
    name,
    version: payloadVersion,
    actorId: idOf(declared.actor),
    ownerId: idOf(declared.owner),
    repoId: idOf('repoId'),
    issueId: idOf('issueId'),
    data: text,
    atMs,
  }
}

async function writeEvents(tx: Tx, { hub, recorders }: Attached, published: readonly Published[]): Promise<void> {
  const ids = await insertEvents(tx, pluck(published, 'row'))
  const plans: PlannedJob[] = []
  for (const [index, { event }] of published.entries()) {
    const eventId = ids[index] as EventId
    for (const follower of hub.afterCommit.get(event.name) ?? []) {
      if (published.length <= maxFilteredEvents && (await follower.isNeeded(tx, event)) === false) continue
      const follows = { eventId, merge: follower.merge(event), lane: follower.lane(event) }
      plans.push({ job: follower.job, input: { eventId }, options: {}, follows })
    }
  }
  if (plans.length > 0) await enqueueAll(tx, plans)
  for (const [index, { event }] of published.entries()) {
    for (const each of hub.beforeCommit.get(event.name) ?? []) await each.beforeCommit(tx, event, ids[index] as EventId)
  }
  for (const recorder of recorders) {
    const heard = published.flatMap(({ event, row }, index) =>
      recorder.hears.has(event.name) ? [recorded(event, row, ids[index] as EventId)] : [],
    )
    if (heard.length > 0) await recorder.record(tx, heard)
  }
  for (const [index, { event }] of published.entries()) announce(tx, ids[index] as EventId, event)
}

const recorded = (event: Event, row: NewEventRow, id: EventId): RecordedEvent =>
  ({
    ...event,
    id,
    actorId: row.actorId ?? undefined,
    ownerId: row.ownerId ?? undefined,
    repoId: row.repoId ?? undefined,
    issueId: row.issueId ?? undefined,
  }) as RecordedEvent
