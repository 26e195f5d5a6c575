import { clockOf } from '../db/clock.ts'
import { isUniqueViolation, transaction, type Db, type Tx } from '../db/database.ts'
import { nowUnix } from '../lib/time.ts'
import type { LaneRule } from './job.ts'
import {
  deleteRunningJob,
  giveTurns,
  findWaitingTwin,
  listLanesWithoutTurn,
  lockLanes,
  updateReleasedJob,
  updateToCrashed,
  type JobOutcome,
  type JobRow,
} from './job.store.ts'
import { wakeWorkers } from './queue.ts'

/**
 * Records the outcome of a job and passes the turn of its lane on. It does nothing when the worker no longer holds the job.
 */
function settleInLane(db: Db, row: JobRow, write: (tx: Tx) => Promise<unknown>): Promise<void> {
  const lanes = row.lane === null ? [] : [row.lane]
  return transaction(
    db,
    async (tx) => {
      await lockLanes(tx, lanes)
      await write(tx)
      if (lanes.length > 0) wakeWorkers(tx, await giveTurns(tx, lanes, clockOf(tx).nowMs()))
    },
    // If this commit is lost, the job runs again, which every job allows.
    { lasting: false },
  )
}

/** Maximum number of lanes repaired at once. */
const maxLanesAtOnce = 1000

/** Gives the turn to one job in each lane without one, after rows were changed by hand. */
export async function restoreTurns(db: Db): Promise<readonly string[]> {
  const lanes = await listLanesWithoutTurn(db, maxLanesAtOnce)
  if (lanes.length > 0) {
    await transaction(db, async (tx) => {
      await lockLanes(tx, lanes)
      wakeWorkers(tx, await giveTurns(tx, lanes, clockOf(tx).nowMs()))
    })
  }
  return lanes
}

const worker = (row: JobRow): string => row.leased_by as string

/** Deletes the row of a successful job. */
export const endJob = (db: Db, row: JobRow): Promise<void> =>
  settleInLane(db, row, (tx) => deleteRunningJob(tx, row.id, worker(row)))

/** Marks a job failed for good; it stays visible. */
export const failJob = (db: Db, row: JobRow, problem: NonNullable<JobRow['problem']>, error: string): Promise<void> =>
  settleInLane(db, row, (tx) =>
    updateReleasedJob(tx, row.id, worker(row), {
      state: 'failed',
      attempt: row.attempt,
      run_at_ms: row.run_at_ms,
      last_error: error,
      problem,
      is_held: false,
      passed_until_ms: 0,
      updated_unix: nowUnix(clockOf(db)),
    }),
  )

export interface Release {
  /** Number of attempts that count from now on. */
  readonly attempt: number
  readonly runAtMs: number
  readonly error: string | null
  /** What the other jobs of its lane do until then. */
  readonly lane: LaneRule
  readonly problem?: 'unreadable' | 'crashed'
}

/** Returns a job to the queue, unless another waiting job has its key. */
export async function releaseJob(db: Db, row: JobRow, release: Release): Promise<void> {
  const isPassed = release.lane === 'pass' && row.lane !== null
  const outcome: JobOutcome = {
    state: 'waiting',
    attempt: release.attempt,
    run_at_ms: release.runAtMs,
    last_error: release.error,
    problem: release.problem ?? null,
    is_held: isPassed,
    passed_until_ms: isPassed ? release.runAtMs : 0,
    updated_unix: nowUnix(clockOf(db)),
  }
  const returnToQueue = (): Promise<void> =>
    settleInLane(db, row, async (tx) => {
      const twin = await findWaitingTwin(tx, row)
      if (twin !== undefined) {
        // The other job does the same work, so the end of the process counts against it.
        if (release.problem === 'crashed') await updateToCrashed(tx, twin)
        return void (await deleteRunningJob(tx, row.id, worker(row)))
      }
      await updateReleasedJob(tx, row.id, worker(row), outcome)
      wakeWorkers(tx, [{ pool: row.pool, run_at_ms: release.runAtMs }])
    })
  try {
    await returnToQueue()
  } catch (error) {
    // Another process enqueued the same key at the same time; the second try finds that job.
    if (!isUniqueViolation(error)) throw error
    await returnToQueue()
  }
}
