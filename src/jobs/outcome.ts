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
 * Writes what became of a job that ran, and gives its lane's turn on. Nothing happens to the row when whoever ran it does
 * not have it any more.
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
    // A job whose end is lost runs again, which every job bears.
    { lasting: false },
  )
}

/** Lanes that are put right in one go. */
const maxLanesAtOnce = 1000

/** Gives the turn to somebody in each lane where nobody has it. Everything here keeps that from happening; a hand in the rows may not. */
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

/** It went well: it leaves no row. */
export const endJob = (db: Db, row: JobRow): Promise<void> =>
  settleInLane(db, row, (tx) => deleteRunningJob(tx, row.id, worker(row)))

/** It is tried no more, and stays to be seen. */
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
  /** How many attempts count from now on. */
  readonly attempt: number
  readonly runAtMs: number
  readonly error: string | null
  /** What the others of its lane do until then. */
  readonly lane: LaneRule
  readonly problem?: 'unreadable' | 'crashed'
}

/** Lets a job wait again, unless another waits under its key, which then does the work. */
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
  const giveBack = (): Promise<void> =>
    settleInLane(db, row, async (tx) => {
      const twin = await findWaitingTwin(tx, row)
      if (twin !== undefined) {
        // The twin does the same work, so the end of a process counts against it.
        if (release.problem === 'crashed') await updateToCrashed(tx, twin)
        return void (await deleteRunningJob(tx, row.id, worker(row)))
      }
      await updateReleasedJob(tx, row.id, worker(row), outcome)
      wakeWorkers(tx, [{ pool: row.pool, run_at_ms: release.runAtMs }])
    })
  try {
    await giveBack()
  } catch (error) {
    // The twin was enqueued in this very moment, by another process; now it is there to be seen.
    if (!isUniqueViolation(error)) throw error
    await giveBack()
  }
}
