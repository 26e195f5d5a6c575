import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { visibleParts, findGiven } from '../../access/conditions/visible-repos.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db } from '../../db/database.ts'
import { countingQuery, mergedPage, type OrderKey } from '../../db/merged-page.ts'
import { askAgain } from '../../db/prepared.ts'
import { stepByStep, type Step } from '../../db/steps.ts'
import type { Schema } from '../../db/schema.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import type { Bound, Page } from '../../lib/paging.ts'
import { loadRepos } from '../repo.store.ts'
import { audiencesOf, either, splitFilter, type Condition, type RepoFilter } from './repo-filter.store.ts'
import { orderOf, type RepoSort } from './repo-order.store.ts'

export interface FoundRepos {
  readonly repos: RepoRow[]
  readonly total: number
  /** Set when the list has more repositories than are counted. */
  readonly bound?: Bound | undefined
}

/** Matches that are counted, and sorted where no index has them in order. Tests use a smaller number. */
const maxCounted = 10_000

type Selected = SelectQueryBuilder<Schema, 'repo', { repo_id: RepoId }>

interface FoundIds {
  readonly ids: readonly RepoId[]
  readonly total: number
  readonly bound?: Bound
}

/**
 * Returns one page of the repositories that a filter leaves and the viewer may see, and their number. Each list reads one
 * index:
 *
 * | filter                                                                | up to 10,000 matches      | more               |
 * | --------------------------------------------------------------------- | ------------------------- | ------------------ |
 * | team, owner, base of forks, stars, watches, contributor, topic        | index of the filter,      | index of the order |
 * |                                                                       | sorted                    |                    |
 * | words; template, archived, fork, mirror                               | scan of an index, sorted  | index of the order |
 * | none of these                                                         | index of the order        | index of the order |
 *
 * The first filter of the table that is asked for finds the rows; the others are checked in them. No index has the order
 * in which the repositories of one owner come first: such a list is sorted.
 */
export async function searchRepos(
  db: Db,
  filter: RepoFilter,
  viewer: Viewer | undefined,
  sort: RepoSort,
  page: Page,
  atMost = maxCounted,
): Promise<FoundRepos> {
  const { ids, total, bound } = await findIds(db, { filter, viewer, sort, page, atMost })
  const rows = await loadRepos(db, ids)
  return { repos: ids.flatMap((id) => rows.get(id) ?? []), total, bound }
}

interface Search {
  readonly filter: RepoFilter
  readonly viewer: Viewer | undefined
  readonly sort: RepoSort
  readonly page: Page
  readonly atMost: number
}

async function findIds(db: Db, { filter, viewer, sort, page, atMost }: Search): Promise<FoundIds> {
  const audiences = audiencesOf(filter)
  const given = await findGiven(db, viewer, audiences)
  const { lead, rest, satisfiesLead } = splitFilter(db, filter)
  const order = orderOf(sort)
  const visible = (isOrdered: boolean) => visibleParts(viewer, { audiences, isOrdered, given, db })
  const parts = visible(false)
  if (parts.length === 0) return { ids: [], total: 0 }
  if (lead) {
    const found = lead.map((each) => matching(db, [each, either(parts), ...rest]))
    const sorted = await sortedPage(db, found, order, page, atMost)
    if (sorted.total <= atMost) return sorted
  }
  const conditions = satisfiesLead ? [...rest, satisfiesLead] : rest
  const ordered = visible(true).map((part) => matching(db, [part, ...conditions]))
  const [ids, total] = await Promise.all([
    orderedPage(db, ordered, order, page),
    lead ? atMost + 1 : count(db, ordered, atMost + 1),
  ])
  return total > atMost ? { ids, total: atMost, bound: 'total' } : { ids, total }
}

const matching = (db: Db, conditions: readonly Condition[]): Selected =>
  conditions.reduce<Selected>(
    (query, condition) => query.where(condition),
    db.selectFrom('repo').select('repo.id as repo_id'),
  )

const together = (queries: readonly Selected[], atMost: number): Selected =>
  queries.reduce((one, other) => one.unionAll(other)).limit(atMost)

const count = async (db: Db, queries: readonly Selected[], atMost: number): Promise<number> =>
  (await askAgain(db, countingQuery(db, queries, atMost)))[0]?.total ?? 0

/** The keys of an order beside the id, which is selected anyway. */
const keysBesideId = (order: readonly OrderKey[]) =>
  order.filter(({ name }) => name !== 'repo_id').map(({ name, value }) => value.as(name))

/** Returns a page of the rows of all queries, and their number. When they are more than `atMost`, the page is empty. */
async function sortedPage(
  db: Db,
  queries: readonly Selected[],
  order: readonly OrderKey[],
  { limit, offset }: Page,
  atMost: number,
): Promise<FoundIds> {
  const sorted = sql.join(order.map(({ name, direction }) => sql`${sql.ref(name)} ${sql.raw(direction)}`))
  const keys = sql.join([sql`repo.id as repo_id`, ...keysBesideId(order)])
  const found: Step = { table: 'found', where: sql<SqlBool>`(select total from counted) <= ${atMost}` }
  const byId: Step = { table: 'repo', where: sql<SqlBool>`repo.id = found.repo_id` }
  const page = sql<{ repo_id: RepoId | null; total: number }>`(
    with found as materialized ${together(queries, atMost + 1)},
      counted as materialized (select count(*) as total from found)
    select page.*, counted.total from counted left join (
      select ${keys} ${stepByStep(db, found, byId)} order by ${sorted} limit ${limit} offset ${offset}) as page on 1 = 1)`
  const statement = db.selectFrom(page.as('page')).select(['page.repo_id', 'page.total'])
  const rows = await askAgain(
    db,
    order.reduce((query, { name, direction }) => query.orderBy(sql.ref(`page.${name}`), direction), statement),
  )
  return {
    ids: rows.flatMap(({ repo_id: id }) => (id === null ? [] : [id])),
    total: rows[0]?.total ?? 0,
  }
}

/** Returns a page of queries that an index has in the order. */
async function orderedPage(
  db: Db,
  queries: readonly Selected[],
  order: readonly OrderKey[],
  page: Page,
): Promise<RepoId[]> {
  const keyed = queries.map((query) => query.select(keysBesideId(order)))
  const rows = await askAgain(db, mergedPage(db, keyed, order, page))
  return rows.map((row) => row.repo_id)
}
