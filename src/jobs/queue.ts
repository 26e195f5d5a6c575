import { clockOf } from '../db/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import type { EventId, JobId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import type { Job } from './job.ts'
import {
  countJobs,
  deleteJob,
  findJob,
  giveTurns,
  findWaitingTwin,
  holdPassedJobs,
  insertJobs,
  lockLanes,
  priorities,
  updateFailedToWaiting,
  type NewJobRow,
} from './job.store.ts'
import { payloadVersion } from './versions.ts'

export { countJobsOf, findJob, isLaneBusy, listJobs, type JobRow } from './job.store.ts'

/** Channel that announces new jobs: the name of the pool, a space and the due time in milliseconds. */
export const jobChannel = 'job'

/** When a job may start; the default is at once. */
export interface EnqueueOptions {
  readonly delayMs?: number
  /** By the application's clock, in milliseconds since 1970. */
  readonly runAtMs?: number
}

/** A job to enqueue together with others. */
export interface PlannedJob {
  readonly job: Job<never, unknown>
  readonly input: unknown
  readonly options: EnqueueOptions
  /** The event that it follows, with the keys made from the event; otherwise the keys come from the input. */
  readonly follows?: {
    readonly eventId: EventId
    readonly merge: string | undefined
    readonly lane: string | undefined
  }
}

export const planned = <Input>(
  job: Job<never, Input>,
  input: NoInfer<Input>,
  options: EnqueueOptions = {},
): PlannedJob => ({ job, input, options })

/**
 * Enqueues a job in the caller's transaction; workers wake at the commit. A waiting job with the same key takes the new
 * input and the earlier of both times.
 * @returns the id of the job's row
 */
export async function enqueue<Input>(
  tx: Tx,
  job: Job<never, Input>,
  input: NoInfer<Input>,
  options: EnqueueOptions = {},
): Promise<JobId> {
  const [id] = await writeJobs(tx, [{ job, input, options }])
  return id as JobId
}

/** Like `enqueue`, with one statement for all jobs. */
export async function enqueueAll(tx: Tx, plans: readonly PlannedJob[]): Promise<void> {
  await writeJobs(tx, plans)
}

async function writeJobs(tx: Tx, plans: readonly PlannedJob[]): Promise<JobId[]> {
  // One statement cannot update a row twice, so only the last job of a key is inserted.
  const rows = new Map<string, NewJobRow>()
  const lanes = new Set<string>()
  const passing = new Set<string>()
  for (const [index, plan] of plans.entries()) {
    const row = newJobRow(tx, plan)
    if (typeof row.lane === 'string') {
      lanes.add(row.lane)
      if (plan.job.whenFailing === 'pass') passing.add(row.lane)
    }
    const key = row.unique_key === null ? `#${index}` : JSON.stringify([row.name, row.unique_key])
    const twin = rows.get(key)
    rows.set(key, twin && twin.run_at_ms < row.run_at_ms ? { ...row, run_at_ms: twin.run_at_ms } : row)
  }
  if (rows.size === 0) return []
  const all = [...rows.values()]
  wakeWorkers(tx, all)
  // Locking the lanes before ids are assigned keeps the ids in commit order.
  await lockLanes(tx, [...lanes])
  const ids: JobId[] = []
  for (let start = 0; start < all.length; start += maxRowsPerStatement) {
    ids.push(...(await insertJobs(tx, all.slice(start, start + maxRowsPerStatement))))
  }
  const nowMs = clockOf(tx).nowMs()
  if (passing.size > 0) await holdPassedJobs(tx, [...passing], nowMs)
  if (lanes.size > 0) await giveTurns(tx, [...lanes], nowMs)
  return ids
}

/**
 * Wakes the workers of each pool for due jobs, and announces the next due time. Due jobs are announced with their time too:
 * for a process whose clock is a little behind, they are not due yet.
 */
export function wakeWorkers(
  tx: Tx,
  rows: readonly { readonly pool?: string | undefined; readonly run_at_ms: number }[],
): void {
  const nowMs = clockOf(tx).nowMs()
  const due = new Map<string, number>()
  const later = new Map<string, number>()
  for (const { pool = 'default', run_at_ms: runAtMs } of rows) {
    if (runAtMs <= nowMs) due.set(pool, Math.max(due.get(pool) ?? 0, runAtMs))
    else later.set(pool, Math.min(later.get(pool) ?? Number.POSITIVE_INFINITY, runAtMs))
  }
  for (const [pool, runAtMs] of [...due, ...later]) notify(tx, jobChannel, `${pool} ${runAtMs}`)
}

/** Rows of one statement; each has fourteen values, and a statement of SQLite has at most 32,766. */
const maxRowsPerStatement = 1000

/** Maximum length of an input as JSON, in characters: inputs hold ids, but one push may move very many references. */
const maxInputLength = 8_000_000

function newJobRow(tx: Tx, { job, input, options, follows }: PlannedJob): NewJobRow {
  const problem = job.problemOf(input)
  if (problem !== undefined) throw new Error(`the input of job ${job.name} is wrong: ${problem}`)
  const text = JSON.stringify(input)
  if (text.length > maxInputLength) throw new Error(`the input of job ${job.name} is ${text.length} characters long`)
  const clock = clockOf(tx)
  const unix = nowUnix(clock)
  const lane = (follows ? follows.lane : job.lane(input)) ?? null
  return {
    name: job.name,
    pool: job.pool,
    input: text,
    version: payloadVersion,
    event_id: follows?.eventId ?? null,
    unique_key: (follows ? follows.merge : job.merge(input)) ?? null,
    lane,
    // `giveTurns` decides about the turn after all rows are inserted.
    is_held: lane !== null,
    priority: priorities[job.priority],
    max_attempts: job.attempts,
    run_at_ms: options.runAtMs ?? clock.nowMs() + (options.delayMs ?? 0),
    created_unix: unix,
    updated_unix: unix,
  }
}

/** A summary of the queue, for administrators and metrics. */
export interface QueueStats {
  readonly waiting: number
  readonly running: number
  readonly failed: number
  /** Time since the oldest waiting job became due, in milliseconds; 0 when none is due. */
  readonly oldestDueMs: number
  readonly byName: readonly { name: string; waiting: number; running: number; failed: number }[]
}

export async function getQueueStats(db: Db): Promise<QueueStats> {
  const nowMs = clockOf(db).nowMs()
  const byName = new Map<string, { name: string; waiting: number; running: number; failed: number }>()
  const totals = { waiting: 0, running: 0, failed: 0 }
  let oldestDueMs = 0
  for (const { name, state, count, first_run_at_ms: firstRunAtMs } of await countJobs(db)) {
    const counts = byName.get(name) ?? { name, waiting: 0, running: 0, failed: 0 }
    counts[state] = count
    totals[state] += count
    byName.set(name, counts)
    if (state === 'waiting') oldestDueMs = Math.max(oldestDueMs, nowMs - firstRunAtMs)
  }
  return { ...totals, oldestDueMs, byName: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** The result of an action on a failed job. */
export type FailedJobOutcome = 'done' | 'missing' | 'not failed'

/** Retries a failed job with all its attempts. */
export async function retryFailedJob(tx: Tx, id: JobId): Promise<FailedJobOutcome> {
  const row = await findJob(tx, id)
  if (row?.state !== 'failed') return row ? 'not failed' : 'missing'
  const nowMs = clockOf(tx).nowMs()
  wakeWorkers(tx, [{ pool: row.pool, run_at_ms: nowMs }])
  if ((await findWaitingTwin(tx, row)) !== undefined) {
    await deleteJob(tx, id)
    return 'done'
  }
  const lanes = row.lane === null ? [] : [row.lane]
  await lockLanes(tx, lanes)
  await updateFailedToWaiting(tx, row, nowMs, nowUnix(clockOf(tx)))
  if (lanes.length > 0) {
    await holdPassedJobs(tx, lanes, nowMs)
    await giveTurns(tx, lanes, nowMs)
  }
  return 'done'
}

/** Deletes a failed job. */
export async function removeFailedJob(tx: Tx, id: JobId): Promise<FailedJobOutcome> {
  const row = await findJob(tx, id)
  if (row?.state !== 'failed') return row ? 'not failed' : 'missing'
  await deleteJob(tx, id)
  return 'done'
}
