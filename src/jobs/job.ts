import type { Static, TSchema } from 'typebox'
import type { Db } from '../db/database.ts'
import { BadRequest, Invalid, TooLarge } from '../lib/errors.ts'
import { createChecker, type Checker } from './checker.ts'
import type { PoolName } from './pools.ts'
import { versioned, type Versioned, type VersionSteps } from './versions.ts'

/** How far long work is; shown to administrators. */
export interface JobProgress {
  readonly done: number
  /** Left out when it is not known. */
  readonly total?: number
  /** One line about what is being done now. */
  readonly note?: string
}

/** What a running job is given beside its input. */
export interface JobRun {
  /** The database whose queue the job was taken from. */
  readonly db: Db
  /** Aborted when the time of the job is up, when the program stops, or when another worker took the job over. */
  readonly signal: AbortSignal
  /** 1 for the first attempt. */
  readonly attempt: number
  /** True when a failure of this attempt is final. */
  readonly isLastAttempt: boolean
  /** Keeps the newest value; the row is written at most once a second. */
  progress(progress: JobProgress): void
}

/** Which job goes first when several are due: people wait for `high`, nobody waits for `low`. */
export type JobPriority = 'high' | 'normal' | 'low'

/**
 * What the jobs of a lane do while the first of them has failed and waits for its next attempt: they wait for it (`block`,
 * where the order matters), or pass it (`pass`, where each stands for itself and only must not run beside another). One
 * that has failed for good is passed in either case.
 */
export type LaneRule = 'block' | 'pass'

/** A kind of work that outlives the request that asked for it. */
export interface JobDeclaration<Ctx, Schema extends TSchema> {
  /** `<verb><Noun>`, for example `deliverWebhook`. It is stored: a renamed job leaves its rows behind. */
  readonly name: string
  /** Shape of the input, which is stored as JSON: ids and small values, never a secret. */
  readonly input: Schema
  /** The version of that shape; 1 unless told. It goes up with each change that rows of the release before do not fit. */
  readonly version?: number
  /** For each earlier version: what makes its input one of the next. */
  readonly upgrade?: VersionSteps
  /** Whose slots it takes; `default` unless told. */
  readonly pool?: PoolName
  /** How often it is tried before it counts as failed. 5 unless told. */
  readonly attempts?: number
  /** `normal` unless told. */
  readonly priority?: JobPriority
  /** Longest time of one attempt; then its signal is aborted and the attempt has failed. Ten minutes unless told. */
  readonly timeoutMs?: number
  /** Jobs with the same key merge while they wait: the newest input, the earliest time. undefined: never. */
  merge?(input: Static<Schema>): string | undefined
  /** Jobs of the same lane run one after the other in the order they were enqueued. undefined: no lane. */
  lane?(input: Static<Schema>): string | undefined
  /** `block` unless told; the same for all jobs of a lane. */
  readonly whenFailing?: LaneRule
  /** Wait before the next attempt, in milliseconds, after `attempt` attempts. Exponential with jitter unless told. */
  retryDelayMs?(attempt: number): number
  /** Does the work. It may run more than once for one enqueueing, so it must be idempotent. */
  run(ctx: Ctx, input: Static<Schema>, run: JobRun): Promise<void>
}

export interface Job<Ctx, Input> extends Versioned {
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

/** Any job that runs in the context `Ctx`, whatever its input. */
export type AnyJob<Ctx> = Job<Ctx, unknown>

/**
 * Thrown by a job that knows that another attempt is pointless: what it works on is gone, refused for good or too large.
 * It fails at once, and stays to be seen with this reason.
 */
export class GiveUp extends Error {
  override readonly name = 'GiveUp'
}

/**
 * True for a failure that another attempt would only repeat: `GiveUp`, and the refusals of bad input and of what is too
 * large. Everything else may go better later, also `NotFound`: a repository is missing while its disk is away. A job that
 * knows that a thing is gone for good says so with `GiveUp`.
 */
export const isPermanent = (error: unknown): boolean =>
  error instanceof GiveUp || error instanceof BadRequest || error instanceof Invalid || error instanceof TooLarge

const defaultAttempts = 5
const defaultTimeoutMs = 600_000

/** Declares a job. The context's type comes from the annotation of the first parameter of `run`. */
export function job<Ctx, const Schema extends TSchema>(
  declaration: JobDeclaration<Ctx, Schema>,
): Job<Ctx, Static<Schema>> {
  if (!/^[a-z][A-Za-z0-9]*$/.test(declaration.name)) throw new Error(`"${declaration.name}" is not a name for a job`)
  return {
    ...versioned(`the input of job ${declaration.name}`, declaration),
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

/**
 * 2 s, 10 s, 50 s … up to an hour, each a quarter shorter or longer so that what failed together spreads out: soon where
 * git was only being restarted, long where somebody else's server is away.
 */
export const backOffMs = (attempt: number): number =>
  Math.round(Math.min(firstDelayMs * delayGrowth ** (attempt - 1), longestDelayMs) * (0.75 + Math.random() / 2))
