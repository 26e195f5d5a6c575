import { recordAct } from '../../audit/audit.ts'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { Conflict, Forbidden, NotFound } from '../../lib/errors.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { isFinal } from '../status.rules.ts'
import { groupsAround } from './job-groups.rules.ts'
import { findRunRepo } from './run-repo.store.ts'
import { cancelOpenRuns, changeRuns, enterGroup, offerJobs, settleRun } from './run-change.service.ts'
import {
  deleteRunRow,
  findJob,
  findRun,
  findRunForUpdate,
  listBlobKeys,
  listFaultyJobIds,
  listJobStates,
  listJobsOfRun,
  sumArtifactsOfRun,
  updateJobs,
  updateRun,
  type JobState,
} from './run.store.ts'
import { isDisabled } from '../workflows/workflow-list.store.ts'
import { listStepNamesOf, listStepsOf, type StepOfTask } from './task.store.ts'
import { mayStart, waitsForApproval } from './trust.rules.ts'

const noRun = () => new NotFound('the workflow run does not exist', 'run_not_found')
const notEnded = () => new Conflict('the workflow run has not ended yet', 'run_not_ended')

/** Returns the jobs of a run in order, each with the steps of its newest attempt, in three statements. */
export const jobsOfRun = async (
  { db }: Pick<SignedInRepoCtx, 'db'>,
  run: ActionRunRow,
): Promise<readonly JobWithSteps[]> => withSteps(db, await listJobsOfRun(db, run.id))

/** A job with the steps of its newest attempt, by their names. */
interface JobWithSteps {
  readonly job: ActionJobRow
  readonly steps: readonly StepOfTask[]
}

/** Returns jobs with the steps of their newest attempts, in two statements. */
export async function withSteps(db: Db, jobs: readonly ActionJobRow[]): Promise<readonly JobWithSteps[]> {
  const ids = jobs.flatMap(({ task_id }) => task_id ?? [])
  const [steps, names] = await Promise.all([listStepsOf(db, ids), listStepNamesOf(db, ids)])
  return jobs.map((job) => {
    const given = job.task_id === null ? [] : (names.get(job.task_id) ?? [])
    const own = job.task_id === null ? [] : (steps.get(job.task_id) ?? [])
    return { job, steps: own.map((step) => ({ ...step, name: step.name || (given[step.position] ?? '') })) }
  })
}

/** Returns a job of the repository and its run. Throws `NotFound` for a missing job and for one of another repository. */
export async function getJob(
  { db, repo }: Pick<SignedInRepoCtx, 'db' | 'repo'>,
  id: number,
): Promise<{ readonly job: ActionJobRow; readonly run: ActionRunRow }> {
  const job = await findJob(db, id as ActionJobId)
  const run = job?.repo_id === repo.id ? await findRun(db, repo.id, job.run_id) : undefined
  if (!job || !run) throw new NotFound('the job does not exist', 'job_not_found')
  return { job, run }
}

/** Cancels a run. A run that has ended does not change. */
export async function cancelRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  await changeRuns(ctx.db, async (tx) => {
    const run = await findRun(tx, ctx.repo.id, runId)
    if (!run) throw noRun()
    await cancelOpenRuns(tx, [run], ctx.viewer.id)
  })
}

/**
 * Approves an untrusted run, which enters its concurrency group and starts. Throws `Forbidden` for the token of a job:
 * otherwise a workflow could approve runs that should wait for a person.
 */
export async function approveRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  if (ctx.viewer.credential.kind === 'job') {
    throw new Forbidden('the token of a job cannot approve a workflow run', 'job_of_workflow')
  }
  await changeRuns(ctx.db, async (tx) => {
    const run = await lockRun(tx, ctx, runId)
    if (!waitsForApproval(run)) return
    await updateRun(tx, runId, { approver_id: ctx.viewer.id })
    if (!isFinal(run.status)) await enterGroup(tx, { ...run, approver_id: ctx.viewer.id }, ctx.viewer.id)
    await settleRun(tx, runId, [], ctx.viewer.id)
    const about = { kind: 'workflow run', id: runId } as const
    await recordAct(tx, { action: 'run.approved', doerId: ctx.viewer.id, about, details: { repository: ctx.repo.id } })
  })
}

async function lockRun(tx: Tx, { repo }: SignedInRepoCtx, runId: RunId): Promise<ActionRunRow> {
  const run = await findRunForUpdate(tx, runId)
  if (run?.repo_id !== repo.id) throw noRun()
  return run
}

/** The jobs of a run to rerun. Jobs that need them are rerun too. */
export type JobsToRerun = 'all' | 'failed' | ActionJobId

/**
 * Reruns jobs of a run as new attempts. Throws `Conflict` for a run that has not ended, and for one whose workflow could
 * not be read or is disabled.
 */
export async function rerunJobs(ctx: SignedInRepoCtx, runId: RunId, wanted: JobsToRerun): Promise<void> {
  await changeRuns(ctx.db, async (tx) => {
    const run = await lockRun(tx, ctx, runId)
    if (await isDisabled(tx, run.repo_id, run.workflow_id)) {
      throw new Conflict(`workflow "${run.workflow_id}" is disabled; enable it to rerun its jobs`, 'workflow_disabled')
    }
    const jobs = await listJobStates(tx, runId)
    if (!jobs.every(({ status }) => isFinal(status))) throw notEnded()
    // A job with a mistake in the file has nothing to run.
    const faulty = new Set(await listFaultyJobIds(tx, runId))
    if (jobs.every(({ id }) => faulty.has(id)) || (typeof wanted === 'number' && faulty.has(wanted))) {
      throw new Conflict(
        `workflow "${run.workflow_id}" has a mistake; correct the file and start a new run`,
        'run_unreadable',
      )
    }
    const chosen = withDependents(jobs, (job) => !faulty.has(job.id) && isWanted(job, wanted))
    if (chosen.length === 0) throw new Conflict('the workflow run has no such job to rerun', 'nothing_to_rerun')
    const keys = new Set(chosen.map(({ job_key }) => job_key))
    const now = nowUnix(clockOf(tx))
    const durationSeconds = run.started_unix === 0 ? 0 : Math.max(0, run.stopped_unix - run.started_unix)
    await updateRun(tx, runId, {
      // An open status, so that the next end of the run publishes `run.finished` again.
      status: 'waiting',
      started_unix: 0,
      stopped_unix: 0,
      previous_seconds: run.previous_seconds + durationSeconds,
    })
    const isHeld = await enterGroup(tx, run, ctx.viewer.id)
    const canStart = mayStart({ ...run, is_held: isHeld })
    const groupsOf = groupsAround(run, jobs)
    const waits = (job: JobState): boolean =>
      canStart &&
      !job.is_call &&
      !job.is_deferred &&
      groupsOf(job).length === 0 &&
      (job.id === wanted || !(JSON.parse(job.needs) as string[]).some((need) => keys.has(need)))
    for (const status of ['waiting', 'blocked'] as const) {
      const ids = chosen.filter((job) => waits(job) === (status === 'waiting')).map(({ id }) => id)
      await updateJobs(tx, ids, {
        status,
        task_id: null,
        queued_ms: clockOf(tx).nowMs(),
        started_unix: 0,
        stopped_unix: 0,
        updated_unix: now,
      })
    }
    await settleRun(
      tx,
      runId,
      chosen.map(({ id }) => id),
      ctx.viewer.id,
    )
    const repo = await findRunRepo(tx, run.repo_id)
    if (repo) await offerJobs(tx, run, repo.ownerId)
  })
}

function isWanted({ id, status }: JobState, wanted: JobsToRerun): boolean {
  if (wanted === 'all') return true
  return wanted === 'failed' ? status === 'failure' || status === 'cancelled' : id === wanted
}

/** Returns the jobs for which `isFirst` returns true, and all jobs that need them directly or indirectly. */
function withDependents(jobs: readonly JobState[], isFirst: (job: JobState) => boolean): JobState[] {
  const keys = new Set<string>()
  const chosen = new Set<JobState>()
  for (let grows = true; grows;) {
    grows = false
    for (const job of jobs) {
      if (chosen.has(job)) continue
      if (!isFirst(job) && !(JSON.parse(job.needs) as string[]).some((need) => keys.has(need))) continue
      chosen.add(job)
      keys.add(job.job_key)
      grows = true
    }
  }
  return [...chosen]
}

/** Deletes a run with its logs and artifacts. Throws `Conflict` when it has not ended. */
export async function deleteRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await lockRun(tx, ctx, runId)
    const jobs = await listJobStates(tx, runId)
    if (!jobs.every(({ status }) => isFinal(status))) throw notEnded()
    const blobKeys = await listBlobKeys(tx, runId)
    await addToUsage(tx, { repoId: ctx.repo.id }, 'artifacts', -(await sumArtifactsOfRun(tx, runId)))
    await deleteRunRow(tx, ctx.repo.id, runId)
    await publish(tx, 'run.deleted', { repoId: ctx.repo.id, runId, doerId: ctx.viewer.id, blobKeys })
  })
}
