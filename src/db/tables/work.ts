import type { Generated, Selectable } from 'kysely'
import type { EventId, IssueId, JobId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/**
 * The event log. The transaction that makes a change inserts its event. On PostgreSQL the table also has the column
 * `position`, which only `events/event.store.ts` uses.
 */
export interface EventTable {
  id: Generated<EventId>
  name: string
  /** The version of the event type that `data` conforms to. */
  version: number
  /** The account that acted; null for none. */
  actor_id: UserId | null
  /** The account or organization that the event is about, or the repository's owner at that time; null for none. */
  owner_id: UserId | null
  repo_id: RepoId | null
  issue_id: IssueId | null
  /** JSON of the event's data. */
  data: string
  at_ms: number
}

/** The durable queue. A worker claims a job by a lease; a job with an expired lease can be claimed again. */
export interface JobTable {
  id: Generated<JobId>
  /** The job name, `<verb><Noun>`. */
  name: string
  /** The pool that limits concurrency (`jobs/pools.ts`). */
  pool: Generated<string>
  /** JSON of the job's input. */
  input: string
  /** The version of the input's schema. */
  version: Generated<number>
  /** The event that the job reacts to, which is kept as long as this row; null for none. */
  event_id: EventId | null
  /** Waiting jobs of the same name and key are merged; null: never. */
  unique_key: string | null
  /** Jobs of one lane run one after the other, in the order of their ids; null: no lane. */
  lane: string | null
  /** True for all jobs of a lane except the one whose turn it is. A blocked job cannot be claimed. */
  is_held: Generated<boolean>
  /**
   * Other jobs of the lane overtake this job until then, in milliseconds of the application's clock; 0: no overtaking.
   */
  passed_until_ms: Generated<number>
  /** A failed job is kept for inspection and not retried. A job that succeeded is deleted. */
  state: Generated<'waiting' | 'running' | 'failed'>
  /** Lower numbers run first. */
  priority: number
  /** The number of started attempts. */
  attempt: Generated<number>
  max_attempts: number
  /** When the job is due, in milliseconds of the application's clock. */
  run_at_ms: number
  /** When the worker's lease ends, in milliseconds of the database's clock; null without a lease. */
  lease_until_ms: number | null
  /** `process:` and the id of the process that runs the job (`process`). */
  leased_by: string | null
  /** JSON: the progress of a long job; null for other jobs. */
  progress: string | null
  /** The error of the last attempt; null before a failure. */
  last_error: string | null
  /**
   * Why the job failed or waits. `permanent`: a retry is pointless; `exhausted`: no attempts are left; `crashed`: its
   * process ended during the job; `unreadable`: only another release can read the input. Null otherwise.
   */
  problem: 'permanent' | 'exhausted' | 'crashed' | 'unreadable' | null
  created_unix: Unix
  updated_unix: Unix
}

/** The last run of a scheduled task, and its result. */
export interface ScheduleTable {
  name: string
  /** The schedule that `next_run_unix` was computed from. */
  schedule: string
  /** 0: not scheduled. */
  next_run_unix: Unix
  /** 0: never. */
  last_run_unix: Generated<Unix>
  /** Empty after a success. */
  last_error: Generated<string>
  /** The number of runs since the program started. */
  run_count: Generated<number>
}

/** A process that uses the database. */
export interface ProcessTable {
  id: string
  /** The last heartbeat, in milliseconds of the database's clock. */
  beat_ms: number
}

/** Values of the instance by name: key check values, the last version that ran. */
export interface InstanceValueTable {
  name: string
  value: string
}

export interface WorkTables {
  event: EventTable
  job: JobTable
  schedule: ScheduleTable
  instance_value: InstanceValueTable
  process: ProcessTable
}

export type JobRow = Selectable<JobTable>
