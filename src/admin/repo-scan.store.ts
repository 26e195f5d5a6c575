import type { Db } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { Oid, RepoId } from '../lib/ids.ts'

/** Repositories in the order of their ids, after `after`. */
export const listReposAfter = (db: Db, after: RepoId, limit: number): Promise<RepoRow[]> =>
  db.selectFrom('repo').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

/** Branches and tags as they are recorded, by the names of their references. */
export async function listRecordedRefs(db: Db, repoId: RepoId): Promise<ReadonlyMap<string, Oid>> {
  const [branches, tags] = await Promise.all([
    db
      .selectFrom('branch')
      .select(['name', 'commit_oid'])
      .where('repo_id', '=', repoId)
      .where('is_deleted', '=', false)
      .execute(),
    db
      .selectFrom('tag')
      .select(['name', 'oid'])
      .where('repo_id', '=', repoId)
      .where('is_deleted', '=', false)
      .execute(),
  ])
  return new Map([
    ...branches.map((row): [string, Oid] => [`refs/heads/${row.name}`, row.commit_oid]),
    ...tags.map((row): [string, Oid] => [`refs/tags/${row.name}`, row.oid]),
  ])
}

export const countRepos = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('repo')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
