import { clockOf } from '../../db/clock.ts'
import { isUniqueViolation, transaction, type Db, type Tx } from '../../db/database.ts'
import { notify } from '../../db/notify.ts'
import type { ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { actionsUserId, type ActionJobId, type RunId, type UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { isFinal, resolveBlocked, statusOfRun, type JobDependencies } from '../status.rules.ts'
import { reportJobStatuses } from './commit-status.service.ts'
import { findRunRepo } from './run-repo.store.ts'
import {
  findRunForUpdate,
  incrementQueueVersions,
  listJobStates,
  listOpenRunsOfGroup,
  stopTasks,
  updateJobs,
  updateRun,
  type JobState,
} from './run.store.ts'
import { queueChannel, scopesTaking } from '../queue-scope.ts'
import { mayStart, waitsForApproval } from './trust.rules.ts'

/** The channel that announces changes of a run, its jobs and its logs to readers. The payload is the id of the run. */
export const runChannel = 'action_run'

const maxAttempts = 10

/**
 * Runs a transaction that changes runs. It is retried on a unique violation: it writes commit statuses, whose numbers a
 * concurrent transaction may take.
 */
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
 * Updates a run after its jobs changed: blocked jobs become waiting or skipped, the run gets its status, and the commit
 * statuses are written. When the run ends, the next run of its concurrency group starts.
 * @param touched the jobs that the caller changed
 * @param doerId the person who changed them
 */
export async function settleRun(
  tx: Tx,
  runId: RunId,
  touched: readonly ActionJobId[],
  doerId: UserId = actionsUserId,
): Promise<void> {
  const run = await findRunForUpdate(tx, runId)
  if (!run) return
  const repo = await findRunRepo(tx, run.repo_id)
  if (!repo) return
  const now = nowUnix(clockOf(tx))
  const nowMs = clockOf(tx).nowMs()
  const jobs = await listJobStates(tx, runId)
  const resolved = resolveBlocked(jobs.map(dependenciesOf), mayStart(run))
  // A deferred job stays blocked until the jobs are planned that it stands for.
  const isPlannable = ([index, to]: readonly [number, ActionStatus]): boolean =>
    to === 'waiting' && (jobs[index] as JobState).is_deferred
  if ([...resolved].some(isPlannable)) await publish(tx, 'run.plannable', { repoId: run.repo_id, runId, doerId })
  const moved = [...resolved].filter((each) => !isPlannable(each))
  const changed: JobState[] = []
  for (const status of new Set(moved.map(([, to]) => to))) {
    const ofStatus = moved.filter(([, to]) => to === status).map(([index]) => jobs[index] as JobState)
    const stoppedUnix = isFinal(status) ? now : 0
    await updateJobs(
      tx,
      ofStatus.map(({ id }) => id),
      { status, queued_ms: nowMs, stopped_unix: stoppedUnix, updated_unix: now },
    )
    changed.push(...ofStatus.map((job) => ({ ...job, status, stopped_unix: stoppedUnix })))
  }
  const after = jobs.map((job) => changed.find(({ id }) => id === job.id) ?? job)
  const status = statusOfRun(after.map((job) => job.status))
  await updateRun(tx, runId, {
    status,
    started_unix: run.started_unix === 0 && status === 'running' ? now : run.started_unix,
    stopped_unix: isFinal(status) ? (run.stopped_unix === 0 ? now : run.stopped_unix) : 0,
    updated_unix: now,
  })
  notify(tx, runChannel, String(runId))
  await reportJobStatuses(tx, repo, run, [
    ...after.filter(({ id }) => touched.includes(id)),
    ...changed.filter(({ id }) => !touched.includes(id)),
  ])
  if (changed.some((job) => job.status === 'waiting')) await offerJobs(tx, run, repo.ownerId)
  if (isFinal(status) && !isFinal(run.status)) {
    await publish(tx, 'run.finished', { repoId: run.repo_id, runId, doerId, status, priorStatus: run.status })
    if (run.concurrency_group !== '' && !waitsForApproval(run)) await releaseNext(tx, run)
  }
}

/** Returns the properties of a job that decide when it may start. */
export const dependenciesOf = (job: JobState): JobDependencies => ({
  key: job.job_key,
  needs: JSON.parse(job.needs) as string[],
  status: job.status,
  hasCondition: job.has_condition,
  isCall: job.is_call,
})

/** Announces to runners that jobs of the run wait for one. */
export async function offerJobs(
  tx: Tx,
  run: Pick<ActionRunRow, 'id' | 'repo_id' | 'doer_id'>,
  ownerId: UserId,
): Promise<void> {
  const scopes = scopesTaking({ id: run.repo_id, owner_id: ownerId })
  await incrementQueueVersions(tx, scopes)
  for (const scope of scopes) notify(tx, queueChannel, scope)
  await publish(tx, 'run.queued', { repoId: run.repo_id, runId: run.id, doerId: run.doer_id })
}

/** Starts the next run of the group of a run that has ended, unless another one is still running. */
async function releaseNext(tx: Tx, run: ActionRunRow): Promise<void> {
  const [next] = await listOpenRunsOfGroup(tx, run)
  if (!next?.is_held) return
  await updateRun(tx, next.id, { is_held: false })
  await settleRun(tx, next.id, [])
}

/**
 * Adds a run to its concurrency group: it cancels the running runs of the group or waits for them, and cancels an older run
 * that waits. Does nothing for a run without a group, or one that waits for approval.
 * @returns whether the run has to wait
 */
export async function enterGroup(tx: Tx, run: ActionRunRow, doerId: UserId): Promise<boolean> {
  if (run.concurrency_group === '' || waitsForApproval(run)) return false
  const open = await listOpenRunsOfGroup(tx, run)
  // Held runs are cancelled first: the end of the running one would start them.
  await cancelOpenRuns(
    tx,
    open.filter((other) => other.is_held),
    doerId,
  )
  const running = open.filter((other) => !other.is_held)
  if (run.group_cancels) await cancelOpenRuns(tx, running, doerId)
  const isHeld = !run.group_cancels && running.length > 0
  if (isHeld) await updateRun(tx, run.id, { is_held: true })
  return isHeld
}

/** Cancels the open jobs of runs, and their tasks. A runner learns of it from the reply to its next report. */
export async function cancelOpenRuns(tx: Tx, runs: readonly ActionRunRow[], doerId: UserId): Promise<void> {
  for (const run of runs) await endJobs(tx, run.id, 'cancelled', () => true, doerId)
}

/** Ends the open jobs of a run for which `isChosen` returns true, and their tasks. */
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
