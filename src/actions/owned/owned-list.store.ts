import type { SelectQueryBuilder } from 'kysely'
import type { Db } from '../../db/database.ts'
import { countingQuery, mergedPage } from '../../db/merged-page.ts'
import type { Schema } from '../../db/schema.ts'
import type { ActionJobRow, ActionRunRow, ActionStatus } from '../../db/tables/actions.ts'
import type { UserId } from '../../lib/ids.ts'
import { rowsAndTotal, type Page } from '../../lib/paging.ts'

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
  const all = db.selectFrom('action_run').selectAll()
  if (ownerId !== null) {
    const owned = all.where('repo_id', 'in', reposOf(db, ownerId))
    const ofStatus = statuses.length > 0 ? owned.where('status', 'in', statuses) : owned
    return [events.length > 0 ? ofStatus.where('event', 'in', events) : ofStatus]
  }
  // The instance has an index of each status and of each event; pages of several are merged.
  if (statuses.length === 0) {
    return events.length === 0 ? [all] : [...new Set(events)].map((event) => all.where('event', '=', event))
  }
  return [...new Set(statuses)].map((status) => {
    const ofStatus = all.where('status', '=', status)
    return events.length > 0 ? ofStatus.where('event', 'in', events) : ofStatus
  })
}

const jobsOf = (db: Db, { ownerId, statuses }: OwnedFilter) => {
  const all = db.selectFrom('action_job').selectAll()
  if (ownerId !== null) {
    const owned = all.where('repo_id', 'in', reposOf(db, ownerId))
    return [statuses.length > 0 ? owned.where('status', 'in', statuses) : owned]
  }
  return statuses.length === 0 ? [all] : [...new Set(statuses)].map((status) => all.where('status', '=', status))
}

/** Returns one page of the rows of all queries, the newest first. */
async function pageOf<TB extends keyof Schema, Row>(
  db: Db,
  queries: readonly SelectQueryBuilder<Schema, TB, Row>[],
  page: Page,
): Promise<OwnedPage<Row>> {
  const [rows, total] = await rowsAndTotal(
    page,
    mergedPage(db, queries, [{ name: 'id', direction: 'desc' }], page).execute(),
    countingQuery(db, queries, countedAtMost + 1)
      .executeTakeFirstOrThrow()
      .then((counted) => counted.total),
  )
  return { rows, total: Math.min(total, countedAtMost), isBounded: total > countedAtMost }
}

/** Returns one page of the runs of an owner's repositories, the newest first. */
export const pageOfOwnedRuns = (db: Db, filter: OwnedFilter, page: Page): Promise<OwnedPage<ActionRunRow>> =>
  pageOf(db, runsOf(db, filter), page)

/** Returns one page of the jobs of an owner's repositories, the newest first. */
export const pageOfOwnedJobs = (db: Db, filter: OwnedFilter, page: Page): Promise<OwnedPage<ActionJobRow>> =>
  pageOf(db, jobsOf(db, filter), page)
