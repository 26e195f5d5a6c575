import type { Db } from '../../db/database.ts'

/** Largest number of pending jobs that are read. */
const maxPendingJobs = 1000

/** Returns the inputs and events of pending jobs as JSON texts. */
export async function listPendingWork(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('job')
    .leftJoin('event', 'event.id', 'job.event_id')
    .select(['job.input', 'event.data'])
    .orderBy('job.id', 'desc')
    .limit(maxPendingJobs)
    .execute()
  return rows.map((row) => row.data ?? row.input)
}
