import type { Generated, Selectable } from 'kysely'
import type { JobId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** The durable queue. A worker takes a job by a lease; a job whose lease ran out is taken again. */
export interface JobTable {
  id: Generated<JobId>
  /** Name of the job, `<verb><Noun>`. */
  name: string
  /** JSON of its input. */
  input: string
  /** Jobs of the same name and key merge while they wait; null: never. */
  unique_key: string | null
  /** Jobs of one lane run one after the other, in the order of their ids; null: none. */
  lane: string | null
  /** A failed job has used up its attempts and is kept to be looked at; a job that succeeded leaves no row. */
  state: Generated<'waiting' | 'running' | 'failed'>
  /** Lower numbers first. */
  priority: number
  /** Attempts begun so far. */
  attempt: Generated<number>
  max_attempts: number
  /** Not before this time of the application's clock, in milliseconds. */
  run_at_ms: number
  /** Until when the worker has the job, in milliseconds of the system's clock; null when nobody has it. */
  lease_until_ms: number | null
  leased_by: string | null
  /** JSON of how far long work is; null for the rest. */
  progress: string | null
  /** What the last attempt failed with; null before a failure. */
  last_error: string | null
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

/** Small facts of the instance, by name: key check values, the last version that ran. */
export interface InstanceValueTable {
  name: string
  value: string
}

export interface WorkTables {
  job: JobTable
  schedule: ScheduleTable
  instance_value: InstanceValueTable
}

export type JobRow = Selectable<JobTable>
