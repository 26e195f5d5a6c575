import type { Db } from '../../db/database.ts'
import type { GitKey } from '../../lib/ids.ts'

/** Returns the keys of the oldest repositories. */
export async function listSomeGitKeys(db: Db, limit: number): Promise<GitKey[]> {
  const rows = await db.selectFrom('repo').select('git_key').orderBy('id').limit(limit).execute()
  return rows.map(({ git_key }) => git_key)
}

/** Whether a repository has a branch. */
export const hasFilledRepo = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('repo').select('id').where('is_empty', '=', false).limit(1).executeTakeFirst()) !== undefined

/** Whether objects of a repository are stored as packs. */
export const hasPacks = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('git_pack').select('name').limit(1).executeTakeFirst()) !== undefined
