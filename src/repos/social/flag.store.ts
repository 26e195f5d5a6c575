import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { RepoId } from '../../lib/ids.ts'

export const listFlags = async (db: Db, repoId: RepoId): Promise<string[]> =>
  (
    await db
      .selectFrom('repo_flag')
      .select('name')
      .where('repo_id', '=', repoId)
      .orderBy(bytewise(db, 'name'))
      .execute()
  ).map((row) => row.name)

export const insertFlags = async (tx: Tx, repoId: RepoId, names: readonly string[]): Promise<void> => {
  if (names.length === 0) return
  await tx
    .insertInto('repo_flag')
    .values(names.map((name) => ({ repo_id: repoId, name })))
    .onConflict((conflict) => conflict.columns(['repo_id', 'name']).doNothing())
    .execute()
}

/** Deletes one flag, or all without a name. */
export const deleteFlags = (tx: Tx, repoId: RepoId, name?: string) => {
  const query = tx.deleteFrom('repo_flag').where('repo_id', '=', repoId)
  return (name === undefined ? query : query.where('name', '=', name)).execute()
}
