import type { Selectable } from 'kysely'
import type { EventId, IssueId, JobId, RepoId, UserId } from '../../lib/ids.ts'
import {
  bigint,
  flag,
  hidden,
  given,
  id,
  integer,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unix,
  type TablesOf,
} from '../table.ts'

export const workTables = {
  /**
   * The event log. The transaction that makes a change inserts its event. Only `events/event.store.ts` uses `position`.
   */
  event: table(
    {
      id: id<EventId>(),
      name: text(),
      /** The version of the event type that `data` conforms to. */
      version: integer(),
      /** The account that acted; null for none. */
      actor_id: nullable(bigint<UserId>()),
      /** The account or organization that the event is about, or the repository's owner at that time; null for none. */
      owner_id: nullable(bigint<UserId>()),
      repo_id: nullable(bigint<RepoId>()),
      issue_id: nullable(bigint<IssueId>()),
      /** JSON of the event's data. */
      data: text(),
      at_ms: bigint(),
      position: hidden(nullable(bigint()), 'postgres'),
    },
    {
      indexes: {
        event_place: { sqlite: '', postgres: 'unique (position)' },
        event_unplaced: { sqlite: '', postgres: '(id) where position is null' },
        event_repo: {
          sqlite: '(repo_id, id) where repo_id is not null',
          postgres: '(repo_id, position) where repo_id is not null',
        },
        event_owner: {
          sqlite: '(owner_id, id) where owner_id is not null',
          postgres: '(owner_id, position) where owner_id is not null',
        },
      },
    },
  ),

  /** The durable queue. A worker claims a job by a lease; a job with an expired lease can be claimed again. */
  job: table(
    {
      id: id<JobId>(),
      /** The job name, `<verb><Noun>`. */
      name: text(),
      /** JSON of the job's input. */
      input: text(),
      /** Waiting jobs of the same name and key are merged; null: never. */
      unique_key: nullable(text()),
      /** Jobs of one lane run one after the other, in the order of their ids; null: no lane. */
      lane: nullable(text()),
      /** A failed job is kept for inspection and not retried. A job that succeeded is deleted. */
      state: text<'waiting' | 'running' | 'failed'>('waiting'),
      /** Lower numbers run first. */
      priority: given(integer(100)),
      /** The number of started attempts. */
      attempt: integer(0),
      max_attempts: integer(),
      /** When the job is due, in milliseconds of the application's clock. */
      run_at_ms: bigint(),
      /** When the worker's lease ends, in milliseconds of the database's clock; null without a lease. */
      lease_until_ms: nullable(bigint()),
      /** `process:` and the id of the process that runs the job (`process`). */
      leased_by: nullable(text()),
      /** JSON: the progress of a long job; null for other jobs. */
      progress: nullable(text()),
      /** The error of the last attempt; null before a failure. */
      last_error: nullable(text()),
      created_unix: unix(),
      updated_unix: unix(),
      /** The pool that limits concurrency (`jobs/pools.ts`). */
      pool: text('default'),
      /** The version of the input's schema. */
      version: integer(1),
      /** The event that the job reacts to, which is kept as long as this row; null for none. */
      event_id: nullable(ref<EventId>('event')),
      /** True for all jobs of a lane except the one whose turn it is. A blocked job cannot be claimed. */
      is_held: flag(false),
      /**
       * Other jobs of the lane overtake this job until then, in milliseconds of the application's clock; 0: no overtaking.
       */
      passed_until_ms: bigint(0),
      /**
       * Why the job failed or waits. `permanent`: a retry is pointless; `exhausted`: no attempts are left; `crashed`: its
       * process ended during the job; `unreadable`: only another release can read the input. Null otherwise.
       */
      problem: nullable(text<'permanent' | 'exhausted' | 'crashed' | 'unreadable'>()),
    },
    {
      indexes: {
        job_lease: "(lease_until_ms) where state = 'running'",
        job_failed: "(updated_unix) where state = 'failed'",
        job_unique: "unique (name, unique_key) where state = 'waiting' and unique_key is not null",
        job_lane_running: "unique (lane) where lane is not null and state = 'running'",
        job_claim: "(pool, priority, run_at_ms, id) where state = 'waiting' and not is_held",
        job_due: "(run_at_ms) where state = 'waiting' and not is_held",
        job_head: "(lane) where lane is not null and state <> 'failed' and not is_held",
        job_line: "(lane, passed_until_ms, id) where lane is not null and state = 'waiting' and is_held",
        job_event: '(event_id) where event_id is not null',
      },
    },
  ),

  /** The last run of a scheduled task, and its result. */
  schedule: table({
    name: primaryKey(text()),
    /** The schedule that `next_run_unix` was computed from. */
    schedule: text(),
    /** 0: not scheduled. */
    next_run_unix: unix(),
    /** 0: never. */
    last_run_unix: unix(0),
    /** Empty after a success. */
    last_error: text(''),
    /** The number of runs since the program started. */
    run_count: integer(0),
  }),

  /** Values of the instance by name: key check values, the last version that ran. */
  instance_value: table({
    name: primaryKey(text()),
    value: text(),
  }),

  /** A process that uses the database. */
  process: table({
    id: primaryKey(text()),
    /** The last heartbeat, in milliseconds of the database's clock. */
    beat_ms: bigint(),
  }),

  /** A backup that is being made: until then no stored file or repository is deleted. */
  backup_pin: table({
    id: primaryKey(text()),
    /** When it ends unless the backup renews it, in milliseconds of the database's clock. */
    until_ms: bigint(),
  }),
}

export type WorkTables = TablesOf<typeof workTables>
export type JobTable = WorkTables['job']
export type ScheduleTable = WorkTables['schedule']
export type JobRow = Selectable<JobTable>
