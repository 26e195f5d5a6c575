import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { clockOf } from '../db/clock.ts'
import { isUniqueViolation, transaction, type Db } from '../db/database.ts'
import { listen } from '../db/notify.ts'
import { isDatabaseAway } from '../db/reach.ts'
import type { ProcessLease } from '../db/process-lease.ts'
import type { JobId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { nowUnix } from '../lib/time.ts'
import { Alarm } from './alarm.ts'
import { runAttempt, type Attempt, type AttemptResult } from './attempt.ts'
import { errorText } from './error-text.ts'
import type { AnyJob } from './job.ts'
import {
  claimJobs,
  deleteOldFailedJobs,
  findNextDueMs,
  listBusyJobs,
  listClaimablePools,
  listAbandonedJobs,
  updateLeases,
  updateProgress,
  workerOfProcess,
  type JobRow,
} from './job.store.ts'
import { endJob, failJob, releaseJob, restoreTurns, type Release } from './outcome.ts'
import { PoolSet } from './pool-set.ts'
import { isOftenRunning, type PoolSlots } from './pools.ts'
import { jobChannel } from './queue.ts'
import type { Scheduler } from './scheduler.ts'

/** One finished attempt, for metrics. */
export interface JobObservation {
  readonly name: string
  readonly result: 'succeeded' | 'retried' | 'failed' | 'interrupted' | 'unreadable'
  readonly durationMs: number
}

export interface WorkerOptions<Ctx> {
  readonly db: Db
  /** Every declared job, including the jobs of events. Rows with other names are left to other processes. */
  readonly jobs: readonly AnyJob<Ctx>[]
  readonly scheduler?: Scheduler<Ctx>
  /** Makes the context that a job runs in. */
  createContext(job: { readonly id: JobId; readonly name: string; readonly signal: AbortSignal }): Ctx | Promise<Ctx>
  readonly log: Log
  /** The lease of this process. Without one, jobs are reclaimed by age only. */
  readonly process?: ProcessLease
  /** No other process uses the database, so jobs marked as running at the start are reclaimed at once. */
  readonly isAlone?: boolean
  /** The maximum number of concurrent jobs per pool in this process; 1 by default. */
  readonly slots: Partial<PoolSlots>
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

/** How long a row that this release cannot read is left for a newer one before it is looked at again, in milliseconds. */
const unreadableWaitMs = 60_000

/** Starts to run the queue's jobs in this process. */
export function startWorkers<Ctx>(options: WorkerOptions<Ctx>): Workers {
  return new WorkerLoop(options)
}

/** One loop claims the due jobs of all pools; the jobs run concurrently. */
class WorkerLoop<Ctx> implements Workers {
  readonly #options: WorkerOptions<Ctx>
  readonly #limits: WorkerLimits
  readonly #jobs: ReadonlyMap<string, AnyJob<Ctx>>
  readonly #names: readonly string[]
  /** The worker name in job rows when there is no process lease. */
  readonly #ownName = randomUUID()
  readonly #pools: PoolSet
  readonly #running = new Map<JobId, Running>()
  readonly #alarm = new Alarm()
  readonly #heartbeat: NodeJS.Timeout
  readonly #unlisten: () => void
  readonly #looping: Promise<void>

  #isStopping = false
  #hasBegun = false
  /** When the next job is due, as far as known; read from the database when `#isNextDueKnown` is false. */
  #nextDueMs = Number.POSITIVE_INFINITY
  #isNextDueKnown = false
  /** Counts the notifications of added and released jobs. */
  #heardCount = 0
  #nextTickUnix: number | undefined = 0
  #nextReapMs = 0
  #nextPruneMs = 0

  constructor(options: WorkerOptions<Ctx>) {
    this.#options = options
    this.#limits = { ...defaultWorkerLimits, ...options.limits }
    this.#jobs = declaredJobs([...options.jobs, ...(options.scheduler?.jobs ?? [])])
    this.#names = [...this.#jobs.keys()]
    this.#pools = new PoolSet(options.slots)
    this.#heartbeat = setInterval(() => {
      this.#prolongLeases().catch((error: unknown) =>
        options.log('error', 'the leases of jobs could not be prolonged', { error }),
      )
    }, this.#limits.leaseMs / 3).unref()
    this.#unlisten = listen(options.db, jobChannel, {
      heard: (message) => this.#heard(message),
      missed: () => this.#wakeToLook(),
    })
    options.process?.onBeat(() => this.#takeBack('abandoned'))
    options.process?.onLoss(() => {
      for (const { attempt } of this.#running.values()) attempt.lose()
    })
    this.#looping = this.#loop()
  }

  /** Returns the worker name for the rows of claimed jobs. */
  async #worker(): Promise<string> {
    const { process } = this.#options
    return process ? workerOfProcess + (await process.id()) : this.#ownName
  }

  async settle(timeoutMs = 30_000): Promise<void> {
    const { db } = this.#options
    const deadlineMs = performance.now() + timeoutMs
    for (;;) {
      const nowMs = clockOf(db).nowMs()
      const heardCount = this.#heardCount
      const hasTicked = this.#hasBegun && (this.#nextTickUnix === undefined || this.#nextTickUnix * 1000 > nowMs)
      const busy = this.#names.length === 0 ? [] : await listBusyJobs(db, this.#names, nowMs)
      // One that came or was given back while these were looked for may be due by now.
      const isAsItWas = this.#heardCount === heardCount
      if (hasTicked && busy.length === 0 && this.#running.size === 0 && isAsItWas) return
      if (this.#isStopping) throw new Error('the workers were stopped while somebody waited for them')
      if (performance.now() > deadlineMs) {
        const left = busy.map((each) => `${each.name} ${each.id} (${each.state})`).join(', ')
        throw new Error(`jobs did not come to rest within ${timeoutMs} ms: ${left || 'the scheduler is busy'}`)
      }
      this.#wakeToLook()
      await Promise.race([sleep(settlePollMs), ...[...this.#running.values()].map((each) => each.ended)])
    }
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    this.#unlisten()
    this.#alarm.ring()
    await this.#looping
    const allEnded = (): Promise<unknown> => Promise.all([...this.#running.values()].map((each) => each.ended))
    const timer = new AbortController()
    await Promise.race([allEnded(), sleep(deadlineMs, undefined, { signal: timer.signal }).catch(() => {})])
    timer.abort()
    for (const each of this.#running.values()) each.attempt.interrupt()
    await allEnded()
    clearInterval(this.#heartbeat)
  }

  /** Has the queue looked at: something may have been missed. */
  #wakeToLook(): void {
    this.#pools.suspectAll()
    this.#isNextDueKnown = false
    this.#alarm.ring()
  }

  /** A job was enqueued, here or in another process. */
  #heard(message: string): void {
    this.#heardCount += 1
    const [pool = '', time] = message.split(' ')
    // An older release announces a job that is due without its time.
    const runAtMs = Number(time ?? 0)
    if (runAtMs <= clockOf(this.#options.db).nowMs()) this.#pools.expect(pool)
    else this.#nextDueMs = Math.min(this.#nextDueMs, runAtMs)
    this.#alarm.ring()
  }

  async #loop(): Promise<void> {
    while (!this.#isStopping) {
      this.#alarm.reset()
      let restMs: number
      try {
        restMs = await this.#pass()
      } catch (error) {
        this.#options.log('error', 'the job queue could not be read; trying again', { error })
        await sleep(errorPauseMs)
        this.#wakeToLook()
        continue
      }
      if (!this.#isStopping && !(await this.#alarm.rest(restMs))) this.#wakeToLook()
    }
  }

  /** Claims due jobs. Returns the time until the next pass, in milliseconds; a notification ends the wait early. */
  async #pass(): Promise<number> {
    const { db, scheduler, isAlone } = this.#options
    if (!this.#hasBegun) {
      await scheduler?.begin()
      if (isAlone) await this.#takeBack('all')
      this.#hasBegun = true
    }
    await this.#keepHouse()
    const nowMs = clockOf(db).nowMs()
    if (this.#nextTickUnix !== undefined && this.#nextTickUnix * 1000 <= nowMs) {
      this.#nextTickUnix = await scheduler?.tick()
    }
    await this.#takeDueJobs(nowMs)
    if (!this.#isNextDueKnown && this.#names.length > 0) {
      this.#isNextDueKnown = true
      this.#nextDueMs = Number.POSITIVE_INFINITY
      const found = await findNextDueMs(db, this.#names, nowMs)
      // Notifications that arrived meanwhile count too.
      if (found !== undefined) this.#nextDueMs = Math.min(this.#nextDueMs, found)
    }
    const nextTickMs = (this.#nextTickUnix ?? Number.POSITIVE_INFINITY) * 1000
    return Math.min(Math.min(this.#nextDueMs, nextTickMs) - clockOf(db).nowMs(), this.#limits.idlePollMs)
  }

  async #takeDueJobs(nowMs: number): Promise<void> {
    if (this.#nextDueMs <= nowMs) {
      this.#pools.suspectAll()
      this.#isNextDueKnown = false
    }
    if (this.#names.length === 0) return
    // Before anything is awaited: what is heard from here on asks for another pass.
    const { sure, unsure } = this.#pools.takeOpen()
    const found = unsure.length === 0 ? [] : await listClaimablePools(this.#options.db, unsure, this.#names, nowMs)
    for (const pool of [...sure, ...found]) {
      const free = this.#pools.freeIn(pool)
      const claimed = await this.#claim(pool, free, nowMs)
      for (const row of claimed) this.#start(row)
      if (claimed.length === free) this.#pools.suspect(pool)
    }
  }

  async #claim(pool: string, limit: number, nowMs: number): Promise<JobRow[]> {
    const { db } = this.#options
    const { leaseMs } = this.#limits
    const claim = { pool, names: this.#names, limit, nowMs, worker: await this.#worker(), leaseMs }
    try {
      return await transaction(db, (tx) => claimJobs(tx, { ...claim, nowUnix: nowUnix(clockOf(db)) }))
    } catch (error) {
      // Two jobs of a lane were taken at the same time, here or by another process; one of them comes again.
      if (isUniqueViolation(error)) {
        this.#pools.suspect(pool)
        return limit === 1 ? [] : this.#claim(pool, 1, nowMs)
      }
      throw error
    }
  }

  #start(row: JobRow): void {
    const { db, log } = this.#options
    const job = this.#jobs.get(row.name) as AnyJob<Ctx>
    const about = { job: row.name, jobId: row.id }
    const attempt = runAttempt({
      db,
      job,
      row,
      createContext: (signal) => this.#options.createContext({ id: row.id, name: row.name, signal }),
      abortGraceMs: this.#limits.abortGraceMs,
      saveProgress: (text) =>
        transaction(db, (tx) => updateProgress(tx, row.id, row.leased_by as string, text, nowUnix(clockOf(db))), {
          lasting: false,
        }).catch((error: unknown) =>
          // The next value is written all the same, and the work itself does not depend on it.
          log('warn', 'the progress of a job could not be written', { error, ...about }),
        ),
    })
    const ended = attempt.result
      .then((result) => this.#finishSurely(row, job, result))
      .finally(() => {
        this.#running.delete(row.id)
        // Others may have found no room.
        if (this.#pools.leave(row.pool)) this.#alarm.ring()
      })
    this.#pools.enter(row.pool)
    this.#running.set(row.id, { row, attempt, ended })
  }

  /** Writes the outcome of a job, again while the database is away: a job that ran must not count as one of a dead process. */
  async #finishSurely(row: JobRow, job: AnyJob<Ctx>, result: AttemptResult): Promise<void> {
    const { log } = this.#options
    const endMs = performance.now() + this.#limits.leaseMs
    for (;;) {
      try {
        return await this.#finish(row, job, result)
      } catch (error) {
        log('error', 'the outcome of a job could not be written', { error, job: row.name, jobId: row.id })
        // The row stays as it is: when its lease runs out the job is run again.
        if (!isDatabaseAway(error) || this.#isStopping || performance.now() > endMs) return
      }
      await sleep(errorPauseMs)
    }
  }

  async #finish(row: JobRow, job: AnyJob<Ctx>, result: AttemptResult): Promise<void> {
    const { db, log } = this.#options
    const about = { job: row.name, jobId: row.id, attempt: row.attempt, durationMs: Math.round(result.durationMs) }
    const observe = (outcome: JobObservation['result']): void =>
      this.#options.observe?.({ name: row.name, result: outcome, durationMs: result.durationMs })
    if (result.kind === 'succeeded') {
      await endJob(db, row)
      return observe('succeeded')
    }
    if (result.isAbandoned) log('error', 'a job ignores that it was told to stop, and is left to itself', about)
    if (result.kind === 'interrupted') {
      await releaseJob(db, row, uncounted(row))
      return observe('interrupted')
    }
    const { error } = result
    const text = errorText(error)
    if (result.kind === 'unreadable') {
      log('warn', 'a job waits for a release that can read it', { ...about, error })
      const runAtMs = clockOf(db).nowMs() + unreadableWaitMs
      const lane = job.whenFailing
      await releaseJob(db, row, { ...uncounted(row), runAtMs, error: text, lane, problem: 'unreadable' })
      return observe('unreadable')
    }
    if (result.problem) {
      log('error', 'a job has failed for good', { ...about, error })
      await failJob(db, row, result.problem, text)
      return observe('failed')
    }
    const nowMs = clockOf(db).nowMs()
    const delayMs = result.isWithoutStorage
      ? storageWaitMs(nowMs - row.created_unix * 1000)
      : job.retryDelayMs(row.attempt)
    log('warn', 'a job has failed and is tried again', { ...about, error, retryInMs: delayMs })
    const attempt = result.isWithoutStorage ? row.attempt - 1 : row.attempt
    await releaseJob(db, row, { attempt, runAtMs: nowMs + delayMs, error: text, lane: job.whenFailing })
    observe('retried')
  }

  /** Reclaims the jobs of dead workers, deletes old failures, and repairs lanes. */
  async #keepHouse(): Promise<void> {
    const { db } = this.#options
    const nowMs = performance.now()
    if (nowMs >= this.#nextReapMs) {
      this.#nextReapMs = nowMs + this.#limits.leaseMs / 2
      await this.#takeBack('abandoned')
    }
    if (nowMs >= this.#nextPruneMs) {
      this.#nextPruneMs = nowMs + failedPruneEveryMs
      const beforeUnix = nowUnix(clockOf(db)) - this.#limits.failedKeepDays * 86_400
      await transaction(db, (tx) => deleteOldFailedJobs(tx, beforeUnix, this.#limits.failedKeepCount))
      const restored = await restoreTurns(db)
      if (restored.length > 0) this.#options.log('warn', 'lanes of jobs had lost their turn', { lanes: restored })
    }
  }

  async #takeBack(which: 'abandoned' | 'all'): Promise<void> {
    const { db } = this.#options
    const wanted = { which, notOf: await this.#worker(), limit: maxExpiredAtOnce }
    for (;;) {
      const expired = await transaction(db, (tx) => listAbandonedJobs(tx, wanted))
      // The next look takes the others.
      const free = expired.filter(({ isFree }) => isFree)
      for (const { job } of free) await this.#takeBackOne(job)
      if (expired.length < maxExpiredAtOnce || free.length === 0) return
    }
  }

  async #takeBackOne(row: JobRow): Promise<void> {
    const { db, log } = this.#options
    const error = 'the process that ran the job ended before the job did'
    log('warn', error, { job: row.name, jobId: row.id, attempt: row.attempt, worker: row.leased_by })
    if (row.attempt >= row.max_attempts) return failJob(db, row, 'exhausted', error)
    if (row.problem === 'crashed' && !isOftenRunning(row.pool)) {
      log('error', 'a job is parked because its process ended twice', { job: row.name, jobId: row.id })
      return failJob(db, row, 'crashed', `${error}, twice in a row`)
    }
    await releaseJob(db, row, {
      attempt: row.attempt,
      runAtMs: row.run_at_ms,
      error,
      lane: 'block',
      problem: 'crashed',
    })
  }

  async #prolongLeases(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    const { leaseMs } = this.#limits
    const worker = await this.#worker()
    const kept = await transaction(this.#options.db, (tx) => updateLeases(tx, ids, worker, leaseMs), { lasting: false })
    for (const id of ids) if (!kept.has(id)) this.#running.get(id)?.attempt.lose()
  }
}

/**
 * How long a job waits for a storage that is away, in milliseconds: a third of its age, from 5 seconds to 10 minutes, so that a short
 * failure delays it shortly and a long one costs little.
 */
const storageWaitMs = (ageMs: number): number =>
  Math.round(Math.min(600_000, Math.max(5000, ageMs / 3)) * (0.75 + Math.random() / 2))

/** As if the attempt had not been. */
const uncounted = (row: JobRow): Release => ({
  attempt: row.attempt - 1,
  runAtMs: row.run_at_ms,
  error: row.last_error,
  lane: 'block',
})

function declaredJobs<Ctx>(jobs: readonly AnyJob<Ctx>[]): Map<string, AnyJob<Ctx>> {
  const byName = new Map<string, AnyJob<Ctx>>()
  for (const job of jobs) {
    if (byName.has(job.name)) throw new Error(`two jobs are named ${job.name}`)
    byName.set(job.name, job)
  }
  return byName
}
