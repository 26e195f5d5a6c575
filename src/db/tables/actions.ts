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

/** Workflow secrets of an account or of a repository; exactly one of the two ids is set. */
export interface ActionSecretTable {
  id: Generated<SecretId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** Upper case. */
  name: string
  /** Sealed with the instance key for the purpose `action-secret`. */
  sealed: string
  created_unix: Unix
  updated_unix: Unix
}

/** Workflow variables of an account or of a repository. Their values are readable. */
export interface ActionVariableTable {
  id: Generated<VariableId>
  owner_id: UserId | null
  repo_id: RepoId | null
  /** Upper case. */
  name: string
  data: string
  created_unix: Unix
  updated_unix: Unix
}

/** The status of a run, job, task or step. */
export type ActionStatus =
  | 'unknown'
  | 'waiting'
  | 'running'
  | 'success'
  | 'failure'
  | 'cancelled'
  | 'skipped'
  | 'blocked'

/** A workflow run: one event that started one workflow. */
export interface ActionRunTable {
  id: Generated<RunId>
  repo_id: RepoId
  /** Counts from 1 in each repository; never reused. */
  number: number
  title: string
  /** The file name of the workflow in the workflows folder. */
  workflow_id: string
  /** The `name` of the workflow file; empty without one. */
  workflow_name: string
  /** The trigger in the workflow file that matched. */
  event: string
  /** The internal event name. Several triggers can share it, and a newer run of the same event cancels this run. */
  happening: string
  /** The number of preceding runs in the chain of dispatches. */
  chain: Generated<number>
  ref: string
  /** The reference that lists show: a branch, a tag, `#` and a pull request number, or a commit. */
  head: string
  commit_oid: Oid
  /** The base and head branches of a pull request; empty for other events. */
  base_ref: string
  head_ref: string
  doer_id: UserId
  /** Whether the run is untrusted (`trust.service.ts`): it gets no secrets, and its tokens are read-only. */
  is_foreign: boolean
  /** The author of the commits of an untrusted run; null when unknown, and for trusted runs. */
  author_id: UserId | null
  /** Whether the workflow file makes the token read-only. */
  is_read_only: boolean
  needs_approval: boolean
  approver_id: UserId | null
  /** The concurrency group, whose runs wait for or cancel each other; empty for none. */
  concurrency_group: string
  /** Whether the run cancels the open runs of its group instead of waiting. */
  group_cancels: Generated<boolean>
  /** Whether the run waits for an earlier run of its group. */
  is_held: boolean
  status: ActionStatus
  /** Why the workflow file is invalid, with the line; empty otherwise. */
  problem: string
  started_unix: Unix
  stopped_unix: Unix
  /** The duration of earlier attempts, in seconds. */
  previous_seconds: number
  created_unix: Unix
  updated_unix: Unix
}

/** The event payload of a run. It is large, and lists do not read it. */
export interface ActionRunPayloadTable {
  run_id: RunId
  /** JSON. */
  data: string
}

/** The number of job attempts of a repository, split over several rows. Triggers maintain it. */
export interface ActionTaskTallyTable {
  id: GeneratedAlways<number>
  repo_id: RepoId
  shard: number
  total: number
}

/** The number of runs of a repository, and the last run number. */
export interface ActionRunCounterTable {
  repo_id: RepoId
  last_number: number
  num_runs: number
}

/** A job of a run: one row for each job of the file, or for each combination of its matrix. */
export interface ActionJobTable {
  id: Generated<ActionJobId>
  run_id: RunId
  repo_id: RepoId
  /** Counts from 0 in its run. */
  position: number
  /** The job id in the workflow file. All combinations of a matrix share it. */
  job_key: string
  name: string
  /** JSON: the job ids in `needs`. */
  needs: string
  /** JSON: the labels that the runner must have. */
  runs_on: string
  /** The workflow that the runner receives, as YAML. */
  payload: string
  /** Whether the runner evaluates the job's condition when a needed job did not succeed. */
  has_condition: boolean
  /** Whether the workflow file makes the token read-only. */
  is_read_only: Generated<boolean>
  /** Whether the job calls a reusable workflow. It ends with that workflow's jobs; no runner gets it. */
  is_call: Generated<boolean>
  /** JSON: the names of the secrets that the job receives, when it does not receive all. */
  passed_secrets: Generated<string | null>
  /** Whether the job may request OpenID Connect tokens (`id-token: write`). */
  may_identify: Generated<boolean>
  status: ActionStatus
  attempt: number
  /** The task of the newest attempt. */
  task_id: TaskId | null
  /** When the job began to wait for a runner. */
  queued_ms: number
  started_unix: Unix
  stopped_unix: Unix
  created_unix: Unix
  updated_unix: Unix
}

/** One attempt at a job, executed by one runner. */
export interface ActionTaskTable {
  id: Generated<TaskId>
  job_id: ActionJobId
  run_id: RunId
  repo_id: RepoId
  runner_id: RunnerId | null
  attempt: number
  status: ActionStatus
  /** Hash of the job token. */
  token_hash: string
  started_unix: Unix
  stopped_unix: Unix
  created_unix: Unix
  updated_unix: Unix
  /** When the runner last reported. */
  active_ms: number
  /** The length of the log so far, in lines and bytes. */
  log_lines: number
  log_bytes: number
  /** `closing`: the runner sent the end of the log without a line. It may send more lines until the task ends. */
  log_state: 'open' | 'closing' | 'ended' | 'stored' | 'expired'
  /** Blob key of the stored log; empty until it is stored. */
  log_key: string
  /** JSON: the first line, offset and length in bytes of each block of a stored log. */
  log_index: Generated<string>
  /**
   * The values to mask in incoming log lines: a JSON list, sealed for the purpose `action-masks`; empty without any.
   */
  masks: Generated<string>
}

export interface ActionStepTable {
  task_id: TaskId
  /** Counts from 0. */
  position: number
  name: string
  status: ActionStatus
  /** The first line of the step in the task's log, and its number of lines. */
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

/** Log lines of tasks whose log is not stored in the blob store yet. */
export interface ActionLogChunkTable {
  task_id: TaskId
  first_line: number
  line_count: number
  data: string
}

/** A runner of a repository, of an account, or of the instance. */
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
  /** Whether the server deletes the runner after one job. */
  is_ephemeral: boolean
  online_ms: number
  active_ms: number
  created_unix: Unix
}

/** Registration tokens of runners. The pages show a token again, so it is sealed in addition to the hash. */
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

/**
 * A version per scope, incremented when a job begins to wait. Runners query for jobs only after a change. The scopes
 * are those of registration tokens.
 */
export interface ActionQueueVersionTable {
  scope: string
  version: number
}

/** The next scheduled run of a workflow on the default branch. */
export interface ActionScheduleTable {
  id: Generated<ActionScheduleId>
  repo_id: RepoId
  workflow_id: string
  spec: string
  commit_oid: Oid
  next_unix: Unix
}

/** Repositories without workflows at a commit of the default branch. */
export interface RepoWithoutWorkflowsTable {
  repo_id: RepoId
  commit_oid: Oid
}

/** Artifacts of runs: one row per name in protocol version 4, one row per path in version 3. */
export interface ActionArtifactTable {
  id: Generated<ArtifactId>
  repo_id: RepoId
  run_id: RunId
  name: string
  /** The path below the name in protocol version 3; empty in version 4. */
  path: string
  /** The protocol version: 3 or 4. */
  version: number
  /** Whether the upload is complete. Only complete artifacts are listed. */
  is_whole: boolean
  /** Whether the artifact expired. Its bytes are deleted; the row remains. */
  is_expired: boolean
  /** Whether the content is stored gzip-compressed, as it arrived. */
  is_gzip: boolean
  /** Protocol version 4: whether the artifact is a zip archive, which its clients unpack, or a single file. */
  is_zip: Generated<boolean>
  /** The uncompressed size, and the size as stored. */
  size_bytes: number
  stored_bytes: number
  /** Bytes of the received and arriving blocks, charged to the owner; 0 after completion. */
  reserved_bytes: Generated<number>
  blob_key: string
  created_unix: Unix
  expires_unix: Unix
}

/** A block of an incomplete artifact. */
export interface ActionArtifactBlockTable {
  id: Generated<number>
  artifact_id: ArtifactId
  /** The block's name from the client, or its offset. */
  block_key: string
  position: number
  size_bytes: number
  blob_key: string
}

/** A cache entry that a job saves for later jobs. */
export interface ActionCacheTable {
  id: Generated<CacheId>
  repo_id: RepoId
  /** The reference of the run that created the entry; it decides which runs can read the entry. */
  scope: string
  cache_key: string
  /** The version string of the client. Only entries of the same version match. */
  version: string
  is_whole: boolean
  size_bytes: number
  /** Bytes of the received and arriving blocks, charged to the owner; 0 after completion. */
  reserved_bytes: Generated<number>
  blob_key: string
  created_unix: Unix
  used_unix: Unix
}

/** A block of an incomplete cache entry. */
export interface ActionCacheBlockTable {
  id: Generated<number>
  cache_id: CacheId
  block_key: string
  position: number
  size_bytes: number
  blob_key: string
}

/** A disabled workflow. Only a dispatch starts it. */
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
