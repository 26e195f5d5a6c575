import type { Tx } from '../db/database.ts'
import type { JobPriority, JobRun, LaneRule } from '../jobs/job.ts'
import type { PoolName } from '../jobs/pools.ts'
import type { EventId } from '../lib/ids.ts'
import type { Clock } from '../lib/time.ts'
import { isEventName, type Event, type EventName } from './catalogue.ts'

/** The environment of an in-transaction subscriber. */
export interface InTransaction {
  readonly clock: Clock
}

interface About<Name extends EventName> {
  /** `<verb><Noun>`; also the stored name of its jobs. */
  readonly name: string
  /** The events that it receives. */
  readonly on: Name | readonly Name[]
}

/** Runs in the transaction of the event and awaits only the database. */
export interface InTransactionSubscriber<Name extends EventName> extends About<Name> {
  inTransaction(tx: Tx, event: Event<Name>, beside: InTransaction): Promise<void>
}

/**
 * Runs as the last act of the transaction of the event, when the event has its id. It awaits only the database and publishes
 * nothing.
 */
export interface BeforeCommitSubscriber<Name extends EventName> extends About<Name> {
  beforeCommit(tx: Tx, event: Event<Name>, eventId: EventId): Promise<void>
}

/** The environment of an after-commit subscriber. */
export interface FollowerRun extends JobRun {
  /** The id of the event, the same in every attempt. */
  readonly eventId: EventId
}

/** Runs as a job after the commit, at least once. It must be idempotent. */
export interface AfterCommitSubscriber<Ctx, Name extends EventName> extends About<Name> {
  /** Like the members of a job. */
  readonly attempts?: number
  readonly priority?: JobPriority
  readonly timeoutMs?: number
  readonly pool?: PoolName
  readonly whenFailing?: LaneRule
  retryDelayMs?(attempt: number): number
  /**
   * Called in the transaction of the event; false when nothing follows, so that no job is created. It may run one quick
   * query, and returns true in doubt. Transactions with very many events skip it.
   */
  isNeeded?(tx: Tx, event: Event<Name>): Promise<boolean>
  /** Keys of its jobs, made from the event when it is published. */
  merge?(event: Event<Name>): string | undefined
  lane?(event: Event<Name>): string | undefined
  afterCommit(ctx: Ctx, event: Event<Name>, run: FollowerRun): Promise<void>
}

/** A declared subscriber of any events. */
export type Subscriber<Ctx> =
  | ({ readonly events: readonly EventName[] } & InTransactionSubscriber<EventName>)
  | ({ readonly events: readonly EventName[] } & BeforeCommitSubscriber<EventName>)
  | ({ readonly events: readonly EventName[] } & AfterCommitSubscriber<Ctx, EventName>)

/** Declares a subscriber. The annotation of the first parameter of `afterCommit` determines the context type. */
export function subscriber<const Name extends EventName>(
  declaration: InTransactionSubscriber<Name> | BeforeCommitSubscriber<Name>,
): Subscriber<unknown>
export function subscriber<Ctx, const Name extends EventName>(
  declaration: AfterCommitSubscriber<Ctx, Name>,
): Subscriber<Ctx>
export function subscriber(
  declaration:
    | InTransactionSubscriber<EventName>
    | BeforeCommitSubscriber<EventName>
    | AfterCommitSubscriber<never, EventName>,
): Subscriber<never> {
  const events: readonly EventName[] = typeof declaration.on === 'string' ? [declaration.on] : declaration.on
  const unknown = events.filter((name) => !isEventName(name))
  if (unknown.length > 0) throw new Error(`subscriber ${declaration.name} hears "${unknown.join()}", which is no event`)
  return { ...declaration, events }
}
