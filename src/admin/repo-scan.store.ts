import type { Db } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'

/** Repositories in the order of their ids, after `after`. */
export const listReposAfter = (db: Db, after: RepoId, limit: number): Promise<RepoRow[]> =>
  db.selectFrom('repo').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()

export const countRepos = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('repo')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
