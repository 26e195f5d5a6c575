import { sql, type Expression, type SqlBool } from 'kysely'
import { mayAccess } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import type { TrackedTimeRow } from '../../db/tables/issue-details.ts'
import type { IssueId, RepoId, TrackedTimeId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

export interface TimeFilter {
  readonly issueId?: IssueId | undefined
  readonly repoId?: RepoId | undefined
  readonly userId?: UserId | undefined
  /** Only times on issues that this viewer may read; undefined does not check rights. */
  readonly readableBy?: Viewer | undefined
  /** Range of the time of entry; both ends belong to it. */
  readonly sinceUnix?: Unix | undefined
  readonly beforeUnix?: Unix | undefined
}

const matching = (db: Db, filter: TimeFilter) => {
  let query = db.selectFrom('tracked_time').where('is_deleted', '=', false)
  if (filter.issueId !== undefined) query = query.where('issue_id', '=', filter.issueId)
  if (filter.repoId !== undefined) query = query.where('repo_id', '=', filter.repoId)
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
  if (filter.sinceUnix !== undefined) query = query.where('created_unix', '>=', filter.sinceUnix)
  if (filter.beforeUnix !== undefined) query = query.where('created_unix', '<=', filter.beforeUnix)
  return query
}

/** A repository, and issues or pull requests of it, that have tracked times. */
interface TimedKind {
  readonly repo_id: RepoId
  readonly is_of_pull: boolean
}

/** Returns those in which the viewer may read. */
async function listReadable<Sum extends TimedKind>(
  db: Db,
  viewer: Viewer,
  sums: readonly Sum[],
): Promise<readonly Sum[]> {
  if (sums.length === 0) return []
  const may = (unit: 'issues' | 'pulls') =>
    sql<number>`case when ${mayAccess(viewer, 'repo', { units: [unit], mode: 1 })} then 1 else 0 end`
  const rows = await db
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where('repo.id', 'in', idList(db, idListText(sums.map((sum) => sum.repo_id))) as Expression<RepoId>)
    .select(['repo.id', may('issues').as('issues'), may('pulls').as('pulls')])
    .execute()
  const rights = new Map(rows.map((row) => [row.id, row]))
  return sums.filter((sum) => rights.get(sum.repo_id)?.[sum.is_of_pull ? 'pulls' : 'issues'] === 1)
}

/** Returns one page of tracked times, oldest first, and their number. */
export async function findTimes(
  db: Db,
  { readableBy, ...filter }: TimeFilter,
  page: Page,
): Promise<{ readonly rows: TrackedTimeRow[]; readonly total: number }> {
  let query = matching(db, filter)
  let total: number
  if (readableBy) {
    const sums = await query
      .select((each) => ['repo_id', 'is_of_pull', each.fn.countAll<number>().as('count')])
      .groupBy(['repo_id', 'is_of_pull'])
      .execute()
    const readable = await listReadable(db, readableBy, sums)
    total = readable.reduce((sum, { count }) => sum + count, 0)
    // A viewer usually may read all of them; then the query needs no condition.
    if (readable.length < sums.length) {
      const keys = readable.map((sum) => sum.repo_id * 2 + Number(sum.is_of_pull))
      query = query.where(sql<SqlBool>`repo_id * 2 + case when is_of_pull then 1 else 0 end
        in ${idList(db, idListText(keys))}`)
    }
  } else {
    total = (await query.select((each) => each.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count
  }
  const left = Math.min(page.limit, total - page.offset)
  if (left <= 0) return { rows: [], total }
  const isFromEnd = page.offset > total / 2
  const sums = await query
    .select('id')
    .orderBy('id', isFromEnd ? 'desc' : 'asc')
    .limit(left)
    .offset(isFromEnd ? total - page.offset - left : page.offset)
    .execute()
  const ids = sums.map(({ id }) => id)
  return { rows: await db.selectFrom('tracked_time').selectAll().where('id', 'in', ids).orderBy('id').execute(), total }
}

export const findTime = (db: Db, issueId: IssueId, id: TrackedTimeId): Promise<TrackedTimeRow | undefined> =>
  db
    .selectFrom('tracked_time')
    .selectAll()
    .where('id', '=', id)
    .where('issue_id', '=', issueId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()

/** Loads tracked times by id, deleted ones too. */
export async function loadTimes(
  db: Db,
  ids: Iterable<TrackedTimeId | null>,
): Promise<ReadonlyMap<TrackedTimeId, TrackedTimeRow>> {
  const wanted = [...new Set(ids)].filter((id): id is TrackedTimeId => id !== null)
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('tracked_time').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Marks a tracked time as deleted; the row stays for its timeline entry. Returns undefined when it is deleted already. */
export const deleteTime = (tx: Tx, id: TrackedTimeId): Promise<TrackedTimeRow | undefined> =>
  tx
    .updateTable('tracked_time')
    .set({ is_deleted: true })
    .where('id', '=', id)
    .where('is_deleted', '=', false)
    .returningAll()
    .executeTakeFirst()

/** Marks the times that an account tracked on an issue as deleted. */
export const deleteTimesOf = (tx: Tx, issueId: IssueId, userId: UserId): Promise<TrackedTimeRow[]> =>
  tx
    .updateTable('tracked_time')
    .set({ is_deleted: true })
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .where('is_deleted', '=', false)
    .returningAll()
    .execute()
