import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { clockOf } from '../db/clock.ts'
import { isUniqueViolation, transaction, type Db } from '../db/database.ts'
import { listen } from '../db/notify.ts'
import { databaseKind } from '../db/open.ts'
import type { JobId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { nowUnix, systemClock } from '../lib/time.ts'
import { errorText } from './error-text.ts'
import type { AnyJob } from './job.ts'
import { runAttempt, type Attempt, type AttemptResult } from './attempt.ts'
import {
  claimJobs,
  deleteOldFailedJobs,
  deleteRunningJob,
  findNextDueMs,
  hasClaimableJob,
  hasWaitingTwin,
  listBusyJobs,
  listExpiredJobs,
  updateLeases,
  updateProgress,
  updateReleasedJob,
  type JobRow,
} from './job.store.ts'
import { jobChannel } from './queue.ts'
import type { Scheduler } from './scheduler.ts'

/** One finished attempt, for metrics. */
export interface JobObservation {
  readonly name: string
  readonly result: 'succeeded' | 'retried' | 'failed' | 'interrupted'
  readonly durationMs: number
}

export interface WorkerOptions<Ctx> {
  readonly db: Db
  /** Every declared job, those of events included. Rows of other names are left to other processes. */
  readonly jobs: readonly AnyJob<Ctx>[]
  readonly scheduler?: Scheduler<Ctx>
  /** Makes the context that a job runs in. */
  createContext(job: { readonly id: JobId; readonly name: string; readonly signal: AbortSignal }): Ctx | Promise<Ctx>
  readonly log: Log
  /** True: no other process uses the database, so what runs at the start is a leftover and is taken back at once. */
  readonly isAlone?: boolean
  /** Most jobs that this process runs at the same time. */
  readonly concurrency: number
  observe?(observation: JobObservation): void
  readonly limits?: Partial<WorkerLimits>
}

/** Waits and amounts; the defaults suit production. */
export interface WorkerLimits {
  /** How long a job stays with a worker that is not heard of, in milliseconds. Prolonged three times as often. */
  readonly leaseMs: number
  /** Longest rest between two looks at the queue when nothing wakes the worker, in milliseconds. */
  readonly idlePollMs: number
  /** How long an attempt may go on after its signal was aborted before it is left to itself, in milliseconds. */
  readonly abortGraceMs: number
  /** How long failed jobs are kept, in days, and how many of them. */
  readonly failedKeepDays: number
  readonly failedKeepCount: number
}

export const defaultWorkerLimits: WorkerLimits = {
  leaseMs: 60_000,
  idlePollMs: 10_000,
  abortGraceMs: 5000,
  failedKeepDays: 7,
  failedKeepCount: 10_000,
}

export interface Workers {
  /**
   * Resolves when no declared job is due or running in any process and no task is due, what these enqueue included.
   * Rejects after `timeoutMs` with the names of what is left.
   */
  settle(timeoutMs?: number): Promise<void>
  /**
   * Takes no more jobs, lets the running ones end for `deadlineMs`, then aborts them and gives them back to the queue
   * without counting the attempt.
   */
  stop(deadlineMs: number): Promise<void>
}

interface Running {
  readonly row: JobRow
  readonly attempt: Attempt
  readonly ended: Promise<void>
}

/** Jobs whose leases ran out that are looked at in one go. */
const maxExpiredAtOnce = 100
const failedPruneEveryMs = 3_600_000
const errorPauseMs = 1000
const settlePollMs = 3

/** Starts to run the queue's jobs in this process. */
export function startWorkers<Ctx>(options: WorkerOptions<Ctx>): Workers {
  const { db, log, scheduler, concurrency } = options
  const limits = { ...defaultWorkerLimits, ...options.limits }
  const jobs = declaredJobs([...options.jobs, ...(scheduler?.jobs ?? [])])
  const names = [...jobs.keys()]
  const worker = randomUUID()
  const running = new Map<JobId, Running>()

  let isStopping = false
  let isWoken = false
  let hasBegun = false
  let wakeWaiter: (() => void) | undefined
  /** Jobs may be due: `yes` when one was just enqueued, `perhaps` when only a look can tell. */
  let due: 'yes' | 'perhaps' | 'no' = 'perhaps'
  /** When the next job becomes due, as far as it is known; looked up when `isNextDueKnown` is false. */
  let nextDueMs = Number.POSITIVE_INFINITY
  let isNextDueKnown = false
  let nextTickUnix: number | undefined = 0
  let nextReapMs = 0
  let nextPruneMs = 0

  function wake(): void {
    isWoken = true
    wakeWaiter?.()
  }

  /** Has the queue looked at: something may have been missed. */
  function wakeToLook(): void {
    if (due === 'no') due = 'perhaps'
    isNextDueKnown = false
    wake()
  }

  /** A job was enqueued, here or in another process. */
  function heard(payload: string): void {
    if (payload === '') due = 'yes'
    else nextDueMs = Math.min(nextDueMs, Number(payload))
    wake()
  }

  /** Rests until woken, at most `ms`; then it looks by itself. The timer keeps no process alive. */
  async function rest(ms: number): Promise<void> {
    if (isWoken || isStopping || ms <= 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        wakeToLook()
        resolve()
      }, ms).unref()
      wakeWaiter = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    wakeWaiter = undefined
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      let restMs: number
      try {
        restMs = await pass()
      } catch (error) {
        log('error', 'the job queue could not be read; trying again', { error })
        await sleep(errorPauseMs)
        wakeToLook()
        continue
      }
      await rest(restMs)
    }
  }

  /** Takes what is due. Answers how long there is nothing to do unless woken, in milliseconds. */
  async function pass(): Promise<number> {
    if (!hasBegun) {
      await scheduler?.begin()
      if (options.isAlone) await takeBackExpired(Number.MAX_SAFE_INTEGER)
      hasBegun = true
    }
    await keepHouse()
    const nowMs = clockOf(db).nowMs()
    if (nextTickUnix !== undefined && nextTickUnix * 1000 <= nowMs) nextTickUnix = await scheduler?.tick()
    await takeDueJobs(nowMs)
    if (!isNextDueKnown && names.length > 0) {
      isNextDueKnown = true
      nextDueMs = Number.POSITIVE_INFINITY
      const found = await findNextDueMs(db, names, nowMs)
      // What was heard meanwhile counts too.
      if (found !== undefined) nextDueMs = Math.min(nextDueMs, found)
    }
    const nextTickMs = (nextTickUnix ?? Number.POSITIVE_INFINITY) * 1000
    return Math.min(Math.min(nextDueMs, nextTickMs) - clockOf(db).nowMs(), limits.idlePollMs)
  }

  async function takeDueJobs(nowMs: number): Promise<void> {
    if (nextDueMs <= nowMs) {
      due = 'yes'
      isNextDueKnown = false
    }
    const free = concurrency - running.size
    if (due === 'no' || free <= 0 || names.length === 0) return
    // Looking is cheaper than taking where the database is another process.
    const takesAtOnce = due === 'yes' || databaseKind(db) === 'sqlite'
    // Before anything is awaited: what is heard from here on asks for another pass.
    due = 'no'
    if (!takesAtOnce && !(await hasClaimableJob(db, names, nowMs))) return
    const claimed = await claim(free, nowMs)
    for (const row of claimed) start(row)
    if (claimed.length === free) due = 'perhaps'
  }

  async function claim(limit: number, nowMs: number): Promise<JobRow[]> {
    const leaseUntilMs = systemClock.nowMs() + limits.leaseMs
    const unix = nowUnix(clockOf(db))
    try {
      return await transaction(db, (tx) => claimJobs(tx, { names, limit, nowMs, worker, leaseUntilMs, nowUnix: unix }))
    } catch (error) {
      // Two jobs of a lane were taken at the same time, here or by another process; one of them comes again.
      if (isUniqueViolation(error)) {
        due = 'perhaps'
        return limit === 1 ? [] : claim(1, nowMs)
      }
      throw error
    }
  }

  function start(row: JobRow): void {
    const job = jobs.get(row.name) as AnyJob<Ctx>
    const attempt = runAttempt({
      job,
      row,
      createContext: (signal) => options.createContext({ id: row.id, name: row.name, signal }),
      abortGraceMs: limits.abortGraceMs,
      saveProgress: (text) =>
        transaction(db, (tx) => updateProgress(tx, row.id, worker, text, nowUnix(clockOf(db)))).catch(
          (error: unknown) =>
            // The next value is written all the same, and the work itself does not depend on it.
            log('warn', 'the progress of a job could not be written', { error, job: row.name, jobId: row.id }),
        ),
    })
    const ended = attempt.result
      .then((result) => finish(row, job, result))
      .catch((error: unknown) =>
        // The row stays as it is: when its lease runs out the job is run again.
        log('error', 'the outcome of a job could not be written', { error, job: row.name, jobId: row.id }),
      )
      .finally(() => {
        // What this job kept back: jobs that found no room, and the next of its lane.
        const mayFreeOthers = running.size === concurrency || row.lane !== null
        running.delete(row.id)
        if (!mayFreeOthers) return
        if (due === 'no') due = 'perhaps'
        wake()
      })
    running.set(row.id, { row, attempt, ended })
  }

  async function finish(row: JobRow, job: AnyJob<Ctx>, result: AttemptResult): Promise<void> {
    const about = { job: row.name, jobId: row.id, attempt: row.attempt, durationMs: Math.round(result.durationMs) }
    const observe = (outcome: JobObservation['result']): void =>
      options.observe?.({ name: row.name, result: outcome, durationMs: result.durationMs })
    if (result.kind === 'succeeded') {
      await transaction(db, (tx) => deleteRunningJob(tx, row.id, worker))
      observe('succeeded')
      return
    }
    if (result.isAbandoned) log('error', 'a job ignores that it was told to stop, and is left to itself', about)
    if (result.kind === 'interrupted') {
      await release(row, { attempt: row.attempt - 1, runAtMs: row.run_at_ms, error: row.last_error })
      observe('interrupted')
      return
    }
    const text = errorText(result.error)
    if (result.isFinal) {
      log('error', 'a job has failed for good', { ...about, error: result.error })
      await fail(row, text)
      observe('failed')
      return
    }
    const delayMs = job.retryDelayMs(row.attempt, result.input)
    log('warn', 'a job has failed and is tried again', { ...about, error: result.error, retryInMs: delayMs })
    await release(row, { attempt: row.attempt, runAtMs: clockOf(db).nowMs() + delayMs, error: text })
    observe('retried')
  }

  const fail = (row: JobRow, error: string): Promise<void> =>
    transaction(db, (tx) =>
      updateReleasedJob(tx, row.id, row.leased_by as string, {
        state: 'failed',
        attempt: row.attempt,
        run_at_ms: row.run_at_ms,
        last_error: error,
        updated_unix: nowUnix(clockOf(db)),
      }),
    )

  /** Lets a job wait again, unless another waits under its key, which then does the work. */
  async function release(
    row: JobRow,
    { attempt, runAtMs, error }: { attempt: number; runAtMs: number; error: string | null },
  ): Promise<void> {
    const giveBack = (): Promise<void> =>
      transaction(db, async (tx) => {
        if (await hasWaitingTwin(tx, row)) return void (await deleteRunningJob(tx, row.id, row.leased_by as string))
        await updateReleasedJob(tx, row.id, row.leased_by as string, {
          state: 'waiting',
          attempt,
          run_at_ms: runAtMs,
          last_error: error,
          updated_unix: nowUnix(clockOf(db)),
        })
      })
    try {
      await giveBack()
    } catch (error_) {
      // The twin was enqueued in this very moment, by another process; now it is there to be seen.
      if (!isUniqueViolation(error_)) throw error_
      await giveBack()
    }
    nextDueMs = Math.min(nextDueMs, runAtMs)
    wake()
  }

  /** Takes jobs back from workers that are gone, and forgets old failures. */
  async function keepHouse(): Promise<void> {
    const nowMs = systemClock.nowMs()
    if (nowMs >= nextReapMs) {
      nextReapMs = nowMs + limits.leaseMs / 2
      await takeBackExpired(nowMs)
    }
    if (nowMs >= nextPruneMs) {
      nextPruneMs = nowMs + failedPruneEveryMs
      const beforeUnix = nowUnix(clockOf(db)) - limits.failedKeepDays * 86_400
      await transaction(db, (tx) => deleteOldFailedJobs(tx, beforeUnix, limits.failedKeepCount))
    }
  }

  async function takeBackExpired(beforeMs: number): Promise<void> {
    let expired: JobRow[]
    do {
      expired = await transaction(db, (tx) => listExpiredJobs(tx, beforeMs, worker, maxExpiredAtOnce))
      for (const row of expired) await takeBack(row)
    } while (expired.length === maxExpiredAtOnce)
  }

  async function takeBack(row: JobRow): Promise<void> {
    const error = 'the process that ran the job ended before the job did'
    log('warn', error, { job: row.name, jobId: row.id, attempt: row.attempt, worker: row.leased_by })
    if (row.attempt >= row.max_attempts) await fail(row, error)
    else await release(row, { attempt: row.attempt, runAtMs: row.run_at_ms, error })
  }

  async function prolongLeases(): Promise<void> {
    const ids = [...running.keys()]
    if (ids.length === 0) return
    const leaseUntilMs = systemClock.nowMs() + limits.leaseMs
    const kept = await transaction(db, (tx) => updateLeases(tx, ids, worker, leaseUntilMs))
    for (const id of ids) if (!kept.has(id)) running.get(id)?.attempt.lose()
  }

  const heartbeat = setInterval(() => {
    prolongLeases().catch((error: unknown) => log('error', 'the leases of jobs could not be prolonged', { error }))
  }, limits.leaseMs / 3).unref()
  const unlisten = listen(db, jobChannel, { heard, missed: wakeToLook })
  const looping = loop()

  return {
    async settle(timeoutMs = 30_000) {
      const deadlineMs = performance.now() + timeoutMs
      for (;;) {
        const nowMs = clockOf(db).nowMs()
        const hasTicks = hasBegun && (nextTickUnix === undefined || nextTickUnix * 1000 > nowMs)
        const busy = names.length === 0 ? [] : await listBusyJobs(db, names, nowMs)
        if (hasTicks && busy.length === 0 && running.size === 0) return
        if (isStopping) throw new Error('the workers were stopped while somebody waited for them')
        if (performance.now() > deadlineMs) {
          const left = busy.map((each) => `${each.name} ${each.id} (${each.state})`).join(', ')
          throw new Error(`jobs did not come to rest within ${timeoutMs} ms: ${left || 'the scheduler is busy'}`)
        }
        wakeToLook()
        await Promise.race([sleep(settlePollMs), ...[...running.values()].map((each) => each.ended)])
      }
    },

    async stop(deadlineMs) {
      isStopping = true
      unlisten()
      wake()
      await looping
      const allEnded = (): Promise<unknown> => Promise.all([...running.values()].map((each) => each.ended))
      const timer = new AbortController()
      await Promise.race([allEnded(), sleep(deadlineMs, undefined, { signal: timer.signal }).catch(() => {})])
      timer.abort()
      for (const each of running.values()) each.attempt.interrupt()
      await allEnded()
      clearInterval(heartbeat)
    },
  }
}

function declaredJobs<Ctx>(jobs: readonly AnyJob<Ctx>[]): Map<string, AnyJob<Ctx>> {
  const byName = new Map<string, AnyJob<Ctx>>()
  for (const job of jobs) {
    if (byName.has(job.name)) throw new Error(`two jobs are named ${job.name}`)
    byName.set(job.name, job)
  }
  return byName
}
