import type { Db } from '../db/database.ts'
import { countRows } from '../db/rows.ts'

/** Returns the number of repositories. */
export const countRepositories = async (db: Db): Promise<{ repositories: number }> => ({
  repositories: await countRows(db.selectFrom('repo')),
})
