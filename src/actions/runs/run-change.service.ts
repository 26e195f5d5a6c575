import { clockOf } from '../../db/clock.ts'
import { isUniqueViolation, transaction, type Db, type Tx } from '../../db/database.ts'
import type { ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { actionsUserId, type ActionJobId, type RunId, type UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { isFinal, resolveBlocked, statusOfRun } from '../status.rules.ts'
import { reportJobs } from './commit-status.service.ts'
import { findHome } from './run-repo.store.ts'
import {
  findRunForUpdate,
  listJobStates,
  listOpenRunsOfGroup,
  raiseQueueVersions,
  stopTasks,
  updateJobs,
  updateRun,
  type JobState,
} from './run.store.ts'
import { scopesOver } from '../queue-scope.ts'
import { mayBegin, waitsForApproval } from './trust.rules.ts'

/** How often a change is tried again when somebody else took the number of a status meanwhile. */
const maxAttempts = 10

/** A transaction that changes runs. It tells commits how jobs stand, whose statuses have numbers that others take too. */
export async function changeRuns<Result>(db: Db, body: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction(db, body)
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === maxAttempts) throw error
    }
  }
}

/**
 * Puts a run right after jobs of it changed: what waited for them begins to wait for a runner or is skipped, the run gets
 * its status, the commit is told, and what follows from the end of the run begins.
 * @param touched the jobs that changed before, to be told of
 * @param doerId who changed them
 */
export async function settleRun(
  tx: Tx,
  runId: RunId,
  touched: readonly ActionJobId[],
  doerId: UserId = actionsUserId,
): Promise<void> {
  const run = await findRunForUpdate(tx, runId)
  if (!run) return
  const home = await findHome(tx, run.repo_id)
  if (!home) return
  const now = nowUnix(clockOf(tx))
  const nowMs = clockOf(tx).nowMs()
  const jobs = await listJobStates(tx, runId)
  const resolved = resolveBlocked(
    jobs.map((job) => ({
      key: job.job_key,
      needs: JSON.parse(job.needs) as string[],
      status: job.status,
      hasCondition: job.has_condition,
      isCall: job.is_call,
    })),
    mayBegin(run),
  )
  const changed: JobState[] = []
  for (const status of new Set(resolved.values())) {
    const some = [...resolved].filter(([, to]) => to === status).map(([index]) => jobs[index] as JobState)
    const stoppedUnix = isFinal(status) ? now : 0
    await updateJobs(
      tx,
      some.map(({ id }) => id),
      { status, queued_ms: nowMs, stopped_unix: stoppedUnix, updated_unix: now },
    )
    changed.push(...some.map((job) => ({ ...job, status, stopped_unix: stoppedUnix })))
  }
  const after = jobs.map((job) => changed.find(({ id }) => id === job.id) ?? job)
  const status = statusOfRun(after.map((job) => job.status))
  await updateRun(tx, runId, {
    status,
    started_unix: run.started_unix === 0 && status === 'running' ? now : run.started_unix,
    stopped_unix: isFinal(status) ? (run.stopped_unix === 0 ? now : run.stopped_unix) : 0,
    updated_unix: now,
  })
  await reportJobs(tx, home, run, [
    ...after.filter(({ id }) => touched.includes(id)),
    ...changed.filter(({ id }) => !touched.includes(id)),
  ])
  if (changed.some((job) => job.status === 'waiting')) await offerJobs(tx, run, home.ownerId)
  if (isFinal(status) && !isFinal(run.status)) {
    await publish(tx, 'run.finished', { repoId: run.repo_id, runId, doerId, status, priorStatus: run.status })
    if (run.concurrency_group !== '' && !waitsForApproval(run)) await releaseNext(tx, run)
  }
}

/** Has runners look for work: jobs of the run wait for one now. */
export async function offerJobs(
  tx: Tx,
  run: Pick<ActionRunRow, 'id' | 'repo_id' | 'doer_id'>,
  ownerId: UserId,
): Promise<void> {
  await raiseQueueVersions(tx, scopesOver({ id: run.repo_id, owner_id: ownerId }))
  await publish(tx, 'run.queued', { repoId: run.repo_id, runId: run.id, doerId: run.doer_id })
}

/** A run of a group has ended: the next one begins, unless another still goes on. */
async function releaseNext(tx: Tx, run: ActionRunRow): Promise<void> {
  const [next] = await listOpenRunsOfGroup(tx, run)
  if (!next?.is_held) return
  await updateRun(tx, next.id, { is_held: false })
  await settleRun(tx, next.id, [])
}

/**
 * Enters the concurrency group of a run: cancels the open runs there, or lets the run wait for them. Of the runs that wait
 * only the newest stays. Nothing happens for a run without a group, and for one that waits for approval.
 * @returns whether the run has to wait
 */
export async function enterGroup(tx: Tx, run: ActionRunRow, doerId: UserId): Promise<boolean> {
  if (run.concurrency_group === '' || waitsForApproval(run)) return false
  const open = await listOpenRunsOfGroup(tx, run)
  // Those that wait go first: the end of the one that runs would let them begin.
  await cancelOpenRuns(
    tx,
    open.filter((other) => other.is_held),
    doerId,
  )
  const going = open.filter((other) => !other.is_held)
  if (run.group_cancels) await cancelOpenRuns(tx, going, doerId)
  const isHeld = !run.group_cancels && going.length > 0
  if (isHeld) await updateRun(tx, run.id, { is_held: true })
  return isHeld
}

/**
 * Ends what is still open of runs: jobs that wait, and tasks that run, whose runners hear of it when they report next.
 * @returns how many runs that were
 */
export async function cancelOpenRuns(tx: Tx, runs: readonly ActionRunRow[], doerId: UserId): Promise<number> {
  for (const run of runs) await endJobs(tx, run.id, 'cancelled', () => true, doerId)
  return runs.length
}

/** Ends the open jobs of a run that are chosen, with their tasks. */
export async function endJobs(
  tx: Tx,
  runId: RunId,
  status: ActionStatus,
  isChosen: (job: JobState) => boolean,
  doerId: UserId = actionsUserId,
): Promise<void> {
  const run = await findRunForUpdate(tx, runId)
  if (!run) return
  const now = nowUnix(clockOf(tx))
  const open = (await listJobStates(tx, runId)).filter((job) => !isFinal(job.status) && isChosen(job))
  if (open.length === 0) return
  const ids = open.map(({ id }) => id)
  await updateJobs(tx, ids, { status, stopped_unix: now, updated_unix: now })
  const stopped = await stopTasks(
    tx,
    open.flatMap(({ task_id }) => task_id ?? []),
    status,
    now,
  )
  for (const taskId of stopped) await publish(tx, 'task.finished', { repoId: run.repo_id, runId, taskId, doerId })
  await settleRun(tx, runId, ids, doerId)
}
