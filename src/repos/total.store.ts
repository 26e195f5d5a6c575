import type { Db } from '../db/database.ts'

/** Returns the number of repositories. */
export async function countRepositories(db: Db): Promise<{ repositories: number }> {
  const { count } = await db
    .selectFrom('repo')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { repositories: count }
}
