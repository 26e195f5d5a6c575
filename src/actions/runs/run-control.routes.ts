import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { canRead, canWrite, gitRepo, inRepo, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import type { RunId } from '../../lib/ids.ts'
import { presentWorkflowJobs } from './run.present.ts'
import { WorkflowJob, WorkflowJobs } from './run.schemas.ts'
import { approveRun, cancelRun, deleteRun, getJob, jobsOfRun, rerunJobs } from './run-control.service.ts'
import { getRun } from './run.service.ts'

const readable = [inRepo, canRead('actions'), gitRepo] as const
const writable = [...readable, signedIn, canWrite('actions'), notArchived] as const
const run = { params: { run_id: pathNumber }, scope: 'repository' } as const

/** Returns the jobs of a run with the steps of their newest attempts. */
export const listWorkflowRunJobs = operation({
  ...run,
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}/jobs',
  cost: 'usual',
  requires: readable,
  reply: { 200: WorkflowJobs },
  summary: 'List the jobs of a workflow run',
  async run({ ctx, params }) {
    const found = await getRun(ctx, params.run_id)
    const jobs = await jobsOfRun(ctx, found)
    return ok({ jobs: presentWorkflowJobs(found, jobs), total_count: jobs.length })
  },
})

export const getWorkflowJob = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}',
  cost: 'usual',
  params: { job_id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: WorkflowJob },
  summary: 'Get a job of a workflow run',
  async run({ ctx, params }) {
    return ok(await presentJobOf(ctx, params.job_id))
  },
})

async function presentJobOf(ctx: RepoCtx, id: number): Promise<WorkflowJob> {
  const found = await getJob(ctx, id)
  const jobs = await jobsOfRun(ctx, found.run)
  const [shown] = presentWorkflowJobs(
    found.run,
    jobs.filter(({ job }) => job.id === found.job.id),
  )
  return shown as WorkflowJob
}

/** The reply is 202: runners learn of the change later. */
const change = (path: `/${string}`, summary: string, verb: (ctx: SignedInRepoCtx, id: RunId) => Promise<void>) =>
  operation({
    ...run,
    method: 'POST',
    path: `/repos/{username}/{reponame}/actions/runs/{run_id}${path}` as '/repos/{username}/{reponame}/actions/runs/{run_id}',
    cost: 'usual',
    requires: writable,
    refuses: [409],
    reply: { 202: 'empty' },
    summary,
    run: async ({ ctx, params }) => verb(ctx, (await getRun(ctx, params.run_id)).id),
  })

export const cancelWorkflowRun = change('/cancel', 'Cancel a workflow run', cancelRun)
export const approveWorkflowRun = change('/approve', 'Approve a workflow run', approveRun)
export const rerunWorkflowRun = change('/rerun', 'Rerun all jobs of a workflow run', (ctx, id) =>
  rerunJobs(ctx, id, 'all'),
)
export const rerunFailedWorkflowJobs = change(
  '/rerun-failed-jobs',
  'Rerun the failed jobs of a workflow run',
  (ctx, id) => rerunJobs(ctx, id, 'failed'),
)

/** Reruns a job and the jobs that need it. */
export const rerunWorkflowJob = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/actions/jobs/{job_id}/rerun',
  cost: 'usual',
  params: { job_id: pathNumber },
  scope: 'repository',
  requires: writable,
  refuses: [409],
  reply: { 202: 'empty' },
  summary: 'Rerun a job',
  async run({ ctx, params }) {
    const found = await getJob(ctx, params.job_id)
    await rerunJobs(ctx, found.run.id, found.job.id)
  },
})

/** The address of Gitea 1.27, which answers with the job. */
export const rerunWorkflowRunJob = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}/jobs/{job_id}/rerun',
  cost: 'usual',
  params: { run_id: pathNumber, job_id: pathNumber },
  scope: 'repository',
  requires: writable,
  refuses: [409],
  reply: { 201: WorkflowJob },
  summary: 'Rerun a job of a workflow run',
  async run({ ctx, params }) {
    const { id: runId } = await getRun(ctx, params.run_id)
    const { job, run: ofJob } = await getJob(ctx, params.job_id)
    if (ofJob.id !== runId) throw new NotFound('the job does not exist', 'job_not_found')
    await rerunJobs(ctx, runId, job.id)
    return created(await presentJobOf(ctx, params.job_id))
  },
})

export const deleteActionRun = operation({
  ...run,
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/actions/runs/{run_id}',
  cost: 'usual',
  requires: writable,
  refuses: [409],
  reply: { 204: 'empty' },
  summary: 'Delete a workflow run',
  run: async ({ ctx, params }) => deleteRun(ctx, (await getRun(ctx, params.run_id)).id),
})
