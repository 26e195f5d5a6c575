import type { Migration } from './migration.ts'

/** Runs of workflows, their jobs, attempts at these with logs, and the runners that make them. */
export const actions2: Migration = {
  name: 'actions-2',
  statements: [
    // The account that jobs act as: rows of what they write name it. A person of that name keeps it.
    `insert into "user" (
      id, kind, name, lower_name, full_name, email, keep_email_private, email_notifications, password_hash,
      must_change_password, is_admin, is_active, is_restricted, prohibit_login, allow_git_hook, allow_import_local,
      allow_create_organization, max_repo_creation, visibility, description, location, website, pronouns, language,
      theme, diff_view_style, hide_activity, enable_repo_unit_hints, avatar_key, login_name,
      repo_admin_change_team_access, created_unix, updated_unix
    ) select
      -2, 'system', n.name, n.name, 'Forgejo Actions', 'noreply@forgejo.org', true, 'disabled', null,
      false, false, true, false, false, false, false,
      false, 0, 'public', '', '', '', '', '',
      '', '', false, false, '', n.name,
      false, 0, 0
    from (
      select case when exists (select 1 from "user" where lower_name = 'forgejo-actions')
        then 'forgejo-actions-job' else 'forgejo-actions' end as name
    ) as n`,
    `create table action_run (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      number bigint not null,
      title text not null,
      workflow_id text not null,
      workflow_name text not null,
      event text not null,
      happening text not null,
      ref text not null,
      head text not null,
      commit_oid text not null,
      base_ref text not null,
      head_ref text not null,
      doer_id bigint not null,
      is_foreign boolean not null,
      is_read_only boolean not null,
      needs_approval boolean not null,
      approver_id bigint,
      concurrency_group text not null,
      is_held boolean not null,
      status text not null,
      problem text not null,
      started_unix bigint not null,
      stopped_unix bigint not null,
      previous_seconds bigint not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (repo_id, number)
    )`,
    `create index action_run_list on action_run (repo_id, id)`,
    `create index action_run_commit on action_run (repo_id, commit_oid)`,
    `create index action_run_status on action_run (repo_id, status, id)`,
    `create index action_run_event on action_run (repo_id, event, id)`,
    // What a newer run of its kind cancels, and whose turn it is in a group: few are open at any time.
    `create index action_run_open on action_run (repo_id, workflow_id, ref)
      where status in ('waiting', 'running', 'blocked')`,
    `create index action_run_group on action_run (repo_id, concurrency_group)
      where concurrency_group <> '' and status in ('waiting', 'running', 'blocked')`,
    `create table action_run_payload (
      run_id bigint primary key references action_run(id) on delete cascade,
      data text not null
    )`,
    `create table action_run_counter (
      repo_id bigint primary key references repo(id) on delete cascade,
      last_number bigint not null,
      num_runs bigint not null
    )`,
    `create table action_job (
      id {id},
      run_id bigint not null references action_run(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      position bigint not null,
      job_key text not null,
      name text not null,
      needs text not null,
      runs_on text not null,
      payload text not null,
      has_condition boolean not null,
      status text not null,
      attempt bigint not null,
      task_id bigint,
      queued_ms bigint not null,
      started_unix bigint not null,
      stopped_unix bigint not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (run_id, position)
    )`,
    `create index action_job_repo on action_job (repo_id)`,
    // The queue: who looks for work reads no job but those that wait.
    `create index action_job_waiting on action_job (queued_ms, id) where status = 'waiting'`,
    `create index action_job_waiting_repo on action_job (repo_id, queued_ms, id) where status = 'waiting'`,
    `create index action_job_open on action_job (updated_unix, id) where status in ('waiting', 'running', 'blocked')`,
    `create table action_runner (
      id {id},
      uuid text not null unique,
      name text not null,
      version text not null,
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      token_hash text not null,
      labels text not null,
      is_ephemeral boolean not null,
      online_ms bigint not null,
      active_ms bigint not null,
      created_unix bigint not null
    )`,
    `create index action_runner_owner on action_runner (owner_id) where owner_id is not null`,
    `create index action_runner_repo on action_runner (repo_id) where repo_id is not null`,
    `create table action_task (
      id {id},
      job_id bigint not null references action_job(id) on delete cascade,
      run_id bigint not null,
      repo_id bigint not null references repo(id) on delete cascade,
      runner_id bigint references action_runner(id) on delete set null,
      attempt bigint not null,
      status text not null,
      token_hash text not null unique,
      started_unix bigint not null,
      stopped_unix bigint not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      active_ms bigint not null,
      log_lines bigint not null,
      log_bytes bigint not null,
      log_state text not null,
      log_key text not null
    )`,
    `create index action_task_job on action_task (job_id)`,
    `create index action_task_repo on action_task (repo_id, id desc)`,
    `create index action_task_runner on action_task (runner_id) where runner_id is not null`,
    `create index action_task_running on action_task (active_ms) where status = 'running'`,
    `create index action_task_log on action_task (stopped_unix) where log_state in ('ended', 'stored')`,
    `create table action_step (
      task_id bigint not null references action_task(id) on delete cascade,
      position bigint not null,
      name text not null,
      status text not null,
      log_index bigint not null,
      log_length bigint not null,
      started_unix bigint not null,
      stopped_unix bigint not null,
      primary key (task_id, position)
    )`,
    `create table action_output (
      task_id bigint not null references action_task(id) on delete cascade,
      name text not null,
      value text not null,
      primary key (task_id, name)
    )`,
    `create table action_log_chunk (
      task_id bigint not null references action_task(id) on delete cascade,
      first_line bigint not null,
      line_count bigint not null,
      data text not null,
      primary key (task_id, first_line)
    )`,
    `create table action_registration_token (
      id {id},
      scope text not null,
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      token_hash text not null unique,
      sealed text not null,
      is_active boolean not null,
      created_unix bigint not null
    )`,
    {
      sqlite: `create unique index action_registration_token_scope on action_registration_token (scope) where is_active = 1`,
      postgres: `create unique index action_registration_token_scope on action_registration_token (scope) where is_active`,
    },
    `create index action_registration_token_owner on action_registration_token (owner_id) where owner_id is not null`,
    `create index action_registration_token_repo on action_registration_token (repo_id) where repo_id is not null`,
    `create table action_queue_version (
      scope text primary key,
      version bigint not null
    )`,
    `create table action_schedule (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      workflow_id text not null,
      spec text not null,
      commit_oid text not null,
      next_unix bigint not null
    )`,
    `create index action_schedule_repo on action_schedule (repo_id)`,
    `create index action_schedule_next on action_schedule (next_unix)`,
  ],
}
