import type { Db } from '../db/database.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { RepoId } from '../lib/ids.ts'

/** Repositories that are read at once. */
const batch = 200

/** All repositories in the order of their ids, some at a time; what is added meanwhile is among them. */
export async function* everyRepo(db: Db): AsyncGenerator<readonly RepoRow[]> {
  for (let after = 0 as RepoId; ;) {
    const repos = await db.selectFrom('repo').selectAll().where('id', '>', after).orderBy('id').limit(batch).execute()
    const last = repos.at(-1)
    if (!last) return
    yield repos
    if (repos.length < batch) return
    after = last.id
  }
}

export const countRepos = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('repo')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
