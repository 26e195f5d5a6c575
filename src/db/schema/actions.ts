import type { AreaSchema } from './area.ts'

/** Workflow runs, jobs, tasks, logs and runners. */
export const actions: AreaSchema = {
  tables: [
    `create table action_secret (
      id {id},
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      name text not null,
      sealed text not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (owner_id, name),
      unique (repo_id, name),
      check ((owner_id is null) <> (repo_id is null))
    )`,
    `create table action_variable (
      id {id},
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      name text not null,
      data text not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (owner_id, name),
      unique (repo_id, name),
      check ((owner_id is null) <> (repo_id is null))
    )`,
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
      chain bigint not null default 0,
      author_id bigint,
      group_cancels boolean not null default false,
      unique (repo_id, number)
    )`,
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
      is_read_only boolean not null default false,
      may_identify boolean not null default false,
      is_call boolean not null default false,
      passed_secrets text,
      unique (run_id, position)
    )`,
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
      log_key text not null,
      log_index text not null default '[]',
      masks text not null default ''
    )`,
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
    `create table action_artifact (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      run_id bigint not null references action_run(id) on delete cascade,
      name text not null,
      path text not null,
      version bigint not null,
      is_whole boolean not null,
      is_expired boolean not null,
      is_gzip boolean not null,
      size_bytes bigint not null,
      stored_bytes bigint not null,
      blob_key text not null,
      created_unix bigint not null,
      expires_unix bigint not null,
      is_zip boolean not null default true,
      reserved_bytes bigint not null default 0
    )`,
    `create table action_artifact_block (
      id {id},
      artifact_id bigint not null references action_artifact(id) on delete cascade,
      block_key text not null,
      position bigint not null,
      size_bytes bigint not null,
      blob_key text not null,
      unique (artifact_id, block_key)
    )`,
    `create table action_cache (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      scope text not null,
      cache_key text not null,
      version text not null,
      is_whole boolean not null,
      size_bytes bigint not null,
      blob_key text not null,
      created_unix bigint not null,
      used_unix bigint not null,
      reserved_bytes bigint not null default 0,
      unique (repo_id, scope, version, cache_key)
    )`,
    `create table action_cache_block (
      id {id},
      cache_id bigint not null references action_cache(id) on delete cascade,
      block_key text not null,
      position bigint not null,
      size_bytes bigint not null,
      blob_key text not null,
      unique (cache_id, block_key)
    )`,
    `create table action_disabled_workflow (
      repo_id bigint not null references repo(id) on delete cascade,
      workflow_id text not null,
      created_unix bigint not null,
      primary key (repo_id, workflow_id)
    )`,
    `create table repo_without_workflows (
      repo_id bigint primary key references repo(id) on delete cascade,
      commit_oid text not null
    )`,
    `create table action_task_tally (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      shard integer not null,
      total bigint not null,
      unique (repo_id, shard)
    )`,
  ],
  indexes: [
    `create index action_run_list on action_run (repo_id, id)`,
    `create index action_run_commit on action_run (repo_id, commit_oid)`,
    `create index action_run_status on action_run (repo_id, status, id)`,
    `create index action_run_event on action_run (repo_id, event, id)`,
    `create index action_run_open on action_run (repo_id, workflow_id, ref)
      where status in ('waiting', 'running', 'blocked')`,
    `create index action_run_group on action_run (repo_id, concurrency_group) where concurrency_group <> ''
      and status in ('waiting', 'running', 'blocked')`,
    `create index action_job_repo on action_job (repo_id)`,
    `create index action_job_waiting on action_job (queued_ms, id) where status = 'waiting'`,
    `create index action_job_waiting_repo on action_job (repo_id, queued_ms, id) where status = 'waiting'`,
    `create index action_job_open on action_job (updated_unix, id) where status in ('waiting', 'running', 'blocked')`,
    `create index action_runner_owner on action_runner (owner_id) where owner_id is not null`,
    `create index action_runner_repo on action_runner (repo_id) where repo_id is not null`,
    `create index action_task_job on action_task (job_id)`,
    `create index action_task_repo on action_task (repo_id, id desc)`,
    `create index action_task_runner on action_task (runner_id) where runner_id is not null`,
    `create index action_task_running on action_task (active_ms) where status = 'running'`,
    `create index action_task_log on action_task (stopped_unix) where log_state in ('ended', 'stored')`,
    `create index action_registration_token_owner on action_registration_token (owner_id) where owner_id is not null`,
    `create index action_registration_token_repo on action_registration_token (repo_id) where repo_id is not null`,
    `create index action_schedule_repo on action_schedule (repo_id)`,
    `create index action_schedule_next on action_schedule (next_unix)`,
    `create index action_artifact_run on action_artifact (run_id, name)`,
    `create index action_artifact_repo on action_artifact (repo_id)`,
    `create index action_artifact_expiry on action_artifact (expires_unix) where not is_expired`,
    `create index action_cache_used on action_cache (repo_id, used_unix)`,
    `create index action_cache_age on action_cache (used_unix)`,
    `create index action_run_workflow on action_run (repo_id, workflow_id, ref, id)`,
    `create index action_run_approved on action_run (repo_id, author_id) where approver_id is not null`,
    `create index action_artifact_unfinished on action_artifact (created_unix) where not is_whole`,
  ],
  sqlite: [
    `create unique index action_registration_token_scope on action_registration_token (scope) where is_active = 1`,
    `create trigger action_task_tally_insert after insert on action_task begin
      insert into action_task_tally (repo_id, shard, total) values (new.repo_id, new.id % 8, 1)
        on conflict (repo_id, shard) do update set total = action_task_tally.total + excluded.total;
    end`,
    `create trigger action_task_tally_delete after delete on action_task begin
      update action_task_tally set total = total - 1 where repo_id = old.repo_id and shard = old.id % 8;
    end`,
  ],
  postgres: [
    `create unique index action_registration_token_scope on action_registration_token (scope) where is_active`,
    `create function tally_action_tasks() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into action_task_tally (repo_id, shard, total) select repo_id, id % 8, count(*) from are
          group by 1, 2 order by 1, 2 on conflict (repo_id, shard) do update
          set total = action_task_tally.total + excluded.total;
      else
        perform 1 from action_task_tally as tally where exists (select 1 from were
          where were.repo_id = tally.repo_id and were.id % 8 = tally.shard)
          order by tally.repo_id, tally.shard for update;
        update action_task_tally as tally set total = tally.total - gone.amount
          from (select repo_id, id % 8 as shard, count(*) as amount from were group by 1, 2) as gone
          where tally.repo_id = gone.repo_id and tally.shard = gone.shard;
      end if;
      return null;
    end $$`,
    `create trigger action_task_tally_insert after insert on action_task referencing new table as are
      for each statement execute function tally_action_tasks()`,
    `create trigger action_task_tally_delete after delete on action_task referencing old table as were
      for each statement execute function tally_action_tasks()`,
  ],
}
