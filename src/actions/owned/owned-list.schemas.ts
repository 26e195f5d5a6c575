import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'
import { WorkflowJob } from '../runs/run.schemas.ts'

const RunRepository = object('ActionRunRepository', {
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.String(),
  full_name: Type.String(),
})

export const WorkflowRun = object('ActionWorkflowRun', {
  id: Type.Integer(),
  url: Type.String(),
  html_url: Type.String(),
  display_title: Type.String(),
  path: Type.String(),
  event: Type.String(),
  run_number: Type.Integer(),
  head_branch: Type.String(),
  head_sha: Type.String(),
  status: Type.String(),
  /** The status of a run that has ended; empty before. */
  conclusion: Type.String(),
  actor: nullable(User),
  repository: RunRepository,
  started_at: nullable(dateTime()),
  completed_at: nullable(dateTime()),
})
export type WorkflowRun = Static<typeof WorkflowRun>

export const WorkflowRuns = object('ActionWorkflowRunsResponse', {
  workflow_runs: Type.Array(WorkflowRun),
  total_count: Type.Integer(),
})

export const OwnedJobs = object('ActionOwnedJobsResponse', {
  jobs: Type.Array(object('ActionOwnedJob', { ...WorkflowJob.properties, repository: RunRepository })),
  total_count: Type.Integer(),
})
export type OwnedJob = Static<typeof OwnedJobs>['jobs'][number]

export const ActionRunners = object('ActionRunnersResponse', {
  runners: Type.Array(
    object('ActionRunner', {
      id: Type.Integer(),
      name: Type.String(),
      status: enumeration('online', 'offline'),
      busy: Type.Boolean(),
      disabled: Type.Boolean(),
      ephemeral: Type.Boolean(),
      labels: Type.Array(
        object('ActionRunnerLabel', { id: Type.Integer(), name: Type.String(), type: enumeration('custom') }),
      ),
    }),
  ),
  total_count: Type.Integer(),
})
export type ActionRunner = Static<typeof ActionRunners>['runners'][number]
