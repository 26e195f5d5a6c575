import type { Db } from '../../db/database.ts'

/** Most jobs that are looked at for what they have still to do. */
const maxPendingJobs = 1000

/** What jobs that are not done yet work on, as JSON: their inputs and the events that they follow. */
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
