import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { findHidden, isNotHidden } from '../access/conditions/reading.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import { stepByStep } from '../db/steps.ts'
import type { ActRow } from '../db/tables/activity.ts'
import type { ActId, RepoId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { isOfSeenActor, loadActs, reading } from './feed.store.ts'

/** Most repositories whose acts are read: those with the newest ones. More than a page has rows, for the hidden ones. */
const mostRepos = 200

/** Returns the condition for the acts of others in a repository since a time, which its index reads newest first. */
const isNews = (viewer: Viewer, repoId: RawBuilder<unknown>, since: Unix): RawBuilder<SqlBool> =>
  sql<SqlBool>`activity.repo_id = ${repoId} and activity.created_unix >= ${since} and activity.actor_id <> ${viewer.id}`

/** Returns the repositories that the viewer watches or whose organization the viewer is in, the newest acts first. */
async function listNewsRepos(db: Db, viewer: Viewer, since: Unix): Promise<RepoId[]> {
  const { rows } = await sql<{ id: RepoId }>`
    select id from (
      select found.id, (
        select activity.created_unix from activity where ${isNews(viewer, sql`found.id`, since)}
        order by activity.created_unix desc, activity.id desc limit 1) as newest
      from (
        select repo_id as id from watch where user_id = ${viewer.id} and mode <> 'dont'
        union select repo.id from org_user join repo on repo.owner_id = org_user.org_id
          where org_user.user_id = ${viewer.id}) as found) as news
    where newest is not null order by newest desc, id limit ${sql.lit(mostRepos)}`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Returns the newest acts of others since a time that the viewer may read in the repositories that the viewer watches, and in
 * those of the viewer's organizations. It reads at most `limit` acts of each repository.
 */
export async function listWatchedActs(db: Db, viewer: Viewer, since: Unix, limit: number): Promise<ActRow[]> {
  const ids = await listNewsRepos(db, viewer, since)
  if (ids.length === 0) return []
  const repos = idList(db, idListText(ids))
  const hidden = await findHidden(db, viewer, reading, sql`(select value as id from ${repos} as listed)`)
  if (!hidden) return []
  const newest = sql`select activity.id from activity where ${isNews(viewer, sql`news.value`, since)}
    and ${isNotHidden(db, reading, hidden)} and ${isOfSeenActor(viewer)}
    order by activity.created_unix desc, activity.id desc limit ${limit}`
  const { rows } = await sql<{ id: ActId }>`select activity.id ${stepByStep(
    db,
    { table: 'news', rows: repos, where: sql<SqlBool>`1 = 1` },
    { table: 'activity', where: sql<SqlBool>`activity.id in (${newest})` },
  )} order by activity.created_unix desc, activity.id desc limit ${limit}`.execute(db)
  return loadActs(
    db,
    rows.map((row) => row.id),
    hidden,
  )
}
