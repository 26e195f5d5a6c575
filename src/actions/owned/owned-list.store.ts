import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import type { ActionJobRow, ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** The conditions of a list; an empty list filters nothing, and without an owner the instance is listed. */
interface OwnedFilter {
  readonly ownerId: UserId | null
  readonly statuses: readonly ActionStatus[]
  readonly events: readonly string[]
}

/** The rows of a page, and the number of all rows up to a limit. */
interface OwnedPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  /** Whether there are more rows than `total`. */
  readonly isBounded: boolean
}

/** Rows are counted up to this number. */
const countedAtMost = 10_000

const reposOf = (db: Db, ownerId: UserId) => db.selectFrom('repo').select('id').where('owner_id', '=', ownerId)

const runsOf = (db: Db, { ownerId, statuses, events }: OwnedFilter) => {
  let query = db.selectFrom('action_run')
  if (ownerId !== null) {
    query = query.where('repo_id', 'in', reposOf(db, ownerId))
  }
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  if (events.length > 0) query = query.where('event', 'in', events)
  return query
}

const jobsOf = (db: Db, { ownerId, statuses }: OwnedFilter) => {
  let query = db.selectFrom('action_job')
  if (ownerId !== null) {
    query = query.where('repo_id', 'in', reposOf(db, ownerId))
  }
  if (statuses.length > 0) query = query.where('status', 'in', statuses)
  return query
}

/** Returns the number of rows of a query, at most one more than `countedAtMost`. */
async function countBounded(
  db: Db,
  // oxlint-disable-next-line typescript/no-explicit-any -- a query of any tables
  rows: SelectQueryBuilder<Schema, any, { id: number }>,
): Promise<number> {
  const { count } = await db
    .selectFrom(rows.limit(countedAtMost + 1).as('counted'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns one page of the runs of an owner's repositories, the newest first. */
export async function pageOfOwnedRuns(
  db: Db,
  filter: OwnedFilter,
  { limit, offset }: Page,
): Promise<OwnedPage<ActionRunRow>> {
  const query = runsOf(db, filter)
  const [rows, counted] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
    countBounded(db, query.select('id')),
  ])
  return { rows, total: Math.min(counted, countedAtMost), isBounded: counted > countedAtMost }
}

/** Returns one page of the jobs of an owner's repositories, the newest first. */
export async function pageOfOwnedJobs(
  db: Db,
  filter: OwnedFilter,
  { limit, offset }: Page,
): Promise<OwnedPage<ActionJobRow>> {
  const query = jobsOf(db, filter)
  const [rows, counted] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
    countBounded(db, query.select('id')),
  ])
  return { rows, total: Math.min(counted, countedAtMost), isBounded: counted > countedAtMost }
}
