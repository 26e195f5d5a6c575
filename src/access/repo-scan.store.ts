import type { Db } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'

/** Repositories in one batch. */
const batch = 200

/** Yields all repositories by id in batches, including those added meanwhile. */
export const everyRepo = (db: Db): AsyncGenerator<readonly RepoRow[]> =>
  inBatches((after?: RepoId) =>
    db
      .selectFrom('repo')
      .selectAll()
      .where('id', '>', after ?? (0 as RepoId))
      .orderBy('id')
      .limit(batch)
      .execute(),
  )

export const countRepos = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('repo')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
