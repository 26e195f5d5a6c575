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
  state: 'waiting' | 'running' | 'failed'
  /** Lower numbers first. */
  priority: number
  attempt: Generated<number>
  max_attempts: number
  run_at_ms: number
  lease_until_ms: number | null
  leased_by: string | null
  /** JSON of how far long work is; null for the rest. */
  progress: string | null
  last_error: string | null
  created_unix: Unix
  updated_unix: Unix
}

/** When a scheduled task ran last and how it went. */
export interface ScheduleTable {
  name: string
  next_run_unix: Unix
  last_run_unix: Unix
  last_error: string
  run_count: number
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
