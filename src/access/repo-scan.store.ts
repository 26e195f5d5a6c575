import type { Db } from '../db/database.ts'
import { countRows } from '../db/rows.ts'
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

export const countRepos = (db: Db): Promise<number> => countRows(db.selectFrom('repo'))
