import type { Generated, GeneratedAlways, Insertable, Selectable } from 'kysely'
import type {
  ActionJobId,
  ActionScheduleId,
  ArtifactId,
  CacheId,
  Oid,
  RegistrationTokenId,
  RepoId,
  RunId,
  RunnerId,
  SecretId,
  TaskId,
  UserId,
  VariableId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Secrets of workflows, of an account or of a repository: exactly one of the two ids is set. */
export interface ActionSecretTable {
  id: Generated<SecretId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** In upper case. */
  name: string
  /** Sealed with the instance key for the purpose `action-secret`. */
  sealed: string
  created_unix: Unix
  updated_unix: Unix
}

/** Variables of workflows, which may be read: of an account or of a repository. */
export interface ActionVariableTable {
  id: Generated<VariableId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** In upper case. */
  name: string
  data: string
  created_unix: Unix
  updated_unix: Unix
}

/** Where a run, a job, a task or a step stands. */
export type ActionStatus =
  | 'unknown'
  | 'waiting'
  | 'running'
  | 'success'
  | 'failure'
  | 'cancelled'
  | 'skipped'
  | 'blocked'

/** One thing that happened, and one workflow that it started. */
export interface ActionRunTable {
  id: Generated<RunId>
  repo_id: RepoId
  /** From 1 on in its repository; never given twice. */
  number: number
  title: string
  /** The workflow's file, below the folder of workflows. */
  workflow_id: string
  /** As the file calls itself; empty when it does not. */
  workflow_name: string
  /** The trigger of the file that fitted. */
  event: string
  /** What happened, by its name of our own: one that two triggers have, or that a newer run of its kind cancels. */
  happening: string
  /** How many runs dispatched each other before it. */
  chain: Generated<number>
  ref: string
  /** What lists show: a branch, a tag, `#` and the number of a pull request, or a commit. */
  head: string
  commit_oid: Oid
  /** The branch that a pull request is for, and the one that it comes from; else empty. */
  base_ref: string
  head_ref: string
  doer_id: UserId
  /** Untrusted (`trust.service.ts`): it gets no secrets, and its tokens only read. */
  is_foreign: boolean
  /** Who wrote the commits of an untrusted run; null when it is unknown, and for trusted runs. */
  author_id: UserId | null
  /** Its token may write nothing, as the file says. */
  is_read_only: boolean
  needs_approval: boolean
  approver_id: UserId | null
  /** Runs of a group wait for each other or cancel each other; empty for none. */
  concurrency_group: string
  /** It cancels the open runs of its group instead of waiting for them. */
  group_cancels: Generated<boolean>
  /** It waits until an earlier run of its group has ended. */
  is_held: boolean
  status: ActionStatus
  /** Why the workflow could not be read, with the line; else empty. */
  problem: string
  started_unix: Unix
  stopped_unix: Unix
  /** What earlier attempts took, in seconds. */
  previous_seconds: number
  created_unix: Unix
  updated_unix: Unix
}

/** What jobs of a run are told of what happened: long, and read by none of the lists. */
export interface ActionRunPayloadTable {
  run_id: RunId
  /** JSON. */
  data: string
}

/** How many attempts at jobs a repository has, in some rows. The database keeps it with every write. */
export interface ActionTaskTallyTable {
  id: GeneratedAlways<number>
  repo_id: RepoId
  shard: number
  total: number
}

/** How many runs a repository has, and the last number that one got. */
export interface ActionRunCounterTable {
  repo_id: RepoId
  last_number: number
  num_runs: number
}

/** A job of a run: one for each job of the file, or for each combination of its matrix. */
export interface ActionJobTable {
  id: Generated<ActionJobId>
  run_id: RunId
  repo_id: RepoId
  /** From 0 on in its run. */
  position: number
  /** Its name in the file, which all combinations of a matrix share. */
  job_key: string
  name: string
  /** JSON: the keys of the jobs that come first. */
  needs: string
  /** JSON: labels that a runner must have. */
  runs_on: string
  /** What the runner gets of the file, as YAML. */
  payload: string
  /** Its runner decides whether it is run when a job before it did not succeed. */
  has_condition: boolean
  /** Its token may write nothing, as the file says. */
  is_read_only: Generated<boolean>
  /** It stands for a workflow that is called, and ends with the jobs of that; no runner gets it. */
  is_call: Generated<boolean>
  /** JSON: names of the secrets that it gets, when these are not all. */
  passed_secrets: Generated<string | null>
  /** It may have tokens that say who it is to others (`id-token: write`). */
  may_identify: Generated<boolean>
  status: ActionStatus
  attempt: number
  /** The task of its newest attempt. */
  task_id: TaskId | null
  /** Since when it waits for a runner. */
  queued_ms: number
  started_unix: Unix
  stopped_unix: Unix
  created_unix: Unix
  updated_unix: Unix
}

/** An attempt at a job: what a runner was given. */
export interface ActionTaskTable {
  id: Generated<TaskId>
  job_id: ActionJobId
  run_id: RunId
  repo_id: RepoId
  runner_id: RunnerId | null
  attempt: number
  status: ActionStatus
  /** Hash of the token that the job works with. */
  token_hash: string
  started_unix: Unix
  stopped_unix: Unix
  created_unix: Unix
  updated_unix: Unix
  /** When its runner last said something about it. */
  active_ms: number
  /** Lines and bytes of the log so far. */
  log_lines: number
  log_bytes: number
  /** `closing`: the runner said that no more comes, with no line; it may still send some until the task ends. */
  log_state: 'open' | 'closing' | 'ended' | 'stored' | 'expired'
  /** Where the whole log lies once it is stored; else empty. */
  log_key: string
  /** JSON: of each block of a stored log its first line, where it begins and how long it is, in bytes. */
  log_index: Generated<string>
  /** What is taken out of its log while that comes, sealed for the purpose `action-masks`: a JSON list; else empty. */
  masks: Generated<string>
}

export interface ActionStepTable {
  task_id: TaskId
  /** From 0 on. */
  position: number
  name: string
  status: ActionStatus
  /** Its first line in the log of the task, and how many are its own. */
  log_index: number
  log_length: number
  started_unix: Unix
  stopped_unix: Unix
}

export interface ActionOutputTable {
  task_id: TaskId
  name: string
  value: string
}

/** Lines of the log of a task that is not stored whole yet, as they came. */
export interface ActionLogChunkTable {
  task_id: TaskId
  first_line: number
  line_count: number
  data: string
}

/** A program that runs jobs: of a repository, of an account, or of the instance. */
export interface ActionRunnerTable {
  id: Generated<RunnerId>
  uuid: string
  name: string
  version: string
  owner_id: UserId | null
  repo_id: RepoId | null
  token_hash: string
  /** JSON. */
  labels: string
  /** It takes one job, and is forgotten after it. */
  is_ephemeral: boolean
  online_ms: number
  active_ms: number
  created_unix: Unix
}

/** What a runner shows to be registered. It is shown again, so it is sealed as well as hashed. */
export interface ActionRegistrationTokenTable {
  id: Generated<RegistrationTokenId>
  /** `instance`, `owner <id>` or `repo <id>`. */
  scope: string
  owner_id: UserId | null
  repo_id: RepoId | null
  token_hash: string
  sealed: string
  is_active: boolean
  created_unix: Unix
}

/** Goes up whenever jobs begin to wait, so that runners look only then. The scopes are those of registration tokens. */
export interface ActionQueueVersionTable {
  scope: string
  version: number
}

/** A moment at which a workflow of the default branch runs again. */
export interface ActionScheduleTable {
  id: Generated<ActionScheduleId>
  repo_id: RepoId
  workflow_id: string
  spec: string
  commit_oid: Oid
  next_unix: Unix
}

/** Repositories without workflows, and the commit of the default branch of which that is known. */
export interface RepoWithoutWorkflowsTable {
  repo_id: RepoId
  commit_oid: Oid
}

/** Files that a run gave: of the newer protocol one for each name, of the older one for each path. */
export interface ActionArtifactTable {
  id: Generated<ArtifactId>
  repo_id: RepoId
  run_id: RunId
  name: string
  /** Below the name, in the older protocol; else empty. */
  path: string
  /** Of the protocol: 3 or 4. */
  version: number
  /** All of it has arrived, and it is shown. */
  is_whole: boolean
  /** Its time is over: its bytes are gone, the row stays. */
  is_expired: boolean
  /** It is kept packed as it came. */
  is_gzip: boolean
  /** Of the newer protocol: several files in one, which its clients unpack; else one as it is. */
  is_zip: Generated<boolean>
  /** Before packing, and as it is kept. */
  size_bytes: number
  stored_bytes: number
  /** Bytes of its parts that have arrived or are arriving, as charged to the owner; 0 once it is whole. */
  reserved_bytes: Generated<number>
  blob_key: string
  created_unix: Unix
  expires_unix: Unix
}

/** A part of an artifact that is not whole yet. */
export interface ActionArtifactBlockTable {
  id: Generated<number>
  artifact_id: ArtifactId
  /** As the client names it, or where it begins. */
  block_key: string
  position: number
  size_bytes: number
  blob_key: string
}

/** What a job keeps for later jobs. */
export interface ActionCacheTable {
  id: Generated<CacheId>
  repo_id: RepoId
  /** The reference of the run that made it: who reads what of whom goes by it. */
  scope: string
  cache_key: string
  /** Of what it is made, as the client says: entries of another version do not count. */
  version: string
  is_whole: boolean
  size_bytes: number
  /** Bytes of its parts that have arrived or are arriving, as charged to the owner; 0 once it is whole. */
  reserved_bytes: Generated<number>
  blob_key: string
  created_unix: Unix
  used_unix: Unix
}

/** A part of an entry that is not whole yet. */
export interface ActionCacheBlockTable {
  id: Generated<number>
  cache_id: CacheId
  block_key: string
  position: number
  size_bytes: number
  blob_key: string
}

/** A workflow that nothing starts but a dispatch. */
export interface ActionDisabledWorkflowTable {
  repo_id: RepoId
  workflow_id: string
  created_unix: Unix
}

export interface ActionTables {
  action_disabled_workflow: ActionDisabledWorkflowTable
  repo_without_workflows: RepoWithoutWorkflowsTable
  action_cache: ActionCacheTable
  action_cache_block: ActionCacheBlockTable
  action_artifact: ActionArtifactTable
  action_artifact_block: ActionArtifactBlockTable
  action_secret: ActionSecretTable
  action_variable: ActionVariableTable
  action_run: ActionRunTable
  action_run_payload: ActionRunPayloadTable
  action_run_counter: ActionRunCounterTable
  action_task_tally: ActionTaskTallyTable
  action_job: ActionJobTable
  action_task: ActionTaskTable
  action_step: ActionStepTable
  action_output: ActionOutputTable
  action_log_chunk: ActionLogChunkTable
  action_runner: ActionRunnerTable
  action_registration_token: ActionRegistrationTokenTable
  action_queue_version: ActionQueueVersionTable
  action_schedule: ActionScheduleTable
}

export type ActionSecretRow = Selectable<ActionSecretTable>
export type ActionVariableRow = Selectable<ActionVariableTable>
export type ActionRunRow = Selectable<ActionRunTable>
export type NewActionRunRow = Insertable<ActionRunTable>
export type ActionJobRow = Selectable<ActionJobTable>
export type NewActionJobRow = Insertable<ActionJobTable>
export type ActionTaskRow = Selectable<ActionTaskTable>
export type NewActionTaskRow = Insertable<ActionTaskTable>
export type ActionStepRow = Selectable<ActionStepTable>
export type ActionOutputRow = Selectable<ActionOutputTable>
export type ActionLogChunkRow = Selectable<ActionLogChunkTable>
export type ActionRunnerRow = Selectable<ActionRunnerTable>
export type NewActionRunnerRow = Insertable<ActionRunnerTable>
export type ActionRegistrationTokenRow = Selectable<ActionRegistrationTokenTable>
export type ActionScheduleRow = Selectable<ActionScheduleTable>
export type ActionArtifactRow = Selectable<ActionArtifactTable>
export type NewActionArtifactRow = Insertable<ActionArtifactTable>
export type ActionArtifactBlockRow = Selectable<ActionArtifactBlockTable>
export type ActionCacheRow = Selectable<ActionCacheTable>
export type ActionCacheBlockRow = Selectable<ActionCacheBlockTable>
