import type { Db } from '../db/database.ts'

/** How many repositories there are. */
export async function countRepositories(db: Db): Promise<{ repositories: number }> {
  const { count } = await db
    .selectFrom('repo')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return { repositories: count }
}
