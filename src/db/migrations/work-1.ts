import type { Migration } from './migration.ts'

export const work1: Migration = {
  name: 'work-1',
  formerly: '0003-work',
  statements: [
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
      updated_unix bigint not null
    )`,
    `create index job_next on job (priority, run_at_ms, id) where state = 'waiting'`,
    `create index job_due on job (run_at_ms) where state = 'waiting'`,
    `create index job_lease on job (lease_until_ms) where state = 'running'`,
    `create index job_failed on job (updated_unix) where state = 'failed'`,
    `create unique index job_unique on job (name, unique_key) where state = 'waiting' and unique_key is not null`,
    `create index job_lane on job (lane, id) where lane is not null and state <> 'failed'`,
    `create unique index job_lane_running on job (lane) where lane is not null and state = 'running'`,
    `create table schedule (
      name text primary key,
      schedule text not null,
      next_run_unix bigint not null,
      last_run_unix bigint not null default 0,
      last_error text not null default '',
      run_count integer not null default 0
    )`,
    `create table instance_value (name text primary key, value text not null)`,
  ],
}
