import { clockOf } from '../../db/clock.ts'
import { isUniqueViolation, transaction, type Db, type Tx } from '../../db/database.ts'
import { notify } from '../../db/notify.ts'
import type { ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { actionsUserId, type ActionJobId, type RunId, type UserId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { isFinal, resolveBlocked, statusOfRun, type JobDependencies } from '../status.rules.ts'
import { listGroupMembers, type GroupMember, type GroupScope } from './group.store.ts'
import { deadlockOf, enterInTurn, groupsAround, isOfMember } from './job-groups.rules.ts'
import { reportJobStatuses } from './commit-status.service.ts'
import { findRunRepo } from './run-repo.store.ts'
import {
  findRunForUpdate,
  incrementQueueVersions,
  listJobStates,
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
  const replaced = run.has_groups ? await enterJobGroups(tx, run, doerId) : []
  const jobs = await listJobStates(tx, runId)
  const resolved = resolveBlocked(jobs.map(dependenciesOf), mayStart(run))
  const groupsOf = groupsAround(run, jobs)
  // A deferred job stays blocked until the jobs are planned that it stands for.
  const isPlannable = ([index, to]: readonly [number, ActionStatus]): boolean =>
    to === 'waiting' && (jobs[index] as JobState).is_deferred
  if ([...resolved].some(isPlannable)) await publish(tx, 'run.plannable', { repoId: run.repo_id, runId, doerId })
  const waitsForGroup = ([index, to]: readonly [number, ActionStatus]): boolean =>
    to === 'waiting' && groupsOf(jobs[index] as JobState).some(({ group_state: state }) => state !== 'inside')
  const moved = [...resolved].filter((each) => !isPlannable(each) && !waitsForGroup(each))
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
  const notified = new Set([...touched, ...replaced])
  await reportJobStatuses(tx, repo, run, [
    ...after.filter(({ id }) => notified.has(id)),
    ...changed.filter(({ id }) => !notified.has(id)),
  ])
  if (changed.some((job) => job.status === 'waiting')) await offerJobs(tx, run, repo.ownerId)
  if (isFinal(status) && !isFinal(run.status)) {
    await publish(tx, 'run.finished', { repoId: run.repo_id, runId, doerId, status, priorStatus: run.status })
  }
  await leaveGroups(tx, run, after)
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

/**
 * Lets the jobs of a run enter their concurrency groups as soon as they could start. A job cancels older jobs and runs that
 * wait in the group, and with `cancel-in-progress` the running ones; otherwise it waits for them.
 * @returns the jobs of the run that newer jobs of the same run replaced
 */
async function enterJobGroups(tx: Tx, run: ActionRunRow, doerId: UserId): Promise<readonly ActionJobId[]> {
  const allReplaced: ActionJobId[] = []
  // Each round lets jobs enter one more group of those around them.
  for (;;) {
    const jobs = await listJobStates(tx, run.id)
    const entering = enteringJobs(run, jobs)
    if (entering.length === 0) return allReplaced
    const groups = Map.groupBy(entering, ({ concurrency_group: group }) => group)
    const members = Map.groupBy(await listGroupMembers(tx, run, [...groups.keys()]), ({ group }) => group)
    const entries = [...groups].map(([group, all]) => enterInTurn(all, members.get(group) ?? []))
    const idsOf = (all: readonly JobState[]): ActionJobId[] => all.map(({ id }) => id)
    // Before others end: the end of a member starts the next one, unless a member is inside.
    const nowMs = clockOf(tx).nowMs()
    await updateJobs(tx, idsOf(entries.flatMap(({ inside }) => inside)), { group_state: 'inside' })
    await updateJobs(tx, idsOf(entries.flatMap(({ waiting }) => waiting)), {
      group_state: 'waiting',
      queued_ms: nowMs,
      updated_unix: nowUnix(clockOf(tx)),
    })
    const cancelled = entries.flatMap((entry) => entry.cancelled)
    const ofRun = new Set(cancelled.flatMap(({ runId, jobId }) => (runId === run.id && jobId !== null ? [jobId] : [])))
    const ending = [...entries.flatMap((entry) => entry.replaced), ...jobs.filter(({ id }) => ofRun.has(id))].map(
      isOfMember,
    )
    const stopped = jobs.filter((job) => !isFinal(job.status) && ending.some((isOf) => isOf(job)))
    await stopJobs(tx, run, stopped, 'cancelled', doerId)
    allReplaced.push(...idsOf(stopped))
    await cancelMembers(
      tx,
      cancelled.filter(({ runId }) => runId !== run.id),
      doerId,
    )
    const waiting = entries.flatMap((entry) => entry.waiting)
    allReplaced.push(...(await failDeadlocks(tx, run, waiting, doerId)))
  }
}

/**
 * Fails the jobs of a run that would wait for themselves in concurrency groups: each run holds the group that the other needs, and
 * neither would end. The last job to wait closes such a circle, so all others go on.
 * @param entered the jobs and calls that have begun to wait
 * @returns the jobs that failed
 */
async function failDeadlocks(
  tx: Tx,
  run: ActionRunRow,
  entered: readonly JobState[],
  doerId: UserId,
): Promise<readonly ActionJobId[]> {
  if (entered.length === 0) return []
  const [members, jobs] = [await listGroupMembers(tx, run, undefined), await listJobStates(tx, run.id)]
  const circles = entered.flatMap((job) => {
    const waiter = members.find(({ jobId, isWaiting }) => jobId === job.id && isWaiting)
    const groups = waiter && deadlockOf(waiter, members)
    return groups === undefined ? [] : [{ job, groups }]
  })
  const [first] = circles
  if (first === undefined) return []
  if (run.problem === '') {
    const named = first.groups.map((group) => `"${group}"`).join(', ')
    const problem = `job "${first.job.name}" would wait for its own run in the concurrency groups ${named}`
    await updateRun(tx, run.id, { problem: problem.slice(0, 1000) })
  }
  const ending = circles.map(({ job }) => isOfMember(job))
  const failed = jobs.filter((job) => !isFinal(job.status) && ending.some((isOf) => isOf(job)))
  await stopJobs(tx, run, failed, 'failure', doerId)
  return failed.map(({ id }) => id)
}

/** Returns the jobs, and calls of jobs, that could start and are outside of their group. */
function enteringJobs(run: ActionRunRow, jobs: readonly JobState[]): readonly JobState[] {
  const groupsOf = groupsAround(run, jobs)
  const entering = [...resolveBlocked(jobs.map(dependenciesOf), mayStart(run))].flatMap(([index, to]) => {
    const job = jobs[index] as JobState
    if (to !== 'waiting' || job.is_deferred) return []
    const next = groupsOf(job).find(({ group_state: state }) => state !== 'inside')
    return next?.group_state === 'outside' ? [next] : []
  })
  return [...new Set(entering)]
}

/** Cancels members of groups, which are runs or jobs of runs. */
async function cancelMembers(tx: Tx, members: readonly GroupMember[], doerId: UserId): Promise<void> {
  for (const [runId, ofRun] of Map.groupBy(members, (member) => member.runId)) {
    const jobs = await listJobStates(tx, runId)
    const isWhole = ofRun.some(({ jobId }) => jobId === null)
    const ending = jobs.filter(({ id }) => ofRun.some(({ jobId }) => jobId === id)).map(isOfMember)
    await endJobs(tx, runId, 'cancelled', (job) => isWhole || ending.some((isOf) => isOf(job)), doerId)
  }
}

/** Takes what has ended out of the concurrency groups, and starts the next members. */
async function leaveGroups(tx: Tx, run: ActionRunRow, jobs: readonly JobState[]): Promise<void> {
  const ended = jobs.filter((job) => isFinal(job.status) && job.group_state !== 'outside')
  await updateJobs(
    tx,
    ended.map(({ id }) => id),
    { group_state: 'outside' },
  )
  // A run has a final status while some of its jobs still run.
  const isOver = run.in_group && jobs.every(({ status }) => isFinal(status))
  if (isOver) await updateRun(tx, run.id, { in_group: false })
  await startNext(tx, run, [
    ...ended.map(({ concurrency_group: group }) => group),
    ...(isOver ? [run.concurrency_group] : []),
  ])
}

/** Starts the member of each group that waits, unless another one is inside. */
async function startNext(tx: Tx, scope: GroupScope, groups: readonly string[]): Promise<void> {
  const members = Map.groupBy(await listGroupMembers(tx, scope, groups), ({ group }) => group)
  for (const ofGroup of members.values()) {
    const [next] = ofGroup
    if (!next || ofGroup.some(({ isWaiting }) => !isWaiting)) continue
    if (next.jobId === null) await updateRun(tx, next.runId, { is_held: false })
    else await updateJobs(tx, [next.jobId], { group_state: 'inside' })
    await settleRun(tx, next.runId, [])
  }
}

/**
 * Adds a run to its concurrency group: it cancels the running members of the group or waits for them, and cancels an older
 * one that waits. Does nothing for a run without a group, or one that waits for approval. The caller has locked the groups.
 * @returns whether the run has to wait
 */
export async function enterGroup(tx: Tx, run: ActionRunRow, doerId: UserId): Promise<boolean> {
  if (run.concurrency_group === '' || waitsForApproval(run)) return false
  const others = (await listGroupMembers(tx, run, [run.concurrency_group])).filter(({ runId }) => runId !== run.id)
  const { waiting, cancelled } = enterInTurn([run], others)
  const isHeld = waiting.length > 0
  await updateRun(tx, run.id, { in_group: true, is_held: isHeld })
  await cancelMembers(tx, cancelled, doerId)
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
  const open = (await listJobStates(tx, runId)).filter((job) => !isFinal(job.status) && isChosen(job))
  if (open.length === 0) return
  await stopJobs(tx, run, open, status, doerId)
  await settleRun(
    tx,
    runId,
    open.map(({ id }) => id),
    doerId,
  )
}

/** Ends jobs and their tasks. The caller settles the run. */
async function stopJobs(
  tx: Tx,
  { id: runId, repo_id: repoId }: ActionRunRow,
  jobs: readonly JobState[],
  status: ActionStatus,
  doerId: UserId,
): Promise<void> {
  const now = nowUnix(clockOf(tx))
  await updateJobs(
    tx,
    jobs.map(({ id }) => id),
    { status, stopped_unix: now, updated_unix: now },
  )
  const stopped = await stopTasks(
    tx,
    jobs.flatMap(({ task_id }) => task_id ?? []),
    status,
    now,
  )
  for (const taskId of stopped) await publish(tx, 'task.finished', { repoId, runId, taskId, doerId })
}
