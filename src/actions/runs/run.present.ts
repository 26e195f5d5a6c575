import type { RepoCtx } from '../../access/context.ts'
import type { ActionJobRow, ActionRunRow } from '../../db/tables/actions.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatOptionalUnix, formatUnix } from '../../lib/time.ts'
import { presentUser } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { ActionRunJob, ActionTask, RepoActionRun, WorkflowJob } from './run.schemas.ts'
import type { StepOfTask, TaskOfRun } from './task.store.ts'

type PresentCtx = Pick<RepoCtx, 'config' | 'db' | 'owner' | 'repo'>

/** Returns the path of a run's page. The contract requires a path, not an absolute URL. */
const runPath = ({ owner, repo }: PresentCtx, number: number): string =>
  `/${owner.name}/${repo.name}/actions/runs/${number}`

/** Presents runs of one repository. The actor is shown as guests see the account (observed). */
export async function presentRuns(ctx: PresentCtx, runs: readonly ActionRunRow[]): Promise<RepoActionRun[]> {
  const users = await loadUsers(ctx.db, pluck(runs, 'doer_id'))
  return runs.map((run) => {
    const doer = users.get(run.doer_id)
    return {
      id: run.id,
      name: run.title,
      display_title: run.title,
      run_number: run.number,
      event: run.event,
      status: run.status,
      head_branch: run.head,
      head_sha: run.commit_oid,
      workflow_id: run.workflow_id,
      url: runPath(ctx, run.number),
      created_at: formatUnix(run.created_unix),
      updated_at: formatUnix(run.updated_unix),
      run_started_at: formatUnix(run.started_unix),
      ...(run.problem === '' ? {} : { problem: run.problem }),
      triggering_actor: doer ? presentUser({ config: ctx.config }, doer) : null,
    }
  })
}

export async function presentRun(ctx: PresentCtx, run: ActionRunRow): Promise<RepoActionRun> {
  const [presented] = await presentRuns(ctx, [run])
  return presented as RepoActionRun
}

/** Presents tasks with the fields of their runs and jobs. */
export const presentTasks = (ctx: PresentCtx, tasks: readonly TaskOfRun[]): ActionTask[] =>
  tasks.map(({ task, jobName, run }) => ({
    id: task.id,
    name: jobName,
    head_branch: run.head,
    head_sha: run.commit_oid,
    run_number: run.number,
    event: run.event,
    display_title: run.title,
    status: task.status,
    workflow_id: run.workflow_id,
    url: runPath(ctx, run.number),
    created_at: formatUnix(task.created_unix),
    updated_at: formatUnix(task.updated_unix),
    run_started_at: formatUnix(task.started_unix),
  }))

export const presentJobs = (
  jobs: readonly (Pick<ActionJobRow, 'id' | 'repo_id' | 'name' | 'needs' | 'runs_on' | 'task_id' | 'status'> & {
    readonly owner_id: number
  })[],
): ActionRunJob[] =>
  jobs.map((job) => {
    const needs = JSON.parse(job.needs) as string[]
    return {
      id: job.id,
      repo_id: job.repo_id,
      owner_id: job.owner_id,
      name: job.name,
      needs: needs.length === 0 ? null : needs,
      runs_on: JSON.parse(job.runs_on) as string[],
      task_id: job.task_id ?? 0,
      status: job.status,
    }
  })

/** Presents jobs of a run with the steps of their newest attempts. */
export const presentWorkflowJobs = (
  run: ActionRunRow,
  jobs: readonly { readonly job: ActionJobRow; readonly steps: readonly StepOfTask[] }[],
): WorkflowJob[] =>
  jobs.map(({ job, steps }) => ({
    id: job.id,
    run_id: run.id,
    name: job.name,
    job_key: job.job_key,
    needs: JSON.parse(job.needs) as string[],
    labels: JSON.parse(job.runs_on) as string[],
    head_sha: run.commit_oid,
    run_attempt: job.attempt,
    task_id: job.task_id ?? 0,
    status: job.status,
    created_at: formatUnix(job.created_unix),
    started_at: formatOptionalUnix(job.started_unix),
    completed_at: formatOptionalUnix(job.stopped_unix),
    environment: job.environment === '' ? null : { name: job.environment, url: job.environment_url },
    steps: steps.map((step) => ({
      number: step.position,
      name: step.name,
      status: step.status,
      started_at: formatOptionalUnix(step.started_unix),
      completed_at: formatOptionalUnix(step.stopped_unix),
      log_index: step.log_index,
      log_length: step.log_length,
    })),
  }))
