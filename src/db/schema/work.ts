import type { AreaSchema } from './area.ts'

/** Jobs, schedules and processes. */
export const work: AreaSchema = {
  tables: [
    `create table job (
      id {id},
      name text not null,
      input text not null,
      unique_key text,
      lane text,
      state text not null default 'waiting',
      priority integer not null default 100,
      attempt integer not null default 0,
      max_attempts integer not null,
      run_at_ms bigint not null,
      lease_until_ms bigint,
      leased_by text,
      progress text,
      last_error text,
      created_unix bigint not null,
      updated_unix bigint not null,
      pool text not null default 'default',
      version integer not null default 1,
      event_id bigint references event (id),
      is_held boolean not null default false,
      passed_until_ms bigint not null default 0,
      problem text
    )`,
    `create table schedule (
      name text primary key,
      schedule text not null,
      next_run_unix bigint not null,
      last_run_unix bigint not null default 0,
      last_error text not null default '',
      run_count integer not null default 0
    )`,
    `create table instance_value (
      name text primary key,
      value text not null
    )`,
    `create table process (
      id text primary key,
      beat_ms bigint not null
    )`,
  ],
  indexes: [
    `create index job_lease on job (lease_until_ms) where state = 'running'`,
    `create index job_failed on job (updated_unix) where state = 'failed'`,
    `create unique index job_unique on job (name, unique_key) where state = 'waiting' and unique_key is not null`,
    `create unique index job_lane_running on job (lane) where lane is not null and state = 'running'`,
    `create index job_claim on job (pool, priority, run_at_ms, id) where state = 'waiting' and not is_held`,
    `create index job_due on job (run_at_ms) where state = 'waiting' and not is_held`,
    `create index job_head on job (lane) where lane is not null and state <> 'failed' and not is_held`,
    `create index job_line on job (lane, passed_until_ms, id) where lane is not null and state = 'waiting' and is_held`,
    `create index job_event on job (event_id) where event_id is not null`,
  ],
}
