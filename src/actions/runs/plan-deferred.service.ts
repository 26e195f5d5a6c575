import type { Services } from '../../access/context.ts'
import { clockOf } from '../../db/clock.ts'
import type { Db } from '../../db/database.ts'
import type { ActionJobRow, ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import type { ActionJobId, RepoId, RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { resolveBlocked } from '../status.rules.ts'
import type { PlannedJob } from '../workflows/planned-job.ts'
import { loadNeeds } from './needed-jobs.service.ts'
import { loadContexts } from './plan-run.service.ts'
import { changeRuns, dependenciesOf, settleRun } from './run-change.service.ts'
import {
  deleteJob,
  findPayload,
  findRun,
  findRunForUpdate,
  insertJobs,
  listJobsOfRun,
  listJobStates,
  updateJobs,
  updateRun,
} from './run.store.ts'
import { jobRow } from './start-run.service.ts'
import { mayStart } from './trust.rules.ts'

/** Largest number of jobs of a run. */
const maxJobsOfRun = 512

/** Plans the deferred jobs of a run whose needed jobs have ended. Planning takes time, so no transaction waits for it. */
export async function planDeferredJobs(services: Services, repoId: RepoId, runId: RunId): Promise<void> {
  const run = await findRun(services.db, repoId, runId)
  if (!run) return
  for (const job of await listPlannable(services.db, run)) {
    const plan = await planOf(services, run, job)
    await changeRuns(services.db, async (tx) => {
      const current = await findRunForUpdate(tx, runId)
      const states = current ? await listJobStates(tx, runId) : []
      const state = states.find(({ id }) => id === job.id)
      if (!current || !state?.is_deferred || state.status !== 'blocked') return
      const problem =
        states.length + plan.jobs.length > maxJobsOfRun ? `the run has more than ${maxJobsOfRun} jobs` : plan.problem
      if (problem !== '' && current.problem === '') await updateRun(tx, runId, { problem: problem.slice(0, 1000) })
      const isLost = plan.jobs.length === 0 || states.length + plan.jobs.length > maxJobsOfRun
      const touched = isLost ? [await failJob(tx, job.id)] : await replaceJob(tx, current, job, plan, states)
      await settleRun(tx, runId, touched)
    })
  }
}

/** Returns the deferred jobs whose needed jobs have ended, and that are not skipped. */
async function listPlannable(db: Db, run: ActionRunRow): Promise<readonly ActionJobRow[]> {
  const jobs = await listJobsOfRun(db, run.id)
  const resolved = resolveBlocked(jobs.map(dependenciesOf), mayStart(run))
  return jobs.filter((job, index) => job.is_deferred && resolved.get(index) === 'waiting')
}

async function planOf(services: Services, run: ActionRunRow, job: ActionJobRow) {
  const [{ planDeferred }, { readDeferred }, repo, payload, needs] = await Promise.all([
    import('../workflows/job-plan.ts'),
    import('../workflows/job-payload.ts'),
    findRepoById(services.db, run.repo_id),
    findPayload(services.db, run.id),
    loadNeeds(services, job),
  ])
  if (!repo) throw new Error(`repository ${run.repo_id} was deleted`)
  const start = {
    repo,
    commit: run.commit_oid,
    file: { id: run.workflow_id },
    event: run.event,
    ref: run.ref,
    baseRef: run.base_ref,
    headRef: run.head_ref,
    doerId: run.doer_id,
    payload: payload ?? '{}',
    inputs: inputsIn(payload),
  }
  const deferred = readDeferred(job.payload)
  const contextsOf = await loadContexts(services, start, deferred.workflow)
  const results = Object.entries(needs).map(([key, { status, outputs }]) => [key, { result: status, outputs }] as const)
  const plan = await planDeferred(deferred, { ...contextsOf(run), needs: Object.fromEntries(results) })
  return { ...plan, isCall: deferred.call !== undefined }
}

/** Returns the inputs of a dispatch from the payload of its event. */
function inputsIn(payload: string | undefined): Readonly<Record<string, string>> {
  const { inputs } = JSON.parse(payload ?? '{}') as { readonly inputs?: Readonly<Record<string, unknown>> | null }
  return Object.fromEntries(Object.entries(inputs ?? {}).map(([name, value]) => [name, String(value)]))
}

type Tx = Parameters<typeof insertJobs>[0]

async function failJob(tx: Tx, id: ActionJobId): Promise<ActionJobId> {
  const now = nowUnix(clockOf(tx))
  await updateJobs(tx, [id], { status: 'failure' satisfies ActionStatus, stopped_unix: now, updated_unix: now })
  return id
}

/** Replaces a deferred job by the jobs that it stands for. Unless it is a call, they have its key, needs and rights. */
async function replaceJob(
  tx: Tx,
  run: ActionRunRow,
  deferred: ActionJobRow,
  { jobs, isCall }: { readonly jobs: readonly PlannedJob[]; readonly isCall: boolean },
  states: readonly { readonly position: number }[],
): Promise<readonly ActionJobId[]> {
  await deleteJob(tx, deferred.id)
  const last = Math.max(...states.map(({ position }) => position))
  const timing = { canStart: false, nowMs: clockOf(tx).nowMs() }
  const { job_key, needs, has_condition, is_read_only, may_identify, passed_secrets } = deferred
  const inherited = isCall ? {} : { job_key, needs, has_condition, is_read_only, may_identify, passed_secrets }
  const rows = jobs.map((job, index) => ({
    ...jobRow(run, job, index === 0 ? deferred.position : last + index, timing),
    ...inherited,
  }))
  return (await insertJobs(tx, rows)).map(({ id }) => id)
}
