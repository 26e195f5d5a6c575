import type { Db } from '../../db/database.ts'
import type { GitKey } from '../../lib/ids.ts'

/** Returns the keys of the oldest repositories. */
export async function listSomeGitKeys(db: Db, limit: number): Promise<GitKey[]> {
  const rows = await db.selectFrom('repo').select('git_key').orderBy('id').limit(limit).execute()
  return rows.map(({ git_key }) => git_key)
}
