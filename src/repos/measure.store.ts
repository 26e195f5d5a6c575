import type { Tx } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'

export const updateGitSize = (tx: Tx, id: RepoId, sizeBytes: number) =>
  tx
    .updateTable('repo')
    .set({ git_size_bytes: sizeBytes })
    .where('id', '=', id)
    .where('git_size_bytes', '!=', sizeBytes)
    .execute()
