import type { JobRow } from '../../jobs/queue.ts'
import { formatUnix } from '../../lib/time.ts'
import type { BackgroundJob } from './job.schemas.ts'

/** Presents jobs to administrators, without their inputs. */
export const presentJobs = (rows: readonly JobRow[]): BackgroundJob[] =>
  rows.map((row) => ({
    id: row.id,
    name: row.name,
    pool: row.pool,
    state: row.state,
    attempt: row.attempt,
    max_attempts: row.max_attempts,
    lane: row.lane,
    run_at: formatUnix(Math.floor(row.run_at_ms / 1000)),
    progress: row.progress === null ? null : (JSON.parse(row.progress) as BackgroundJob['progress']),
    event_id: row.event_id,
    last_error: row.last_error,
    problem: row.problem,
    created_at: formatUnix(row.created_unix),
    updated_at: formatUnix(row.updated_unix),
  }))
