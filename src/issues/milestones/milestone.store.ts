import { sql, type Expression } from 'kysely'
import { readsIssues } from '../../access/conditions/repo-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Db, Tx } from '../../db/database.ts'
import { idList, idListText } from '../../db/id-list.ts'
import { contains } from '../../db/like.ts'
import { preparedQuery } from '../../db/prepared.ts'
import { countRows } from '../../db/rows.ts'
import type { MilestoneChange, MilestoneRow, NewMilestoneRow } from '../../db/tables/issues.ts'
import type { MilestoneId, RepoId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

export const findMilestone = (db: Db, repoId: RepoId, id: MilestoneId): Promise<MilestoneRow | undefined> =>
  db.selectFrom('milestone').selectAll().where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()

export const findMilestoneByTitle = (db: Db, repoId: RepoId, title: string): Promise<MilestoneRow | undefined> =>
  db
    .selectFrom('milestone')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('title', '=', title)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

export interface MilestoneFilter {
  readonly isClosed?: boolean | undefined
  /** Text that the title contains; letter case does not matter. */
  readonly name?: string | undefined
}

const matching = (db: Db, repoId: RepoId, filter: MilestoneFilter) => {
  let query = db.selectFrom('milestone').where('repo_id', '=', repoId)
  if (filter.isClosed !== undefined) query = query.where('is_closed', '=', filter.isClosed)
  if (filter.name) query = query.where(contains('title', filter.name))
  return query
}

/** Returns milestones by due date; those without one come last. */
export const listMilestones = (db: Db, repoId: RepoId, filter: MilestoneFilter, page: Page): Promise<MilestoneRow[]> =>
  matching(db, repoId, filter)
    .selectAll()
    .orderBy(sql`case when due_unix = 0 then 1 else 0 end`)
    .orderBy('due_unix')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countMilestones = (db: Db, repoId: RepoId, filter: MilestoneFilter): Promise<number> =>
  countRows(matching(db, repoId, filter))

/** Returns the milestones of a repository with any of the titles; a number also matches an id. */
export const listMilestonesNamed = (db: Db, repoId: RepoId, names: readonly string[]): Promise<MilestoneRow[]> => {
  const ids = names.filter((name) => /^\d{1,15}$/.test(name)).map((name) => Number(name) as MilestoneId)
  return db
    .selectFrom('milestone')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where((where) => where.or([where('title', 'in', names), ...(ids.length > 0 ? [where('id', 'in', ids)] : [])]))
    .execute()
}

/** Returns whether a repository in which the viewer reads issues or pull requests has a milestone of one of the titles. */
export async function areMilestonesNamed(
  db: Db,
  viewer: Viewer | undefined,
  titles: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ id: MilestoneId }>`
    select milestone.id from milestone cross join repo cross join "user" as owner
    where milestone.title in (${sql.join(titles)}) and repo.id = milestone.repo_id and owner.id = repo.owner_id
      and ${readsIssues(viewer)} limit 1`.execute(db)
  return rows.length > 0
}

const inRepos = (db: Db, viewer: Viewer, repoIds: readonly RepoId[], isClosed: boolean) =>
  db
    .selectFrom('milestone')
    .innerJoin('repo', 'repo.id', 'milestone.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .where('milestone.repo_id', 'in', repoIds)
    .where('milestone.is_closed', '=', isClosed)
    .where(readsIssues(viewer))

/** Returns the open or closed milestones of repositories that the viewer may read, by due date. */
export const listMilestonesIn = (
  db: Db,
  viewer: Viewer,
  repoIds: readonly RepoId[],
  isClosed: boolean,
  page: Page,
): Promise<MilestoneRow[]> =>
  inRepos(db, viewer, repoIds, isClosed)
    .selectAll('milestone')
    .orderBy(sql`case when milestone.due_unix = 0 then 1 else 0 end`)
    .orderBy('milestone.due_unix')
    .orderBy('milestone.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countMilestonesIn = (
  db: Db,
  viewer: Viewer,
  repoIds: readonly RepoId[],
  isClosed: boolean,
): Promise<number> => countRows(inRepos(db, viewer, repoIds, isClosed))

/** Returns the first open milestones of repositories, by due date; those without one come last. */
export const listOpenMilestones = (
  db: Db,
  repoIds: readonly RepoId[],
  limit: number,
): Promise<readonly MilestoneRow[]> => openMilestones(db, idListText(repoIds), limit)

const openMilestones = preparedQuery((db: Db, repoIds: string, limit: number) =>
  db
    .selectFrom('milestone')
    .selectAll()
    .where('repo_id', 'in', idList(db, repoIds) as Expression<RepoId>)
    .where('is_closed', '=', false)
    .orderBy(sql`case when due_unix = 0 then 1 else 0 end`)
    .orderBy('due_unix')
    .orderBy('id')
    .limit(limit),
)

export const insertMilestone = (tx: Tx, values: NewMilestoneRow): Promise<MilestoneRow> =>
  tx.insertInto('milestone').values(values).returningAll().executeTakeFirstOrThrow()

export const updateMilestone = (tx: Tx, id: MilestoneId, change: MilestoneChange): Promise<MilestoneRow | undefined> =>
  tx.updateTable('milestone').set(change).where('id', '=', id).returningAll().executeTakeFirst()

/** Deletes a milestone and removes it from its issues. */
export const deleteMilestoneRow = (tx: Tx, id: MilestoneId) => tx.deleteFrom('milestone').where('id', '=', id).execute()
