import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'

export const RepoActionRun = object('RepoActionRun', {
  id: Type.Integer(),
  name: Type.String(),
  display_title: Type.String(),
  run_number: Type.Integer(),
  event: Type.String(),
  status: Type.String(),
  head_branch: Type.String(),
  head_sha: Type.String(),
  workflow_id: Type.String(),
  url: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
  run_started_at: dateTime(),
  /** The reason why the workflow could not be read. */
  problem: Type.Optional(Type.String()),
  triggering_actor: nullable(User),
})
export type RepoActionRun = Static<typeof RepoActionRun>

export const ListRepoActionRunResponse = object('ListRepoActionRunResponse', {
  workflow_runs: nullable(Type.Array(RepoActionRun)),
  total_count: Type.Integer(),
})

export const ActionTask = object('ActionTask', {
  id: Type.Integer(),
  name: Type.String(),
  head_branch: Type.String(),
  head_sha: Type.String(),
  run_number: Type.Integer(),
  event: Type.String(),
  display_title: Type.String(),
  status: Type.String(),
  workflow_id: Type.String(),
  url: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
  run_started_at: dateTime(),
})
export type ActionTask = Static<typeof ActionTask>

export const ActionTaskResponse = object('ActionTaskResponse', {
  workflow_runs: nullable(Type.Array(ActionTask)),
  total_count: Type.Integer(),
})

export const ActionRunJob = object('ActionRunJob', {
  id: Type.Integer(),
  repo_id: Type.Integer(),
  owner_id: Type.Integer(),
  name: Type.String(),
  needs: nullable(Type.Array(Type.String())),
  runs_on: nullable(Type.Array(Type.String())),
  task_id: Type.Integer(),
  status: Type.String(),
})
export type ActionRunJob = Static<typeof ActionRunJob>

export const DispatchWorkflowOption = requestObject('DispatchWorkflowOption', {
  /** Required; the operation itself refuses a missing value. */
  ref: Type.Optional(Type.String()),
  inputs: Type.Optional(nullable(Type.Record(Type.String(), Type.String()))),
  return_run_info: Type.Optional(Type.Boolean({ default: false })),
})

export const DispatchWorkflowRun = object('DispatchWorkflowRun', {
  id: Type.Integer(),
  run_number: Type.Integer(),
  jobs: nullable(Type.Array(Type.String())),
})

const Step = object('ActionWorkflowStep', {
  number: Type.Integer(),
  /** The evaluated name, or "Run" and what the step does. */
  name: Type.String(),
  status: Type.String(),
  started_at: nullable(dateTime()),
  completed_at: nullable(dateTime()),
  /** The first line of the step in the job's log, and the number of its lines. */
  log_index: Type.Integer(),
  log_length: Type.Integer(),
})

export const WorkflowJob = object('ActionWorkflowJob', {
  id: Type.Integer(),
  run_id: Type.Integer(),
  name: Type.String(),
  job_key: Type.String(),
  needs: Type.Array(Type.String()),
  labels: Type.Array(Type.String()),
  head_sha: Type.String(),
  run_attempt: Type.Integer(),
  task_id: Type.Integer(),
  status: Type.String(),
  created_at: dateTime(),
  started_at: nullable(dateTime()),
  completed_at: nullable(dateTime()),
  /** The environment to which the job deploys; the address is empty while unknown. */
  environment: nullable(object('ActionJobEnvironment', { name: Type.String(), url: Type.String() })),
  steps: Type.Array(Step),
})
export type WorkflowJob = Static<typeof WorkflowJob>

export const WorkflowJobs = object('ActionWorkflowJobsResponse', {
  jobs: Type.Array(WorkflowJob),
  total_count: Type.Integer(),
})
