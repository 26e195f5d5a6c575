import type { Insertable, Selectable } from 'kysely'
import type {
  ActionJobId,
  ActionScheduleId,
  Oid,
  RepoId,
  RunId,
  RunnerId,
  SecretId,
  TaskId,
  UserId,
  VariableId,
} from '../../lib/ids.ts'
import {
  bigint,
  byTrigger,
  flag,
  id,
  integer,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

/**
 * Where a job is in its concurrency group. It is `outside` until it could start and after it has ended, and `waiting` while
 * another member of the group runs.
 */
export type GroupState = 'outside' | 'waiting' | 'inside'

/** The severity of an annotation. */
export type AnnotationLevel = 'error' | 'warning' | 'notice'

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

export const actionTables = {
  /** Workflow secrets of an account or of a repository; exactly one of the two ids is set. */
  action_secret: table(
    {
      id: id<SecretId>(),
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      /** Upper case. */
      name: text(),
      /** Sealed with the instance key for the purpose `action-secret`. */
      sealed: text(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    {
      check: '(owner_id is null) <> (repo_id is null)',
      unique: [
        ['owner_id', 'name'],
        ['repo_id', 'name'],
      ],
    },
  ),

  /** Workflow variables of an account or of a repository. Their values are readable. */
  action_variable: table(
    {
      id: id<VariableId>(),
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      /** Upper case. */
      name: text(),
      data: text(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    {
      check: '(owner_id is null) <> (repo_id is null)',
      unique: [
        ['owner_id', 'name'],
        ['repo_id', 'name'],
      ],
    },
  ),

  /** A workflow run: one event that started one workflow. */
  action_run: table(
    {
      id: id<RunId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** Counts from 1 in each repository; never reused. */
      number: bigint(),
      title: text(),
      /** The file name of the workflow in the workflows folder. */
      workflow_id: text(),
      /** The `name` of the workflow file; empty without one. */
      workflow_name: text(),
      /** The trigger in the workflow file that matched. */
      event: text(),
      /** The internal event name. Several triggers can share it, and a newer run of the same event cancels this run. */
      happening: text(),
      ref: text(),
      /** The reference that lists show: a branch, a tag, `#` and a pull request number, or a commit. */
      head: text(),
      commit_oid: text<Oid>(),
      /** The base and head branches of a pull request; empty for other events. */
      base_ref: text(),
      head_ref: text(),
      doer_id: bigint<UserId>(),
      /** Whether the run is untrusted (`trust.service.ts`): it gets no secrets, and its tokens are read-only. */
      is_foreign: flag(),
      /** Whether the workflow file makes the token read-only. */
      is_read_only: flag(),
      needs_approval: flag(),
      approver_id: nullable(bigint<UserId>()),
      /** The concurrency group, whose runs wait for or cancel each other; empty for none. */
      concurrency_group: text(),
      /** Whether the run waits for an earlier run of its group. */
      is_held: flag(),
      status: text<ActionStatus>(),
      /** Why the workflow file is invalid, with the line; empty otherwise. */
      problem: text(),
      started_unix: unix(),
      stopped_unix: unix(),
      /** The duration of earlier attempts, in seconds. */
      previous_seconds: bigint(),
      created_unix: unix(),
      updated_unix: unix(),
      /** The number of preceding runs in the chain of dispatches. */
      chain: bigint(0),
      /** The author of the commits of an untrusted run; null when unknown, and for trusted runs. */
      author_id: nullable(bigint<UserId>()),
      /** Whether the run cancels the open runs of its group instead of waiting. */
      group_cancels: flag(false),
      /** Whether it is a member of its concurrency group: from its entry until all its jobs have ended. */
      in_group: flag(false),
      /** Whether the run or one of its jobs may belong to a concurrency group. */
      has_groups: flag(false),
      /** What started the run, such as `event 812.0` (`run-cause.rules.ts`), so that it starts the run once; null for a dispatch. */
      cause: nullable(text()),
    },
    {
      unique: [['repo_id', 'number']],
      indexes: {
        action_run_list: '(repo_id, id)',
        action_run_commit: '(repo_id, commit_oid)',
        action_run_status: '(repo_id, status, id)',
        action_run_event: '(repo_id, event, id)',
        action_run_instance_status: '(status, id)',
        action_run_instance_event: '(event, id)',
        action_run_open: "(repo_id, workflow_id, ref) where status in ('waiting', 'running', 'blocked')",
        action_run_group: '(repo_id, concurrency_group) where in_group',
        action_run_workflow: '(repo_id, workflow_id, ref, id)',
        action_run_approved: '(repo_id, author_id) where approver_id is not null',
        action_run_cause: 'unique (repo_id, cause, workflow_id, event) where cause is not null',
      },
    },
  ),

  /** The event payload of a run. It is large, and lists do not read it. */
  action_run_payload: table({
    run_id: primaryKey(ref<RunId>('action_run', 'cascade')),
    /** JSON. */
    data: text(),
  }),

  /** The number of runs of a repository, and the last run number. */
  action_run_counter: table({
    repo_id: primaryKey(ref<RepoId>('repo', 'cascade')),
    last_number: bigint(),
    num_runs: bigint(),
  }),

  /** A job of a run: one row for each job of the file, or for each combination of its matrix. */
  action_job: table(
    {
      id: id<ActionJobId>(),
      run_id: ref<RunId>('action_run', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** Counts from 0 in its run. */
      position: bigint(),
      /** The job id in the workflow file. All combinations of a matrix share it. */
      job_key: text(),
      name: text(),
      /** JSON: the job ids in `needs`. */
      needs: text(),
      /** JSON: the labels that the runner must have. */
      runs_on: text(),
      /** The workflow that the runner receives, as YAML. */
      payload: text(),
      /** Whether the runner evaluates the job's condition when a needed job did not succeed. */
      has_condition: flag(),
      status: text<ActionStatus>(),
      attempt: bigint(),
      /** The task of the newest attempt. */
      task_id: nullable(bigint<TaskId>()),
      /** When the job began to wait for a runner. */
      queued_ms: bigint(),
      started_unix: unix(),
      stopped_unix: unix(),
      created_unix: unix(),
      updated_unix: unix(),
      /** Whether the workflow file makes the token read-only. */
      is_read_only: flag(false),
      /** Whether the job may request OpenID Connect tokens (`id-token: write`). */
      may_identify: flag(false),
      /** Whether the job calls a reusable workflow. It ends with that workflow's jobs; no runner gets it. */
      is_call: flag(false),
      /** JSON: the names of the secrets that the job receives, when it does not receive all. */
      passed_secrets: nullable(text()),
      /** Whether it stands for jobs that are planned when the jobs that it needs have ended; its payload is that of `deferredPayload`. */
      is_deferred: flag(false),
      /** The concurrency group, whose members wait for or cancel each other; empty for none. A call has it for all its jobs. */
      concurrency_group: text(''),
      /** Whether the job cancels the running members of its group instead of waiting. */
      group_cancels: flag(false),
      group_state: text<GroupState>('outside'),
      /** The name of the environment to which the job deploys; empty for none. */
      environment: text(''),
      /** The address of the deployment as the file or the runner gives it; empty while unknown. */
      environment_url: text(''),
    },
    {
      unique: [['run_id', 'position']],
      indexes: {
        action_job_group: "(repo_id, concurrency_group) where group_state <> 'outside'",
        action_job_environment: "(repo_id, environment, id) where environment <> ''",
        action_job_repo: '(repo_id)',
        action_job_instance_status: '(status, id)',
        action_job_waiting: "(queued_ms, id) where status = 'waiting'",
        action_job_waiting_repo: "(repo_id, queued_ms, id) where status = 'waiting'",
        action_job_open: "(updated_unix, id) where status in ('waiting', 'running', 'blocked')",
      },
    },
  ),

  /** One attempt at a job, executed by one runner. */
  action_task: table(
    {
      id: id<TaskId>(),
      job_id: ref<ActionJobId>('action_job', 'cascade'),
      run_id: bigint<RunId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      runner_id: nullable(ref<RunnerId>('action_runner', 'set null')),
      attempt: bigint(),
      status: text<ActionStatus>(),
      /** Hash of the job token. */
      token_hash: unique(text()),
      started_unix: unix(),
      stopped_unix: unix(),
      created_unix: unix(),
      updated_unix: unix(),
      /** When the runner last reported. */
      active_ms: bigint(),
      /** The length of the log so far, in lines and bytes. */
      log_lines: bigint(),
      log_bytes: bigint(),
      /** `closing`: the runner sent the end of the log without a line. It may send more lines until the task ends. */
      log_state: text<'open' | 'closing' | 'ended' | 'stored' | 'expired'>(),
      /** Blob key of the stored log; empty until it is stored. */
      log_key: text(),
      /** JSON: the first line, offset and length in bytes of each block of a stored log. */
      log_index: text('[]'),
      /**
       * The values to mask in incoming log lines: a JSON list, sealed for the purpose `action-masks`; empty without any.
       */
      masks: text(''),
      /** JSON: the names of the steps as the server can evaluate them. */
      step_names: text('[]'),
      /** The token that resumes workflow commands in the log (`::stop-commands::`); empty while they are obeyed. */
      resume_token: text(''),
    },
    {
      indexes: {
        action_task_job: '(job_id)',
        action_task_repo: '(repo_id, id desc)',
        action_task_runner: '(runner_id) where runner_id is not null',
        action_task_running: "(active_ms) where status = 'running'",
        action_task_log: "(stopped_unix) where log_state in ('ended', 'stored')",
      },
    },
  ),

  action_step: table(
    {
      task_id: ref<TaskId>('action_task', 'cascade'),
      /** Counts from 0. */
      position: bigint(),
      name: text(),
      status: text<ActionStatus>(),
      /** The first line of the step in the task's log, and its number of lines. */
      log_index: bigint(),
      log_length: bigint(),
      started_unix: unix(),
      stopped_unix: unix(),
    },
    { primaryKey: ['task_id', 'position'] },
  ),

  action_output: table(
    {
      task_id: ref<TaskId>('action_task', 'cascade'),
      name: text(),
      value: text(),
    },
    { primaryKey: ['task_id', 'name'] },
  ),

  /** A message that a step attaches to its job, and perhaps to lines of a file (`::error file=…::`). */
  action_annotation: table(
    {
      task_id: ref<TaskId>('action_task', 'cascade'),
      /** The line of the log that contains it. */
      log_line: bigint(),
      level: text<AnnotationLevel>(),
      /** The path of the file in the repository; empty for none. */
      path: text(),
      /** Lines and columns count from 1; 0 is unknown. */
      start_line: bigint(),
      end_line: bigint(),
      start_column: bigint(),
      end_column: bigint(),
      title: text(),
      message: text(),
    },
    { primaryKey: ['task_id', 'log_line'] },
  ),

  /** The Markdown that a step wrote to its summary file. */
  action_summary: table(
    {
      task_id: ref<TaskId>('action_task', 'cascade'),
      /** The position of the step. */
      position: bigint(),
      content: text(),
    },
    { primaryKey: ['task_id', 'position'] },
  ),

  /** Log lines of tasks whose log is not stored in the blob store yet. */
  action_log_chunk: table(
    {
      task_id: ref<TaskId>('action_task', 'cascade'),
      first_line: bigint(),
      line_count: bigint(),
      data: text(),
    },
    { primaryKey: ['task_id', 'first_line'] },
  ),

  /** The next scheduled run of a workflow on the default branch. */
  action_schedule: table(
    {
      id: id<ActionScheduleId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      workflow_id: text(),
      spec: text(),
      commit_oid: text<Oid>(),
      next_unix: unix(),
    },
    { indexes: { action_schedule_repo: '(repo_id)', action_schedule_next: '(next_unix)' } },
  ),

  /** A disabled workflow. Only a dispatch starts it. */
  action_disabled_workflow: table(
    {
      repo_id: ref<RepoId>('repo', 'cascade'),
      workflow_id: text(),
      created_unix: unix(),
    },
    { primaryKey: ['repo_id', 'workflow_id'] },
  ),

  /** Repositories without workflows at a commit of the default branch. */
  repo_without_workflows: table({
    repo_id: primaryKey(ref<RepoId>('repo', 'cascade')),
    commit_oid: text<Oid>(),
  }),

  /** The number of job attempts of a repository, split over several rows. Triggers maintain it. */
  action_task_tally: table(
    {
      id: byTrigger(id<number>()),
      repo_id: ref<RepoId>('repo', 'cascade'),
      shard: integer(),
      total: bigint(),
    },
    { unique: [['repo_id', 'shard']] },
  ),
}

export type ActionTables = TablesOf<typeof actionTables>
export type ActionSecretRow = Selectable<ActionTables['action_secret']>
export type ActionVariableRow = Selectable<ActionTables['action_variable']>
export type ActionRunRow = Selectable<ActionTables['action_run']>
export type NewActionRunRow = Insertable<ActionTables['action_run']>
export type ActionJobRow = Selectable<ActionTables['action_job']>
export type NewActionJobRow = Insertable<ActionTables['action_job']>
export type ActionTaskRow = Selectable<ActionTables['action_task']>
export type NewActionTaskRow = Insertable<ActionTables['action_task']>
export type ActionAnnotationRow = Selectable<ActionTables['action_annotation']>
export type ActionSummaryRow = Selectable<ActionTables['action_summary']>
export type ActionStepRow = Selectable<ActionTables['action_step']>
export type ActionLogChunkRow = Selectable<ActionTables['action_log_chunk']>
export type ActionScheduleRow = Selectable<ActionTables['action_schedule']>
