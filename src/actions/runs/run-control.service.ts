import { recordAct } from '../../audit/audit.ts'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { clockOf } from '../../db/clock.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { publish } from '../../events/hub.ts'
import { Conflict, Forbidden, NotFound } from '../../lib/errors.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { isFinal } from '../status.rules.ts'
import { findHome } from './run-repo.store.ts'
import { cancelOpenRuns, changeRuns, enterGroup, offerJobs, settleRun } from './run-change.service.ts'
import {
  deleteRunRow,
  findJob,
  findRun,
  findRunForUpdate,
  listBlobKeys,
  listJobStates,
  listJobsOfRun,
  sumArtifactsOfRun,
  updateJobs,
  updateRun,
  type JobState,
} from './run.store.ts'
import { isDisabled } from '../workflows/workflow-list.store.ts'
import { listStepsOf, type StepOfTask } from './task.store.ts'
import { mayBegin, waitsForApproval } from './trust.rules.ts'

const noRun = () => new NotFound('there is no such run', 'run_not_found')
const notDone = () => new Conflict('the run has not ended yet', 'run_not_ended')

/** The jobs of a run in their order, each with the steps of its newest attempt: two queries. */
export async function jobsOfRun(
  { db }: Pick<SignedInRepoCtx, 'db'>,
  run: ActionRunRow,
): Promise<readonly { readonly job: ActionJobRow; readonly steps: readonly StepOfTask[] }[]> {
  const jobs = await listJobsOfRun(db, run.id)
  const steps = await listStepsOf(
    db,
    jobs.flatMap(({ task_id }) => task_id ?? []),
  )
  return jobs.map((job) => ({ job, steps: job.task_id === null ? [] : (steps.get(job.task_id) ?? []) }))
}

/** A job of the repository by its id, with its run; any other is `NotFound`. */
export async function getJob(
  { db, repo }: Pick<SignedInRepoCtx, 'db' | 'repo'>,
  id: number,
): Promise<{ readonly job: ActionJobRow; readonly run: ActionRunRow }> {
  const job = await findJob(db, id as ActionJobId)
  const run = job?.repo_id === repo.id ? await findRun(db, repo.id, job.run_id) : undefined
  if (!job || !run) throw new NotFound('there is no such job', 'job_not_found')
  return { job, run }
}

/** Ends what is still open of a run. One that has ended stays as it is. */
export async function cancelRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  await changeRuns(ctx.db, async (tx) => {
    const run = await findRun(tx, ctx.repo.id, runId)
    if (!run) throw noRun()
    await cancelOpenRuns(tx, [run], ctx.viewer.id)
  })
}

/**
 * Lets an untrusted run begin, and enter its concurrency group. The token of a job is `Forbidden`: a workflow that an
 * approval should keep from running must not come to give it.
 */
export async function approveRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  if (ctx.viewer.credential.kind === 'job') throw new Forbidden('a job approves no run', 'job_of_workflow')
  await changeRuns(ctx.db, async (tx) => {
    const run = await heldRun(tx, ctx, runId)
    if (!waitsForApproval(run)) return
    await updateRun(tx, runId, { approver_id: ctx.viewer.id })
    if (!isFinal(run.status)) await enterGroup(tx, { ...run, approver_id: ctx.viewer.id }, ctx.viewer.id)
    await settleRun(tx, runId, [], ctx.viewer.id)
    const about = { kind: 'workflow run', id: runId } as const
    await recordAct(tx, { action: 'run.approved', doerId: ctx.viewer.id, about, details: { repository: ctx.repo.id } })
  })
}

async function heldRun(tx: Tx, { repo }: SignedInRepoCtx, runId: RunId): Promise<ActionRunRow> {
  const run = await findRunForUpdate(tx, runId)
  if (run?.repo_id !== repo.id) throw noRun()
  return run
}

/** Which jobs of a run are run again; those that need them follow. */
export type Again = 'all' | 'failed' | ActionJobId

/**
 * Runs jobs of a run again, as new attempts at them. A run that has not ended, or whose workflow could not be read, is
 * `Conflict`.
 */
export async function rerunJobs(ctx: SignedInRepoCtx, runId: RunId, again: Again): Promise<void> {
  await changeRuns(ctx.db, async (tx) => {
    const run = await heldRun(tx, ctx, runId)
    if (run.problem !== '') throw new Conflict('the workflow of the run could not be read', 'run_unreadable')
    if (await isDisabled(tx, run.repo_id, run.workflow_id)) {
      throw new Conflict('the workflow is disabled', 'workflow_disabled')
    }
    const jobs = await listJobStates(tx, runId)
    if (!jobs.every(({ status }) => isFinal(status))) throw notDone()
    const chosen = withFollowers(jobs, (job) => isChosen(job, again))
    if (chosen.length === 0) throw new Conflict('the run has no job to run again', 'nothing_to_rerun')
    const keys = new Set(chosen.map(({ job_key }) => job_key))
    const now = nowUnix(clockOf(tx))
    const begins = mayBegin(run)
    const waits = (job: JobState): boolean =>
      begins &&
      !job.is_call &&
      (job.id === again || !(JSON.parse(job.needs) as string[]).some((need) => keys.has(need)))
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
    const lasted = run.started_unix === 0 ? 0 : Math.max(0, run.stopped_unix - run.started_unix)
    await updateRun(tx, runId, {
      // What it was comes to an end again, which is told again.
      status: 'waiting',
      started_unix: 0,
      stopped_unix: 0,
      previous_seconds: run.previous_seconds + lasted,
    })
    await settleRun(
      tx,
      runId,
      chosen.map(({ id }) => id),
      ctx.viewer.id,
    )
    const home = await findHome(tx, run.repo_id)
    if (home) await offerJobs(tx, run, home.ownerId)
  })
}

function isChosen({ id, status }: JobState, again: Again): boolean {
  if (again === 'all') return true
  return again === 'failed' ? status === 'failure' || status === 'cancelled' : id === again
}

/** The chosen jobs and all that need them. */
function withFollowers(jobs: readonly JobState[], isFirst: (job: JobState) => boolean): JobState[] {
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

/** Deletes a run with its logs and artifacts. One that has not ended is `Conflict`. */
export async function deleteRun(ctx: SignedInRepoCtx, runId: RunId): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    await heldRun(tx, ctx, runId)
    const jobs = await listJobStates(tx, runId)
    if (!jobs.every(({ status }) => isFinal(status))) throw notDone()
    const blobKeys = await listBlobKeys(tx, runId)
    await addToUsage(tx, { repoId: ctx.repo.id }, 'artifacts', -(await sumArtifactsOfRun(tx, runId)))
    await deleteRunRow(tx, ctx.repo.id, runId)
    await publish(tx, 'run.deleted', { repoId: ctx.repo.id, runId, doerId: ctx.viewer.id, blobKeys })
  })
}
