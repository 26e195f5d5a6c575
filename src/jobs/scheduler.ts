import { Type } from 'typebox'
import { clockOf } from '../db/clock.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { createChecker } from './checker.ts'
import { errorText } from './error-text.ts'
import { backOffMs, defaultAttempts, type AnyJob } from './job.ts'
import { deleteFailedJobsOf } from './job.store.ts'
import { enqueue, enqueueAll, planned } from './queue.ts'
import { declaredTimes, type Schedule, type ScheduleTimes } from './schedule.ts'
import { listScheduleRows, updateNextRun, updateRunBegun, updateRunEnded, upsertSchedules } from './schedule.store.ts'

/** A scheduled task as administrators see it. Times are 0 where there is none. */
export interface ScheduledTask {
  readonly name: string
  readonly schedule: string
  readonly enabled: boolean
  readonly nextRunUnix: Unix
  readonly lastRunUnix: Unix
  /** Runs started since the start of the program. */
  readonly runCount: number
  /** Error of the last run; empty without one. */
  readonly lastError: string
}

export interface Scheduler<Ctx> {
  /** The jobs that run the tasks; the workers declare them. */
  readonly jobs: readonly AnyJob<Ctx>[]
  /** Returns all tasks in declaration order. */
  list(): Promise<ScheduledTask[]>
  /** Starts a task in the background; false for an unknown name. */
  runNow(name: string): Promise<boolean>
  /** Registers the tasks and enqueues those that run at start. */
  begin(): Promise<void>
  /** Enqueues due tasks, once among all processes. Returns when to call it again; undefined for never. */
  tick(): Promise<Unix | undefined>
}

export interface SchedulerOptions<Ctx> {
  readonly db: Db
  readonly schedules: readonly Schedule<Ctx>[]
  /** False: tasks are listed and may be started, but do not run on their schedule. */
  readonly enabled: boolean
}

interface Entry<Ctx> {
  readonly task: Schedule<Ctx>
  readonly times: ScheduleTimes
  readonly job: AnyJob<Ctx>
  readonly isEnabled: boolean
}

const defaultTimeoutMs = 3_600_000

/** Runs tasks on their schedules as jobs, so that each time runs once among all processes. */
export function createScheduler<Ctx>({ db, schedules, enabled }: SchedulerOptions<Ctx>): Scheduler<Ctx> {
  const entries = new Map<string, Entry<Ctx>>()
  for (const task of schedules) {
    if (entries.has(task.name)) throw new Error(`two scheduled tasks are named ${task.name}`)
    const isEnabled = enabled && task.enabled !== false
    entries.set(task.name, { task, times: declaredTimes(task.when), job: taskJob(db, task), isEnabled })
  }
  const names = [...entries.keys()]
  const enabledNames = names.filter((name) => entries.get(name)?.isEnabled)

  const nextOf = ({ times, isEnabled }: Entry<Ctx>, unix: Unix): Unix => (isEnabled ? (times.next(unix) ?? 0) : 0)

  return {
    jobs: [...entries.values()].map((entry) => entry.job),

    async list() {
      if (names.length === 0) return []
      const rows = new Map((await listScheduleRows(db, names)).map((row) => [row.name, row]))
      const unix = nowUnix(clockOf(db))
      return [...entries.values()].map(({ task, times, isEnabled }) => {
        const row = rows.get(task.name)
        return {
          name: task.name,
          schedule: task.when,
          enabled: isEnabled,
          nextRunUnix: row && row.next_run_unix > 0 ? row.next_run_unix : (times.next(unix) ?? 0),
          lastRunUnix: row?.last_run_unix ?? 0,
          runCount: row?.run_count ?? 0,
          lastError: row?.last_error ?? '',
        }
      })
    },

    async runNow(name) {
      const entry = entries.get(name)
      if (!entry) return false
      await transaction(db, (tx) => enqueueTask(tx, entry))
      return true
    },

    async begin() {
      if (names.length === 0) return
      const unix = nowUnix(clockOf(db))
      await transaction(db, async (tx) => {
        const rows = [...entries.values()].map((entry) => ({
          name: entry.task.name,
          // The text includes whether the task is enabled, so that enabling it computes a time.
          schedule: entry.isEnabled ? entry.task.when : '',
          next_run_unix: nextOf(entry, unix),
        }))
        await upsertSchedules(tx, rows)
        const atStart = [...entries.values()].filter((entry) => entry.isEnabled && entry.task.runAtStart)
        await enqueueAll(
          tx,
          atStart.map((entry) => planned(entry.job, {})),
        )
      })
    },

    async tick() {
      if (enabledNames.length === 0) return undefined
      const unix = nowUnix(clockOf(db))
      const rows = (await listScheduleRows(db, enabledNames)).filter((row) => row.next_run_unix > 0)
      const due = rows.filter((row) => row.next_run_unix <= unix)
      if (due.length > 0) {
        await transaction(db, async (tx) => {
          for (const row of due) {
            const entry = entries.get(row.name) as Entry<Ctx>
            if (await updateNextRun(tx, row.name, row.next_run_unix, nextOf(entry, unix))) await enqueueTask(tx, entry)
          }
        })
      }
      const coming = rows
        .map((row) =>
          row.next_run_unix <= unix ? nextOf(entries.get(row.name) as Entry<Ctx>, unix) : row.next_run_unix,
        )
        .filter((next) => next > 0)
      return coming.length === 0 ? undefined : Math.min(...coming)
    },
  }
}

const enqueueTask = async <Ctx>(tx: Tx, entry: Entry<Ctx>): Promise<void> => {
  await enqueue(tx, entry.job, {})
}

/** Jobs of tasks have no input. */
const checkInput = createChecker(Type.Object({}))

/** Creates the job of a task: waiting runs merge, and no two run at once. */
function taskJob<Ctx>(db: Db, task: Schedule<Ctx>): AnyJob<Ctx> {
  const name = `task.${task.name}`
  return {
    name,
    pool: 'tasks',
    attempts: task.attempts ?? defaultAttempts,
    priority: 'low',
    timeoutMs: task.timeoutMs ?? defaultTimeoutMs,
    problemOf: checkInput,
    merge: () => name,
    lane: () => name,
    whenFailing: 'block',
    retryDelayMs: backOffMs,
    async run(ctx, _input, run) {
      await transaction(db, (tx) => updateRunBegun(tx, task.name, nowUnix(clockOf(db))))
      try {
        await task.run(ctx, run)
      } catch (error) {
        await transaction(db, (tx) => updateRunEnded(tx, task.name, errorText(error)))
        throw error
      }
      await transaction(db, async (tx) => {
        await updateRunEnded(tx, task.name, '')
        // Nobody needs to act on earlier failures any more.
        await deleteFailedJobsOf(tx, name)
      })
    },
  }
}
