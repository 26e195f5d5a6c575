import type { Tx } from '../db/database.ts'
import type { JobPriority, JobRun, LaneRule } from '../jobs/job.ts'
import type { PoolName } from '../jobs/pools.ts'
import type { EventId } from '../lib/ids.ts'
import type { Clock } from '../lib/time.ts'
import { isEventName, type Event, type EventName } from './catalogue.ts'

/** What a subscriber has inside the transaction beside the event. */
export interface InTransaction {
  readonly clock: Clock
}

interface About<Name extends EventName> {
  /** `<verb><Noun>`; the name of its jobs when it runs after the commit, and so stored. */
  readonly name: string
  /** The events it hears. */
  readonly on: Name | readonly Name[]
}

/** Runs inside the transaction that published the event; it awaits only the database. */
export interface InTransactionSubscriber<Name extends EventName> extends About<Name> {
  inTransaction(tx: Tx, event: Event<Name>, beside: InTransaction): Promise<void>
}

/** What a subscriber after the commit has beside the event. */
export interface FollowerRun extends JobRun {
  /** The id of the event, which is the same in every attempt. */
  readonly eventId: EventId
}

/** Runs as a job after the commit, at least once, and again when it fails: it must be idempotent. */
export interface AfterCommitSubscriber<Ctx, Name extends EventName> extends About<Name> {
  /** Like those of a job. */
  readonly attempts?: number
  readonly priority?: JobPriority
  readonly timeoutMs?: number
  readonly pool?: PoolName
  readonly whenFailing?: LaneRule
  retryDelayMs?(attempt: number): number
  /**
   * Asked in the transaction of the event: false when there is nothing to do after it, and no job is made. It asks the
   * database once at most, quickly, and says true when in doubt. With very many events at once it is not asked.
   */
  isNeeded?(tx: Tx, event: Event<Name>): Promise<boolean>
  /** The keys of its jobs are made of the event when it is published. */
  merge?(event: Event<Name>): string | undefined
  lane?(event: Event<Name>): string | undefined
  afterCommit(ctx: Ctx, event: Event<Name>, run: FollowerRun): Promise<void>
}

/** A declared subscriber, of whatever events, as the application lists it. */
export type Subscriber<Ctx> =
  | ({ readonly events: readonly EventName[] } & InTransactionSubscriber<EventName>)
  | ({ readonly events: readonly EventName[] } & AfterCommitSubscriber<Ctx, EventName>)

/** Declares a subscriber. The context's type comes from the annotation of the first parameter of `afterCommit`. */
export function subscriber<const Name extends EventName>(
  declaration: InTransactionSubscriber<Name>,
): Subscriber<unknown>
export function subscriber<Ctx, const Name extends EventName>(
  declaration: AfterCommitSubscriber<Ctx, Name>,
): Subscriber<Ctx>
export function subscriber(
  declaration: InTransactionSubscriber<EventName> | AfterCommitSubscriber<never, EventName>,
): Subscriber<never> {
  const events: readonly EventName[] = typeof declaration.on === 'string' ? [declaration.on] : declaration.on
  const unknown = events.filter((name) => !isEventName(name))
  if (unknown.length > 0) throw new Error(`subscriber ${declaration.name} hears "${unknown.join()}", which is no event`)
  return { ...declaration, events }
}
