import type { Static, TSchema } from 'typebox'
import type { Db } from '../db/database.ts'
import { BadRequest, Invalid, TooLarge } from '../lib/errors.ts'
import { createChecker, type Checker } from './checker.ts'
import type { PoolName } from './pools.ts'

/** Progress of a long job, shown to administrators. */
export interface JobProgress {
  readonly done: number
  /** Missing when unknown. */
  readonly total?: number
  /** One line about the current step. */
  readonly note?: string
}

/** The environment of a running job. */
export interface JobRun {
  /** The database of the queue. */
  readonly db: Db
  /** Aborted at the timeout, when the program stops, or when another worker takes the job. */
  readonly signal: AbortSignal
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Whether a failure of this attempt is final. */
  readonly isLastAttempt: boolean
  /** Stores the latest value; the row is written at most once a second. */
  progress(progress: JobProgress): void
}

/** Order of due jobs: users wait for `high`, nobody waits for `low`. */
export type JobPriority = 'high' | 'normal' | 'low'

/**
 * What a lane does while its first job waits for a retry: `block` waits, since order matters; `pass` runs the next job, but
 * never two at once. A job that failed for good is passed in either case.
 */
export type LaneRule = 'block' | 'pass'

/** A kind of background work. */
export interface JobDeclaration<Ctx, Schema extends TSchema> {
  /** `<verb><Noun>`, for example `deliverWebhook`. It is stored: a renamed job leaves its rows behind. */
  readonly name: string
  /** Schema of the input, which is stored as JSON: ids and small values, never secrets. */
  readonly input: Schema
  /** The pool whose slots it uses; the default is `default`. */
  readonly pool?: PoolName
  /** Maximum number of attempts; the default is 5. */
  readonly attempts?: number
  /** The default is `normal`. */
  readonly priority?: JobPriority
  /** Timeout of an attempt, which aborts its signal and fails it. The default is ten minutes. */
  readonly timeoutMs?: number
  /** Waiting jobs with the same key merge: the newest input, the earliest time. undefined: never. */
  merge?(input: Static<Schema>): string | undefined
  /** Jobs of one lane run one after the other, in enqueueing order. undefined: no lane. */
  lane?(input: Static<Schema>): string | undefined
  /** The same for all jobs of a lane; the default is `block`. */
  readonly whenFailing?: LaneRule
  /** Delay before the next attempt after `attempt` attempts, in milliseconds. The default is exponential with jitter. */
  retryDelayMs?(attempt: number): number
  /** Does the work. It may run more than once, so it must be idempotent. */
  run(ctx: Ctx, input: Static<Schema>, run: JobRun): Promise<void>
}

export interface Job<Ctx, Input> {
  readonly name: string
  readonly pool: PoolName
  readonly attempts: number
  readonly priority: JobPriority
  readonly timeoutMs: number
  readonly problemOf: Checker
  merge(input: Input): string | undefined
  lane(input: Input): string | undefined
  readonly whenFailing: LaneRule
  retryDelayMs(attempt: number): number
  run(ctx: Ctx, input: Input, run: JobRun): Promise<void>
}

/** A job with any input. */
export type AnyJob<Ctx> = Job<Ctx, unknown>

/**
 * Thrown by a job when further attempts are pointless: its subject is gone, refused for good, or too large. The job fails
 * at once and stays visible.
 */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
}

/**
 * Returns whether a retry would fail in the same way: `GiveUp`, invalid input and oversized content. Other failures may be
 * temporary, `NotFound` included: a repository is missing while its disk is unmounted.
 */
export const isPermanent = (error: unknown): boolean =>
  error instanceof GiveUp || error instanceof BadRequest || error instanceof Invalid || error instanceof TooLarge

/** Attempts of a job that declares no number. */
export const defaultAttempts = 5
const defaultTimeoutMs = 600_000

/** Declares a job. The annotation of the first parameter of `run` determines the context type. */
export function job<Ctx, const Schema extends TSchema>(
  declaration: JobDeclaration<Ctx, Schema>,
): Job<Ctx, Static<Schema>> {
  if (!/^[a-z][A-Za-z0-9]*$/.test(declaration.name)) throw new Error(`"${declaration.name}" is not a name for a job`)
  return {
    name: declaration.name,
    pool: declaration.pool ?? 'default',
    attempts: declaration.attempts ?? defaultAttempts,
    priority: declaration.priority ?? 'normal',
    timeoutMs: declaration.timeoutMs ?? defaultTimeoutMs,
    problemOf: createChecker(declaration.input),
    merge: (input) => declaration.merge?.(input),
    lane: (input) => declaration.lane?.(input),
    whenFailing: declaration.whenFailing ?? 'block',
    retryDelayMs: (attempt) => declaration.retryDelayMs?.(attempt) ?? backOffMs(attempt),
    run: (ctx, input, run) => declaration.run(ctx, input, run),
  }
}

const firstDelayMs = 2000
const delayGrowth = 5
const longestDelayMs = 3_600_000

/** Returns 2 s, 10 s, 50 s … up to an hour, with 25 % jitter: soon for a restart of git, long for an unreachable server. */
export const backOffMs = (attempt: number): number =>
  Math.round(Math.min(firstDelayMs * delayGrowth ** (attempt - 1), longestDelayMs) * (0.75 + Math.random() / 2))
