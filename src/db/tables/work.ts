import type { Generated, Selectable } from 'kysely'
import type { EventId, IssueId, JobId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/**
 * What has happened, written in the transaction that made it so. On PostgreSQL there is a column `position` beside these,
 * which `events/event.store.ts` alone knows.
 */
export interface EventTable {
  id: Generated<EventId>
  name: string
  /** The version of its kind of event that `data` was written in. */
  version: number
  /** Who did it; null where nobody did. */
  actor_id: UserId | null
  /** The account or organization that it is about, or that owned the repository then; null for none. */
  owner_id: UserId | null
  repo_id: RepoId | null
  issue_id: IssueId | null
  /** JSON of what the event carries. */
  data: string
  at_ms: number
}

/** The durable queue. A worker takes a job by a lease; a job whose lease ran out is taken again. */
export interface JobTable {
  id: Generated<JobId>
  /** Name of the job, `<verb><Noun>`. */
  name: string
  /** The group of slots that it runs in (`jobs/pools.ts`). */
  pool: Generated<string>
  /** JSON of its input. */
  input: string
  /** The version of the job's input that `input` was written in. */
  version: Generated<number>
  /** The event that it follows, which is kept as long as this row; null for none. */
  event_id: EventId | null
  /** Jobs of the same name and key merge while they wait; null: never. */
  unique_key: string | null
  /** Jobs of one lane run one after the other, in the order of their ids; null: none. */
  lane: string | null
  /** True for all jobs of a lane but the one whose turn it is: only that one can be taken. */
  is_held: Generated<boolean>
  /** Until then the others of its lane pass it, in milliseconds of the application's clock; 0 for one that is not passed. */
  passed_until_ms: Generated<number>
  /** A failed job is tried no more and is kept to be looked at; a job that succeeded leaves no row. */
  state: Generated<'waiting' | 'running' | 'failed'>
  /** Lower numbers first. */
  priority: number
  /** Attempts begun so far. */
  attempt: Generated<number>
  max_attempts: number
  /** Not before this time of the application's clock, in milliseconds. */
  run_at_ms: number
  /** Until when the worker has the job, in milliseconds of the database's clock; null when nobody has it. */
  lease_until_ms: number | null
  /** `process:` and the id of the process that runs it (`process`). */
  leased_by: string | null
  /** JSON of how far long work is; null for the rest. */
  progress: string | null
  /** What the last attempt failed with; null before a failure. */
  last_error: string | null
  /**
   * Why the job failed or waits: another attempt is pointless (`permanent`), its attempts are used up (`exhausted`), its
   * process ended while it ran (`crashed`), or only another release can read it (`unreadable`); null for no problem.
   */
  problem: 'permanent' | 'exhausted' | 'crashed' | 'unreadable' | null
  created_unix: Unix
  updated_unix: Unix
}

/** When a scheduled task ran last and how it went. */
export interface ScheduleTable {
  name: string
  /** What `next_run_unix` was computed from. */
  schedule: string
  /** 0: not by itself. */
  next_run_unix: Unix
  /** 0: never. */
  last_run_unix: Generated<Unix>
  /** Empty when the last run went well. */
  last_error: Generated<string>
  /** Runs begun since the (last) start of the program. */
  run_count: Generated<number>
}

/** A process that uses the database. */
export interface ProcessTable {
  id: string
  /** When it was heard of last, in milliseconds of the database's clock. */
  beat_ms: number
}

/** Small facts of the instance, by name: key check values, the last version that ran. */
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
