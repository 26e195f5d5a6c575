import type { Db } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'
import { inBatches } from '../lib/in-batches.ts'

/** Repositories that are read at once. */
const batch = 200

/** All repositories in the order of their ids, some at a time; what is added meanwhile is among them. */
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
