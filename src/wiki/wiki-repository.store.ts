import type { Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { GitKey, RepoId } from '../lib/ids.ts'

/** Sets the git repository of a wiki. Returns false when it has one. */
export const updateWikiGitKey = (tx: Tx, id: RepoId, key: GitKey): Promise<boolean> =>
  changesRow(tx.updateTable('repo').set({ wiki_git_key: key }).where('id', '=', id).where('wiki_git_key', 'is', null))
