import { Type } from 'typebox'
import { clockOf } from '../db/clock.ts'
import { databaseSlot, type Db, type Tx } from '../db/database.ts'
import { GiveUp, job, type AnyJob, type Job } from '../jobs/job.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import { eventProblem, type Event, type EventData, type EventName } from './catalogue.ts'
import { announce, createLiveEvents, type LiveEvents, type LiveLimits } from './live.ts'
import type { AfterCommitSubscriber, InTransactionSubscriber, Subscriber } from './subscriber.ts'

/** Who hears which events in one application. */
export interface EventHub<Ctx> {
  /** The jobs of after-commit subscribers; the workers declare them with the others. */
  readonly jobs: readonly AnyJob<Ctx>[]
  readonly inTransaction: ReadonlyMap<EventName, readonly InTransactionSubscriber<EventName>[]>
  readonly afterCommit: ReadonlyMap<EventName, readonly Job<Ctx, Event>[]>
}

/** Sorts the subscribers by event; those of one event are run in the order given here. */
export function createEventHub<Ctx>(subscribers: readonly Subscriber<Ctx>[]): EventHub<Ctx> {
  const inTransaction = new Map<EventName, InTransactionSubscriber<EventName>[]>()
  const afterCommit = new Map<EventName, Job<Ctx, Event>[]>()
  const jobs: Job<Ctx, Event>[] = []
  const names = new Set<string>()
  for (const each of subscribers) {
    if (names.has(each.name)) throw new Error(`two subscribers are named ${each.name}`)
    names.add(each.name)
    if ('inTransaction' in each) {
      for (const event of each.events) append(inTransaction, event, each)
      continue
    }
    const own = subscriberJob(each)
    jobs.push(own)
    for (const event of each.events) append(afterCommit, event, own)
  }
  return { jobs: jobs, inTransaction, afterCommit }
}

const append = <Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

const StoredEvent = Type.Unsafe<Event>(Type.Object({ name: Type.String(), data: Type.Unknown(), atMs: Type.Number() }))

function subscriberJob<Ctx>(own: AfterCommitSubscriber<Ctx, EventName>): Job<Ctx, Event> {
  return job({
    name: own.name,
    input: StoredEvent,
    attempts: own.attempts,
    priority: own.priority,
    timeoutMs: own.timeoutMs,
    merge: own.merge && ((event) => own.merge?.(event)),
    lane: own.lane && ((event) => own.lane?.(event)),
    retryDelayMs: own.retryDelayMs && ((attempt, event) => own.retryDelayMs?.(attempt, event) as number),
    async run(ctx: Ctx, event, run) {
      const problem = eventProblem(event.name, event.data)
      if (problem !== undefined) throw new GiveUp(`${event.name} was published by another version: ${problem}`)
      await own.afterCommit(ctx, event, run)
    },
  })
}

interface Attached {
  readonly hub: EventHub<never>
  readonly live: LiveEvents
}

const attachments = databaseSlot<Attached>()

/**
 * Has the events of this database go to the subscribers of `hub`; every application attaches its own.
 * @returns the feed of what happens, for those who watch
 */
export function attachEvents<Ctx>(db: Db, hub: EventHub<Ctx>, limits?: Partial<LiveLimits>): LiveEvents {
  const live = createLiveEvents(db, limits)
  attachments.set(db, { hub, live })
  return live
}

/** Most events of one transaction: more is a subscriber that answers itself. */
const maxEventsPerTransaction = 2000
const published = new WeakMap<Tx, number>()

/**
 * Says that something has happened, as part of the transaction that made it so: subscribers of the transaction run
 * now, in the order they were given, and those of the commit get one job each.
 */
export async function publish<Name extends EventName>(tx: Tx, name: Name, data: EventData<Name>): Promise<void> {
  const attached = attachments.of(tx)
  if (!attached) throw new Error(`${name} was published on a database without events`)
  const problem = eventProblem(name, data)
  if (problem !== undefined) throw new Error(`event ${name} is wrong: ${problem}`)
  const count = (published.get(tx) ?? 0) + 1
  if (count > maxEventsPerTransaction) throw new Error(`one transaction published more than ${count - 1} events`)
  published.set(tx, count)

  const clock = clockOf(tx)
  const event = { name, data, atMs: clock.nowMs() } as unknown as Event
  const { hub } = attached
  for (const each of hub.inTransaction.get(name) ?? []) await each.inTransaction(tx, event, { clock })
  await enqueueAll(
    tx,
    (hub.afterCommit.get(name) ?? []).map((own) => planned(own, event)),
  )
  announce(tx, event)
}
