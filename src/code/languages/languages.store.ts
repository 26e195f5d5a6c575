import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Bytes by language, largest first. */
export const listLanguages = (db: Db, repoId: RepoId) =>
  db
    .selectFrom('repo_language')
    .select(['language', 'size_bytes'])
    .where('repo_id', '=', repoId)
    .orderBy('size_bytes', 'desc')
    .orderBy(bytewise(db, 'language'))
    .execute()

/** When the row of a branch last changed. */
export const findBranchTime = async (db: Db, repoId: RepoId, name: string): Promise<Unix | undefined> =>
  (
    await db
      .selectFrom('branch')
      .select('updated_unix')
      .where('repo_id', '=', repoId)
      .where('name', '=', name)
      .executeTakeFirst()
  )?.updated_unix

/** Replaces the recorded languages of a repository. */
export async function replaceLanguages(
  tx: Tx,
  repoId: RepoId,
  commit: Oid | '',
  bytes: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.deleteFrom('repo_language').where('repo_id', '=', repoId).execute()
  const rows = [...bytes].map(([language, size_bytes]) => ({ repo_id: repoId, language, size_bytes }))
  if (rows.length > 0) await tx.insertInto('repo_language').values(rows).execute()
  await tx
    .updateTable('repo')
    .set({ primary_language: rows[0]?.language ?? '', languages_commit: commit })
    .where('id', '=', repoId)
    .execute()
}
