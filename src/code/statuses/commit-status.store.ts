import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { actionsUserId, type Oid, type RepoId, type UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { cancelledDescription } from './shown-state.ts'

/** Sort orders by query value; the names of the last two are swapped (observed). */
export const statusSorts = ['oldest', 'recentupdate', 'leastupdate', 'leastindex', 'highestindex'] as const
export type StatusSort = (typeof statusSorts)[number] | 'newest'

export interface StatusFilter {
  readonly repoId: RepoId
  readonly sha: Oid
  /** Only this state; undefined selects all. */
  readonly state?: string | undefined
}

const statusesOf = (db: Db, { repoId, sha, state }: StatusFilter) => {
  const query = db.selectFrom('commit_status').where('repo_id', '=', repoId).where('sha', '=', sha)
  return state === undefined ? query : query.where('state', '=', state)
}

const orders = {
  newest: ['created_unix desc', 'index desc'],
  oldest: ['created_unix', 'index'],
  recentupdate: ['updated_unix desc', 'index desc'],
  leastupdate: ['updated_unix', 'index'],
  leastindex: ['index desc'],
  highestindex: ['index'],
} as const satisfies Record<StatusSort, readonly string[]>

export const listStatuses = (
  db: Db,
  filter: StatusFilter,
  sort: StatusSort,
  page: Page,
): Promise<CommitStatusRow[]> => {
  let query = statusesOf(db, filter).selectAll()
  for (const order of orders[sort]) {
    const [column, direction] = order.split(' ') as ['created_unix' | 'updated_unix' | 'index', 'desc' | undefined]
    query = query.orderBy(column, direction ?? 'asc')
  }
  return query.limit(page.limit).offset(page.offset).execute()
}

export const countStatuses = (db: Db, filter: StatusFilter): Promise<number> => countRows(statusesOf(db, filter))

/** The state that pages show, as `shownState` says it. */
export const shownStateColumn = sql<string>`case
  when commit_status.creator_id = ${sql.lit(actionsUserId)} and commit_status.description = ${sql.lit(cancelledDescription)}
  then 'cancelled' else commit_status.state end`.as('state')

/** The latest status of each context, by number. */
export const listLatestStatuses = (db: Db | Tx, repoId: RepoId, shas: readonly Oid[]): Promise<CommitStatusRow[]> =>
  db
    .selectFrom('commit_status')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('sha', 'in', shas)
    .where('id', 'in', (where) =>
      where
        .selectFrom('commit_status')
        .select((select) => select.fn.max('id').as('id'))
        .where('repo_id', '=', repoId)
        .where('sha', 'in', shas)
        .groupBy(['sha', 'context']),
    )
    .orderBy('index')
    .execute()

/**
 * Returns the contexts among the newest statuses of a repository, the last reported first.
 * @param readAtMost number of statuses that are read
 */
export const listRecentContexts = async (db: Db, repoId: RepoId, readAtMost: number): Promise<string[]> => {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('commit_status')
        .select(['id', 'context'])
        .where('repo_id', '=', repoId)
        .orderBy('id', 'desc')
        .limit(readAtMost)
        .as('newest'),
    )
    .select('context')
    .groupBy('context')
    .orderBy(({ fn }) => fn.max('id'), 'desc')
    .execute()
  return rows.map(({ context }) => context)
}

export interface NewStatus {
  readonly repoId: RepoId
  readonly sha: Oid
  readonly state: string
  readonly targetUrl: string
  readonly description: string
  readonly context: string
  readonly contextHash: string
  readonly creatorId: UserId
  readonly createdUnix: Unix
}

/** Limit of values per statement. */
const insertedAtOnce = 50

/**
 * Inserts statuses of one commit with consecutive numbers. Of two concurrent calls one fails on the number, and its
 * caller retries.
 */
export async function insertStatuses(tx: Tx, statuses: readonly NewStatus[]): Promise<CommitStatusRow[]> {
  const rows: CommitStatusRow[] = []
  while (rows.length < statuses.length) {
    const some = statuses.slice(rows.length, rows.length + insertedAtOnce)
    const inserted = await tx
      .insertInto('commit_status')
      .values((where) =>
        some.map((status, at) => ({
          repo_id: status.repoId,
          sha: status.sha,
          index: where
            .selectFrom('commit_status')
            .select(sql<number>`coalesce(max("index"), 0) + ${sql.lit(at + 1)}`.as('next'))
            .where('repo_id', '=', status.repoId)
            .where('sha', '=', status.sha),
          state: status.state,
          target_url: status.targetUrl,
          description: status.description,
          context: status.context,
          context_hash: status.contextHash,
          creator_id: status.creatorId,
          created_unix: status.createdUnix,
          updated_unix: status.createdUnix,
        })),
      )
      .returningAll()
      .execute()
    rows.push(...inserted)
  }
  return rows
}

/** Inserts one status like `insertStatuses`. */
export const insertStatus = async (tx: Tx, status: NewStatus): Promise<CommitStatusRow> =>
  (await insertStatuses(tx, [status]))[0] as CommitStatusRow
