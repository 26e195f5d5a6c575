import type { Migration } from './migration.ts'

const eventColumns = `
      id {id},
      name text not null,
      version integer not null,
      actor_id bigint,
      owner_id bigint,
      repo_id bigint,
      issue_id bigint,
      data text not null,
      at_ms bigint not null`

/** Jobs of a lane that come after an unfinished one of it, as the release before worked it out at each look. */
const behindAnother = `lane is not null and state = 'waiting' and exists (
      select 1 from job as earlier where earlier.lane = job.lane and earlier.state <> 'failed'
        and (earlier.id < job.id or earlier.state = 'running'))`

export const events1: Migration = {
  name: 'events-1',
  formerly: '0011-events',
  statements: [
    {
      sqlite: `create table event (${eventColumns})`,
      postgres: `create table event (${eventColumns}, position bigint)`,
    },
    // PostgreSQL gives ids before commits, so there readers follow a number that is given after them.
    { sqlite: '', postgres: `create sequence event_position` },
    { sqlite: '', postgres: `create unique index event_place on event (position)` },
    { sqlite: '', postgres: `create index event_unplaced on event (id) where position is null` },
    {
      sqlite: `create index event_repo on event (repo_id, id) where repo_id is not null`,
      postgres: `create index event_repo on event (repo_id, position) where repo_id is not null`,
    },
    {
      sqlite: `create index event_owner on event (owner_id, id) where owner_id is not null`,
      postgres: `create index event_owner on event (owner_id, position) where owner_id is not null`,
    },
    `create table event_cursor (name text primary key, position bigint not null, updated_unix bigint not null)`,
    `alter table job add column pool text not null default 'default'`,
    `alter table job add column version integer not null default 1`,
    `alter table job add column event_id bigint references event (id)`,
    `alter table job add column is_held boolean not null default false`,
    `alter table job add column passed_until_ms bigint not null default 0`,
    `alter table job add column problem text`,
    `update job set is_held = true where ${behindAnother}`,
    `update job set pool = 'maintenance' where name = 'maintainRepository'`,
    `update job set pool = 'mirrors' where name = 'syncMirror'`,
    `update job set pool = 'tasks' where name like 'task.%'`,
    `drop index job_next`,
    `drop index job_due`,
    `drop index job_lane`,
    `create index job_claim on job (pool, priority, run_at_ms, id) where state = 'waiting' and not is_held`,
    `create index job_due on job (run_at_ms) where state = 'waiting' and not is_held`,
    `create index job_head on job (lane) where lane is not null and state <> 'failed' and not is_held`,
    `create index job_line on job (lane, passed_until_ms, id) where lane is not null and state = 'waiting' and is_held`,
    `create index job_event on job (event_id) where event_id is not null`,
  ],
}
