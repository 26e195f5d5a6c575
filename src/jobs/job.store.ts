import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { databaseKind } from '../db/open.ts'
import type { JobTable } from '../db/tables/work.ts'
import type { JobId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export type JobRow = Selectable<JobTable>
export type NewJobRow = Insertable<JobTable>

// SQLite uses a partial index only when the statement says the index's condition in so many words, and not by a
// parameter; hence the literal states here.
const isWaiting = sql<boolean>`job.state = 'waiting'`
const isRunning = sql<boolean>`job.state = 'running'`
const isFailed = sql<boolean>`job.state = 'failed'`

/**
 * Inserts jobs in their order, in one statement. A job that waits already under the same key takes over the input and
 * the earlier time, and its id is what is returned in that place. `rows` names no key twice.
 */
export async function insertJobs(tx: Tx, rows: readonly NewJobRow[]): Promise<JobId[]> {
  const inserted = await tx
    .insertInto('job')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'unique_key'])
        .where(sql<boolean>`state = 'waiting' and unique_key is not null`)
        .doUpdateSet({
          input: (row) => row.ref('excluded.input'),
          run_at_ms: sql`case when excluded.run_at_ms < job.run_at_ms then excluded.run_at_ms else job.run_at_ms end`,
          updated_unix: (row) => row.ref('excluded.updated_unix'),
        }),
    )
    .returning('id')
    .execute()
  return inserted.map((row) => row.id)
}

/** Names of jobs as a list of SQL: they are of the code, and the same in every statement of a process. */
const listOf = (names: readonly string[]) => sql.raw(names.map((name) => `'${name.replaceAll("'", "''")}'`).join(', '))

/**
 * Due jobs whose lane is free; a lane is taken while an earlier job of it waits or any of it runs: two conditions, so
 * that each is one look into an index however long the lane is.
 */
const isClaimable = (names: readonly string[], nowMs: number) =>
  sql<boolean>`job.state = 'waiting' and job.run_at_ms <= ${nowMs} and job.name in (${listOf(names)})
    and (job.lane is null or not (
      exists (select 1 from job as earlier where earlier.lane = job.lane and earlier.lane is not null
        and earlier.state <> 'failed' and earlier.id < job.id)
      or exists (select 1 from job as busy where busy.lane = job.lane and busy.lane is not null
        and busy.state = 'running')))`

/** Takes up to `limit` jobs that are due, most urgent first. Two workers never take the same one. */
export async function claimJobs(
  tx: Tx,
  claim: {
    names: readonly string[]
    limit: number
    nowMs: number
    worker: string
    leaseUntilMs: number
    nowUnix: Unix
  },
): Promise<JobRow[]> {
  const lock = sql.raw(databaseKind(tx) === 'postgres' ? 'for update skip locked' : '')
  // Written out, since it runs for every job and the builder would cost more than the database does.
  const { rows } = await sql<JobRow>`
    with picked as (
      select job.id from job where ${isClaimable(claim.names, claim.nowMs)}
      order by job.priority, job.run_at_ms, job.id limit ${claim.limit} ${lock})
    update job set state = 'running', attempt = attempt + 1, lease_until_ms = ${claim.leaseUntilMs},
      leased_by = ${claim.worker}, progress = null, updated_unix = ${claim.nowUnix}
    where id in (select picked.id from picked) returning *`.execute(tx)
  return rows.sort((a, b) => a.priority - b.priority || a.run_at_ms - b.run_at_ms || a.id - b.id)
}

/** True when a job could be taken now. */
export async function hasClaimableJob(db: Db, names: readonly string[], nowMs: number): Promise<boolean> {
  const { rows } = await sql`select 1 from job where ${isClaimable(names, nowMs)} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * A few jobs that run now, here or elsewhere, or could be taken now; none means that the queue is at rest. One
 * statement, so that no job is missed because it changed its state between two.
 */
export async function listBusyJobs(
  db: Db,
  names: readonly string[],
  nowMs: number,
): Promise<{ id: JobId; name: string; state: JobRow['state'] }[]> {
  const { rows } = await sql<{ id: JobId; name: string; state: JobRow['state'] }>`
    select job.id, job.name, job.state from job where job.state = 'running' and job.name in (${listOf(names)})
    union all select job.id, job.name, job.state from job where ${isClaimable(names, nowMs)} limit 10`.execute(db)
  return rows
}

/** When the next waiting job becomes due, in milliseconds; undefined when none waits. */
export async function findNextDueMs(db: Db, names: readonly string[], afterMs: number): Promise<number | undefined> {
  const { rows } = await sql<{ run_at_ms: number }>`
    select job.run_at_ms from job where job.state = 'waiting' and job.run_at_ms > ${afterMs}
      and job.name in (${listOf(names)}) order by job.run_at_ms limit 1`.execute(db)
  return rows[0]?.run_at_ms
}

/** Prolongs the leases that `worker` still has, and answers their ids. */
export async function updateLeases(
  tx: Tx,
  ids: readonly JobId[],
  worker: string,
  leaseUntilMs: number,
): Promise<Set<JobId>> {
  const rows = await tx
    .updateTable('job')
    .set({ lease_until_ms: leaseUntilMs })
    .where('id', 'in', ids)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Running jobs that nobody has any more. On PostgreSQL they stay locked until the transaction ends. */
export function listExpiredJobs(tx: Tx, systemNowMs: number, notOf: string, limit: number): Promise<JobRow[]> {
  const expired = tx
    .selectFrom('job')
    .selectAll()
    .where(isRunning)
    .where('lease_until_ms', '<', systemNowMs)
    .where('leased_by', '<>', notOf)
    .orderBy('lease_until_ms')
    .limit(limit)
  return (databaseKind(tx) === 'postgres' ? expired.forUpdate().skipLocked() : expired).execute()
}

/** Removes a job that was done; false when `worker` does not have it any more. */
export async function deleteRunningJob(tx: Tx, id: JobId, worker: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('job')
    .where('id', '=', id)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** True when another job waits under the same key, which will do the same work. */
export async function hasWaitingTwin(tx: Tx, job: Pick<JobRow, 'name' | 'unique_key'>): Promise<boolean> {
  if (job.unique_key === null) return false
  const twin = await tx
    .selectFrom('job')
    .select('job.id')
    .where(isWaiting)
    .where('job.name', '=', job.name)
    .where('job.unique_key', '=', job.unique_key)
    .executeTakeFirst()
  return twin !== undefined
}

export type JobOutcome = Pick<JobRow, 'state' | 'run_at_ms' | 'last_error' | 'attempt' | 'updated_unix'>

/** Gives a running job back, to wait or as failed; nothing happens when `worker` does not have it any more. */
export async function updateReleasedJob(tx: Tx, id: JobId, worker: string, outcome: JobOutcome): Promise<void> {
  await tx
    .updateTable('job')
    .set({ ...outcome, lease_until_ms: null, leased_by: null })
    .where('id', '=', id)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .execute()
}

export async function deleteJob(tx: Tx, id: JobId): Promise<void> {
  await tx.deleteFrom('job').where('id', '=', id).execute()
}

export async function updateProgress(
  tx: Tx,
  id: JobId,
  worker: string,
  progress: string,
  nowUnix: Unix,
): Promise<void> {
  await tx
    .updateTable('job')
    .set({ progress, updated_unix: nowUnix })
    .where('id', '=', id)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .execute()
}

/** Deletes failed jobs older than `beforeUnix`, and the oldest ones beyond `keep`. */
export async function deleteOldFailedJobs(tx: Tx, beforeUnix: Unix, keep: number): Promise<void> {
  await tx.deleteFrom('job').where(isFailed).where('updated_unix', '<', beforeUnix).execute()
  const newest = tx.selectFrom('job').select('job.id').where(isFailed).orderBy('job.updated_unix', 'desc')
  await tx
    .deleteFrom('job')
    .where(isFailed)
    .where('id', 'not in', newest.orderBy('job.id', 'desc').limit(keep))
    .execute()
}

/** Jobs in the queue, newest first. */
export const listJobs = (
  db: Db,
  page: { state?: JobRow['state'] | undefined; offset?: number; limit: number },
): Promise<JobRow[]> => {
  let jobs = db.selectFrom('job').selectAll().orderBy('id', 'desc').limit(page.limit)
  if (page.offset !== undefined) jobs = jobs.offset(page.offset)
  return (page.state === undefined ? jobs : jobs.where('state', '=', page.state)).execute()
}

/** How many jobs there are in a state, or in all. */
export async function countJobsOf(db: Db, state: JobRow['state'] | undefined): Promise<number> {
  const jobs = db.selectFrom('job').select((row) => row.fn.countAll<number>().as('count'))
  return (await (state === undefined ? jobs : jobs.where('state', '=', state)).executeTakeFirstOrThrow()).count
}

export const findJob = (db: Db, id: JobId): Promise<JobRow | undefined> =>
  db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()

/** How many jobs there are of each name and state, and when the first of them was or will be due. */
export const countJobs = (
  db: Db,
): Promise<{ name: string; state: JobRow['state']; count: number; first_run_at_ms: number }[]> =>
  db
    .selectFrom('job')
    .select(['name', 'state'])
    .select((row) => [row.fn.countAll<number>().as('count'), row.fn.min<number>('run_at_ms').as('first_run_at_ms')])
    .groupBy(['name', 'state'])
    .execute()

/** Gives a failed job all its attempts again. */
export async function updateFailedToWaiting(tx: Tx, id: JobId, runAtMs: number, nowUnix: Unix): Promise<void> {
  await tx
    .updateTable('job')
    .set({ state: 'waiting', attempt: 0, run_at_ms: runAtMs, updated_unix: nowUnix })
    .where('id', '=', id)
    .where(isFailed)
    .execute()
}
