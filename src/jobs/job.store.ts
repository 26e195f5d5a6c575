import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { textList, textListText } from '../db/id-list.ts'
import { isAmong, rowLock, takeNamedLocks, tryNamedLocks } from '../db/portable.ts'
import { databaseNowMs } from '../db/process.store.ts'
import type { JobTable } from '../db/tables/work.ts'
import type { JobId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'

export type JobRow = Selectable<JobTable>
export type NewJobRow = Insertable<JobTable>

// SQLite uses a partial index only if the statement contains its condition literally, without parameters.
const isWaiting = sql<boolean>`job.state = 'waiting'`
const isRunning = sql<boolean>`job.state = 'running'`
const isFailed = sql<boolean>`job.state = 'failed'`

/** Job priorities, most urgent first; a claim reads each in turn. */
export const priorities = { high: 10, normal: 50, low: 90 } as const

/**
 * Inserts jobs in order, in one statement, and returns their ids. A waiting job with the same key takes the new input and
 * the earlier time, and its id is returned. `rows` must not repeat a key.
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
          version: (row) => row.ref('excluded.version'),
          event_id: (row) => row.ref('excluded.event_id'),
          run_at_ms: sql`case when excluded.run_at_ms < job.run_at_ms then excluded.run_at_ms else job.run_at_ms end`,
          passed_until_ms: sql`case when excluded.run_at_ms < job.passed_until_ms then excluded.run_at_ms
            else job.passed_until_ms end`,
          updated_unix: (row) => row.ref('excluded.updated_unix'),
        }),
    )
    .returning('id')
    .execute()
  return inserted.map((row) => row.id)
}

/** Lanes as one argument: a table with the column `value`. */
const laneRows = (db: Tx, lanes: readonly string[]) => textList(db, textListText(lanes))

/** The key of the advisory locks of lanes. */
const laneLocks = 1_774_611

/**
 * Keeps other transactions from these lanes until this one ends, so that the ids of a lane's jobs follow the order of their
 * commits, and a lane always has a job that holds its turn.
 */
export const lockLanes = (tx: Tx, lanes: readonly string[]): Promise<void> => takeNamedLocks(tx, laneLocks, lanes)

/** Takes the turn from passed jobs that are not due, so that other jobs of their lanes can have it. */
export async function holdPassedJobs(tx: Tx, lanes: readonly string[], nowMs: number): Promise<void> {
  await sql`update job set is_held = true where lane is not null and state = 'waiting' and not is_held
    and passed_until_ms > ${nowMs} and lane in ${laneRows(tx, lanes)}`.execute(tx)
}

/**
 * Gives the turn to one job in each of these lanes without one: a passed job that is due again, else the oldest, else the
 * next passed job. The caller holds the locks of the lanes.
 * @returns the pools and due times of these jobs
 */
export async function giveTurns(
  tx: Tx,
  lanes: readonly string[],
  nowMs: number,
): Promise<{ pool: string; run_at_ms: number }[]> {
  const inLine = sql`next.lane = line.value and next.lane is not null and next.state = 'waiting' and next.is_held`
  const { rows } = await sql<{ pool: string; run_at_ms: number }>`
    update job set is_held = false where id in (
      select coalesce(
        (select next.id from job as next where ${inLine} and next.passed_until_ms > 0 and next.passed_until_ms <= ${nowMs}
          order by next.passed_until_ms, next.id limit 1),
        (select next.id from job as next where ${inLine} and next.passed_until_ms = 0 order by next.id limit 1),
        (select next.id from job as next where ${inLine} and next.passed_until_ms > ${nowMs}
          order by next.passed_until_ms, next.id limit 1))
      from ${laneRows(tx, lanes)} as line
      where not exists (select 1 from job as head where head.lane = line.value and head.lane is not null
        and head.state <> 'failed' and not head.is_held))
    returning pool, run_at_ms`.execute(tx)
  return rows
}

/** Returns whether a lane has a job that waits or runs. */
export const isLaneBusy = async (db: Db, lane: string): Promise<boolean> =>
  (await db
    .selectFrom('job')
    .select('id')
    .where('lane', '=', lane)
    .where(sql<boolean>`lane is not null and state <> 'failed' and not is_held`)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Returns lanes whose waiting jobs are all blocked. Manual deletion of rows can cause this. */
export async function listLanesWithoutTurn(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ lane: string }>`
    select distinct job.lane from job where job.lane is not null and job.state = 'waiting' and job.is_held
      and not exists (select 1 from job as head where head.lane = job.lane and head.lane is not null
        and head.state <> 'failed' and not head.is_held) limit ${limit}`.execute(db)
  return rows.map((row) => row.lane)
}

/** Returns job names as a SQL list. They come from the code. */
const listOf = (names: readonly string[]) => sql.raw(names.map((name) => `'${name.replaceAll("'", "''")}'`).join(', '))

/** Due jobs that have the turn of their lane. The last condition covers rows of two releases on one database. */
const isClaimable = (names: readonly string[], nowMs: number) =>
  sql<boolean>`job.state = 'waiting' and not job.is_held and job.run_at_ms <= ${nowMs} and job.name in (${listOf(names)})
    and (job.lane is null or not exists (select 1 from job as busy where busy.lane = job.lane and busy.lane is not null
      and busy.state = 'running'))`

export interface Claim {
  readonly pool: string
  readonly names: readonly string[]
  readonly limit: number
  readonly nowMs: number
  readonly worker: string
  /** Lease of the jobs, in milliseconds. */
  readonly leaseMs: number
  readonly nowUnix: Unix
}

/**
 * Returns the statement that claims up to `limit` due jobs of a pool, most urgent first. For each priority it reads the
 * claim index in order and stops early.
 */
export function claimStatement(tx: Tx, claim: Claim): RawBuilder<JobRow> {
  const due = Object.values(priorities).map(
    (priority) => sql`select id from (select job.id from job
      where job.pool = ${claim.pool} and job.priority = ${sql.lit(priority)} and ${isClaimable(claim.names, claim.nowMs)}
      order by job.run_at_ms, job.id limit ${claim.limit} ${rowLock(tx, 'update skip locked')}) as due`,
  )
  return sql<JobRow>`with picked as materialized (${sql.join(due, sql` union all `)} limit ${claim.limit})
    update job set state = 'running', attempt = attempt + 1,
      lease_until_ms = ${databaseNowMs(tx)} + ${sql.lit(claim.leaseMs)}, leased_by = ${claim.worker}, progress = null,
      updated_unix = ${claim.nowUnix}
    where ${isAmong(tx, sql.ref('id'), sql`(select picked.id from picked)`)} returning *`
}

/** Claims up to `limit` due jobs, most urgent first. No two workers claim the same job. */
export async function claimJobs(tx: Tx, claim: Claim): Promise<JobRow[]> {
  const { rows } = await claimStatement(tx, claim).execute(tx)
  return rows.sort((a, b) => a.priority - b.priority || a.run_at_ms - b.run_at_ms || a.id - b.id)
}

/** Returns the pools with a claimable job. */
export async function listClaimablePools(
  db: Db,
  pools: readonly string[],
  names: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const all = sql.raw(Object.values(priorities).join(', '))
  const looks = pools.map(
    (pool) => sql`select ${sql.lit(pool)} as pool where exists (select 1 from job where job.pool = ${sql.lit(pool)}
      and job.priority in (${all}) and ${isClaimable(names, nowMs)})`,
  )
  const { rows } = await sql<{ pool: string }>`${sql.join(looks, sql` union all `)}`.execute(db)
  return rows.map((row) => row.pool)
}

/**
 * Returns a few running or claimable jobs; an empty list means that the queue is idle. It is one statement, so that it
 * cannot miss a job that changes its state.
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

/** Returns when the next waiting job is due, in milliseconds; undefined when none waits. */
export async function findNextDueMs(db: Db, names: readonly string[], afterMs: number): Promise<number | undefined> {
  const { rows } = await sql<{ run_at_ms: number }>`
    select job.run_at_ms from job where job.state = 'waiting' and not job.is_held and job.run_at_ms > ${afterMs}
      and job.name in (${listOf(names)}) order by job.run_at_ms limit 1`.execute(db)
  return rows[0]?.run_at_ms
}

/** Renews the leases that `worker` still holds, and returns their ids. */
export async function updateLeases(
  tx: Tx,
  ids: readonly JobId[],
  worker: string,
  leaseMs: number,
): Promise<Set<JobId>> {
  const rows = await tx
    .updateTable('job')
    .set({ lease_until_ms: sql<number>`${databaseNowMs(tx)} + ${sql.lit(leaseMs)}` })
    .where('id', 'in', ids)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Prefix of `leased_by` before the id of a process. */
export const workerOfProcess = 'process:'

/**
 * Returns running jobs whose lease expired or whose process is gone; `all` selects the jobs of each other worker. On
 * PostgreSQL it locks them until the end of the transaction, and `isFree` is false when another transaction keeps the lane:
 * that of a process which stands still keeps it for long.
 */
export async function listAbandonedJobs(
  tx: Tx,
  { which, notOf, limit }: { readonly which: 'abandoned' | 'all'; readonly notOf: string; readonly limit: number },
): Promise<{ readonly job: JobRow; readonly isFree: boolean }[]> {
  const isGone = sql<boolean>`job.leased_by like ${sql.lit(`${workerOfProcess}%`)} and not exists (
    select 1 from process where ${sql.lit(workerOfProcess)} || process.id = job.leased_by)`
  const isAbandoned = sql<boolean>`(job.lease_until_ms < ${databaseNowMs(tx)} or ${isGone})`
  const expired = tx
    .selectFrom('job')
    .selectAll()
    .where(isRunning)
    .$if(which === 'abandoned', (jobs) => jobs.where(isAbandoned))
    .where('leased_by', '<>', notOf)
    .orderBy('lease_until_ms')
    .limit(limit)
  const jobs = await expired.forUpdate().skipLocked().execute()
  const lanes = new Set(jobs.map(({ lane }) => lane).filter((lane) => lane !== null))
  const free = new Set(await tryNamedLocks(tx, laneLocks, [...lanes]))
  return jobs.map((job) => ({ job, isFree: job.lane === null || free.has(job.lane) }))
}

/** Deletes a finished job; false when `worker` no longer holds it. */
export async function deleteRunningJob(tx: Tx, id: JobId, worker: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('job')
    .where('id', '=', id)
    .where(isRunning)
    .where('leased_by', '=', worker)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Returns the waiting job with the same key. */
export async function findWaitingTwin(tx: Tx, job: Pick<JobRow, 'name' | 'unique_key'>): Promise<JobId | undefined> {
  if (job.unique_key === null) return undefined
  const twin = await tx
    .selectFrom('job')
    .select('job.id')
    .where(isWaiting)
    .where('job.name', '=', job.name)
    .where('job.unique_key', '=', job.unique_key)
    .limit(1)
    .executeTakeFirst()
  return twin?.id
}

/** Records on a waiting job that its process ended. */
export async function updateToCrashed(tx: Tx, id: JobId): Promise<void> {
  await tx.updateTable('job').set({ problem: 'crashed' }).where('id', '=', id).where(isWaiting).execute()
}

export type JobOutcome = Pick<
  JobRow,
  'state' | 'run_at_ms' | 'last_error' | 'attempt' | 'problem' | 'is_held' | 'passed_until_ms' | 'updated_unix'
>

/** Returns a running job to the queue, or marks it failed. It does nothing when `worker` no longer holds it. */
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

/** Deletes the failed jobs of one name. */
export const deleteFailedJobsOf = (tx: Tx, name: string) =>
  tx.deleteFrom('job').where(isFailed).where('name', '=', name).execute()

/** Returns jobs, newest first. */
export const listJobs = (
  db: Db,
  page: {
    state?: JobRow['state'] | undefined
    problem?: NonNullable<JobRow['problem']>
    offset?: number
    limit: number
  },
): Promise<JobRow[]> => {
  let jobs = db.selectFrom('job').selectAll().orderBy('id', 'desc').limit(page.limit)
  if (page.offset !== undefined) jobs = jobs.offset(page.offset)
  if (page.problem !== undefined) jobs = jobs.where('problem', '=', page.problem)
  return (page.state === undefined ? jobs : jobs.where('state', '=', sql.lit(page.state))).execute()
}

/** Returns the number of jobs, optionally in one state. */
export async function countJobsOf(db: Db, state: JobRow['state'] | undefined): Promise<number> {
  const jobs = db.selectFrom('job').select((row) => row.fn.countAll<number>().as('count'))
  return (await (state === undefined ? jobs : jobs.where('state', '=', sql.lit(state))).executeTakeFirstOrThrow()).count
}

export const findJob = (db: Db, id: JobId): Promise<JobRow | undefined> =>
  db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the number of jobs by name and state, and the earliest due time. */
export const countJobs = (
  db: Db,
): Promise<{ name: string; state: JobRow['state']; count: number; first_run_at_ms: number }[]> =>
  db
    .selectFrom('job')
    .select(['name', 'state'])
    .select((row) => [row.fn.countAll<number>().as('count'), row.fn.min<number>('run_at_ms').as('first_run_at_ms')])
    .groupBy(['name', 'state'])
    .execute()

/** Resets the attempts of a failed job. A job of a lane waits for its turn. */
export async function updateFailedToWaiting(tx: Tx, job: JobRow, runAtMs: number, nowUnix: Unix): Promise<void> {
  await tx
    .updateTable('job')
    .set({
      state: 'waiting',
      attempt: 0,
      problem: null,
      is_held: job.lane !== null,
      passed_until_ms: 0,
      run_at_ms: runAtMs,
      updated_unix: nowUnix,
    })
    .where('id', '=', job.id)
    .where(isFailed)
    .execute()
}
