import type { Tx } from '../db/database.ts'
import type { GitKey, RepoId } from '../lib/ids.ts'

/** @returns false when the wiki has a git repository already */
export const updateWikiGitKey = async (tx: Tx, id: RepoId, key: GitKey): Promise<boolean> =>
  (
    await tx
      .updateTable('repo')
      .set({ wiki_git_key: key })
      .where('id', '=', id)
      .where('wiki_git_key', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows > 0n
