import type { Db } from '../db/database.ts'
import { isDiskFull } from '../lib/full-disk.ts'
import { isStorageAway } from '../lib/storage-away.ts'
import { isPermanent, type AnyJob, type JobProgress } from './job.ts'
import type { JobRow } from './job.store.ts'
import { readPayload, Unreadable } from './versions.ts'

/** The outcome of an attempt. `isAbandoned` states that its code may still run. */
export type AttemptResult = { readonly durationMs: number } & (
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'interrupted'; readonly isAbandoned: boolean }
  /** This release cannot read the row. */
  | { readonly kind: 'unreadable'; readonly error: Unreadable; readonly isAbandoned: boolean }
  | {
      readonly kind: 'failed'
      readonly error: unknown
      /** Why the job is not retried; undefined when it is. */
      readonly problem: 'permanent' | 'exhausted' | undefined
      /** Whether the storage of this instance was away or a disk full, so that the attempt does not count. */
      readonly isWithoutStorage: boolean
      readonly isAbandoned: boolean
    }
)

/** A running attempt. */
export interface Attempt {
  readonly result: Promise<AttemptResult>
  /** The program stops; the job returns to the queue. */
  interrupt(): void
  /** Another worker has taken the job. */
  lose(): void
}

export interface AttemptOptions<Ctx> {
  readonly db: Db
  readonly job: AnyJob<Ctx>
  readonly row: JobRow
  createContext(signal: AbortSignal): Ctx | Promise<Ctx>
  /** Time that the code has to end after its signal is aborted, in milliseconds. */
  readonly abortGraceMs: number
  saveProgress(text: string): Promise<void>
}

class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

const progressEveryMs = 1000

/** Runs a job once. The result never rejects. */
export function runAttempt<Ctx>(options: AttemptOptions<Ctx>): Attempt {
  const { job, row } = options
  const stop = new AbortController()
  const beganMs = performance.now()
  const progress = createProgress((value) => options.saveProgress(JSON.stringify(value)))
  const timer = setTimeout(
    () => {
      stop.abort(new Error(`the job took longer than ${job.timeoutMs} ms`))
    },
    Math.min(job.timeoutMs, maxTimerMs),
  ).unref()

  const isLastAttempt = row.attempt >= row.max_attempts
  async function work(): Promise<void> {
    const input = readPayload(`the input of job ${job.name}`, job.problemOf, row.version, JSON.parse(row.input))
    const context = await options.createContext(stop.signal)
    await job.run(context, input, {
      db: options.db,
      signal: stop.signal,
      attempt: row.attempt,
      isLastAttempt,
      progress: progress.set,
    })
  }

  async function result(): Promise<AttemptResult> {
    const working = work()
    let isAbandoned = false
    try {
      await Promise.race([
        working,
        afterAbort(stop.signal, options.abortGraceMs).then((reason) => {
          isAbandoned = true
          throw reason
        }),
      ])
      return { kind: 'succeeded', durationMs: performance.now() - beganMs }
    } catch (error) {
      // After an abort the code throws a consequence; the reason of the signal says more.
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
      const durationMs = performance.now() - beganMs
      if (reason instanceof Interrupted) return { kind: 'interrupted', durationMs, isAbandoned }
      if (reason instanceof Unreadable) return { kind: 'unreadable', error: reason, durationMs, isAbandoned }
      const isWithoutStorage = isStorageAway(reason) || isDiskFull(reason)
      const problem = isPermanent(reason) ? 'permanent' : isLastAttempt && !isWithoutStorage ? 'exhausted' : undefined
      return { kind: 'failed', error: reason, problem, isWithoutStorage, durationMs, isAbandoned }
    } finally {
      clearTimeout(timer)
      progress.end()
      working.catch(() => {})
    }
  }

  return {
    result: result(),
    interrupt: () => stop.abort(new Interrupted('the program stops')),
    lose: () => stop.abort(new Interrupted('another worker has the job')),
  }
}

/** Maximum delay of a Node timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Resolves with the reason when the signal is aborted and `graceMs` have passed since. */
const afterAbort = (signal: AbortSignal, graceMs: number): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => setTimeout(() => resolve(signal.reason), graceMs).unref(), { once: true })
  })

/** Writes the latest value at most once a second. */
function createProgress(save: (progress: JobProgress) => Promise<void>): {
  readonly set: (value: JobProgress) => void
  readonly end: () => void
} {
  let newest: JobProgress | undefined
  let timer: NodeJS.Timeout | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  function write(): void {
    timer = undefined
    lastMs = performance.now()
    if (newest) void save(newest)
  }
  return {
    set(value) {
      newest = value
      timer ??= setTimeout(write, Math.max(0, lastMs + progressEveryMs - performance.now())).unref()
    },
    end() {
      clearTimeout(timer)
      newest = undefined
    },
  }
}
