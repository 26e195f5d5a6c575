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

/** A repository with news for the viewer. */
interface NewsRepo {
  readonly id: RepoId
  /** The viewer hears only of its releases. */
  readonly only_releases: number
}

/** Returns the condition for the acts of others in a repository since a time, which an index reads newest first. */
const isNews = (viewer: Viewer, repoId: RawBuilder<unknown>, since: Unix, onlyReleases: boolean): RawBuilder<SqlBool> =>
  sql<SqlBool>`activity.repo_id = ${repoId} and activity.created_unix >= ${since}
    and activity.actor_id <> ${viewer.id} ${onlyReleases ? sql`and activity.release_id is not null` : sql``}`

/**
 * Returns the repositories that the viewer watches or whose organization the viewer is in, the newest acts first. The level
 * that the viewer chose for a repository counts more than the organization.
 */
async function listNewsRepos(db: Db, viewer: Viewer, since: Unix): Promise<NewsRepo[]> {
  const newestOf = (onlyReleases: boolean) => sql`(
    select activity.created_unix from activity where ${isNews(viewer, sql`found.id`, since, onlyReleases)}
    order by activity.created_unix desc, activity.id desc limit 1)`
  const { rows } = await sql<NewsRepo>`
    select id, only_releases from (
      select found.id, found.only_releases,
        case when found.only_releases = 1 then ${newestOf(true)} else ${newestOf(false)} end as newest
      from (
        select repo_id as id, case when mode = 'releases' then 1 else 0 end as only_releases
          from watch where user_id = ${viewer.id} and mode in ('normal', 'auto', 'releases')
        union select repo.id, 0 from org_user join repo on repo.owner_id = org_user.org_id
          where org_user.user_id = ${viewer.id} and not exists (select 1 from watch
            where watch.user_id = ${viewer.id} and watch.repo_id = repo.id)) as found) as news
    where newest is not null order by newest desc, id limit ${sql.lit(mostRepos)}`.execute(db)
  return rows
}

/**
 * Returns the newest acts of others since a time that the viewer may read in the repositories that the viewer watches, and in
 * those of the viewer's organizations. It reads at most `limit` acts of each repository.
 */
export async function listWatchedActs(db: Db, viewer: Viewer, since: Unix, limit: number): Promise<ActRow[]> {
  const repos = await listNewsRepos(db, viewer, since)
  const [some, others] = await Promise.all(
    [true, false].map((onlyReleases) => {
      const ids = repos.filter((repo) => (repo.only_releases === 1) === onlyReleases).map((repo) => repo.id)
      return listNewestActs(db, viewer, { ids, since, onlyReleases, limit })
    }),
  )
  return [...(some ?? []), ...(others ?? [])]
    .sort((one, other) => other.created_unix - one.created_unix || other.id - one.id)
    .slice(0, limit)
}

interface NewsFilter {
  readonly ids: readonly RepoId[]
  readonly since: Unix
  readonly onlyReleases: boolean
  readonly limit: number
}

async function listNewestActs(
  db: Db,
  viewer: Viewer,
  { ids, since, onlyReleases, limit }: NewsFilter,
): Promise<ActRow[]> {
  if (ids.length === 0) return []
  const repos = idList(db, idListText(ids))
  const hidden = await findHidden(db, viewer, reading, sql`(select value as id from ${repos} as listed)`)
  if (!hidden) return []
  const newest = sql`select activity.id from activity where ${isNews(viewer, sql`news.value`, since, onlyReleases)}
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
