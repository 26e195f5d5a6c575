import { clockOf } from '../db/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import type { JobId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import type { Job, JobPriority } from './job.ts'
import { countJobs, deleteJob, findJob, hasWaitingTwin, insertJobs, updateFailedToWaiting } from './job.store.ts'
import type { NewJobRow } from './job.store.ts'

export { countJobsOf, findJob, listJobs, type JobRow } from './job.store.ts'

/**
 * Workers of every process listen here for jobs that were added. The message is empty for one that is due, else the
 * time at which it will be, in milliseconds.
 */
export const jobChannel = 'job'

const priorityNumbers: Readonly<Record<JobPriority, number>> = { high: 10, normal: 50, low: 90 }

/** When a job may begin; at once unless told. */
export interface EnqueueOptions {
  readonly delayMs?: number
  /** Milliseconds since 1970 by the application's clock. */
  readonly runAtMs?: number
}

/** A job that is to be enqueued together with others. */
export interface PlannedJob {
  readonly job: Job<never, unknown>
  readonly input: unknown
  readonly options: EnqueueOptions
}

export const planned = <Input>(
  job: Job<never, Input>,
  input: NoInfer<Input>,
  options: EnqueueOptions = {},
): PlannedJob => ({ job, input, options })

/**
 * Puts a job into the queue as part of the caller's transaction; workers wake when it commits. A job that merges with
 * one that waits already gives that one its input and the earlier of both times.
 * @returns the id of the job's row
 */
export async function enqueue<Input>(
  tx: Tx,
  job: Job<never, Input>,
  input: NoInfer<Input>,
  options: EnqueueOptions = {},
): Promise<JobId> {
  const row = newJobRow(tx, planned(job, input, options))
  wakeWorkers(tx, [row])
  const [id] = await insertJobs(tx, [row])
  return id as JobId
}

/** Like `enqueue`, with one statement for all of them. */
export async function enqueueAll(tx: Tx, plans: readonly PlannedJob[]): Promise<void> {
  // One statement can not merge into the same row twice, so of twins only the last is written.
  const rows = new Map<string, NewJobRow>()
  for (const [index, plan] of plans.entries()) {
    const row = newJobRow(tx, plan)
    const key = row.unique_key === null ? `#${index}` : JSON.stringify([row.name, row.unique_key])
    const twin = rows.get(key)
    rows.set(key, twin && twin.run_at_ms < row.run_at_ms ? { ...row, run_at_ms: twin.run_at_ms } : row)
  }
  if (rows.size === 0) return
  const all = [...rows.values()]
  wakeWorkers(tx, all)
  for (let start = 0; start < all.length; start += maxRowsPerStatement) {
    await insertJobs(tx, all.slice(start, start + maxRowsPerStatement))
  }
}

function wakeWorkers(tx: Tx, rows: readonly NewJobRow[]): void {
  const nowMs = clockOf(tx).nowMs()
  const first = rows.reduce((least, row) => Math.min(least, row.run_at_ms), Number.POSITIVE_INFINITY)
  if (first > nowMs) return notify(tx, jobChannel, String(first))
  notify(tx, jobChannel)
  const later = rows.filter((row) => row.run_at_ms > nowMs).map((row) => row.run_at_ms)
  if (later.length > 0) notify(tx, jobChannel, String(later.reduce((least, at) => Math.min(least, at))))
}

/** Ten columns each; a statement has at most 32,766 parameters on SQLite. */
const maxRowsPerStatement = 1000

/** Longest input of a job as JSON, in characters: rows hold ids, not contents, but one push may move very many refs. */
const maxInputLength = 8_000_000

function newJobRow(tx: Tx, { job, input, options }: PlannedJob): NewJobRow {
  const problem = job.problemOf(input)
  if (problem !== undefined) throw new Error(`the input of job ${job.name} is wrong: ${problem}`)
  const text = JSON.stringify(input)
  if (text.length > maxInputLength) throw new Error(`the input of job ${job.name} is ${text.length} characters long`)
  const clock = clockOf(tx)
  const unix = nowUnix(clock)
  return {
    name: job.name,
    input: text,
    unique_key: job.merge(input) ?? null,
    lane: job.lane(input) ?? null,
    priority: priorityNumbers[job.priority],
    max_attempts: job.attempts,
    run_at_ms: options.runAtMs ?? clock.nowMs() + (options.delayMs ?? 0),
    created_unix: unix,
    updated_unix: unix,
  }
}

/** The queue at a glance, for administrators and metrics. */
export interface QueueStats {
  readonly waiting: number
  readonly running: number
  readonly failed: number
  /** How long the job that waits longest has been due, in milliseconds; 0 when none is due. */
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

/** What became of a request about a failed job. */
export type FailedJobOutcome = 'done' | 'missing' | 'not failed'

/** Has a failed job tried again, with all its attempts. */
export async function retryFailedJob(tx: Tx, id: JobId): Promise<FailedJobOutcome> {
  const row = await findJob(tx, id)
  if (row?.state !== 'failed') return row ? 'not failed' : 'missing'
  notify(tx, jobChannel)
  if (await hasWaitingTwin(tx, row)) await deleteJob(tx, id)
  else await updateFailedToWaiting(tx, id, clockOf(tx).nowMs(), nowUnix(clockOf(tx)))
  return 'done'
}

/** Forgets a failed job. */
export async function removeFailedJob(tx: Tx, id: JobId): Promise<FailedJobOutcome> {
  const row = await findJob(tx, id)
  if (row?.state !== 'failed') return row ? 'not failed' : 'missing'
  await deleteJob(tx, id)
  return 'done'
}
