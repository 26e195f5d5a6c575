import type { Tx } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Returns the row if the size changed. */
export const updateGitSize = (tx: Tx, id: RepoId, sizeBytes: number): Promise<RepoRow | undefined> =>
  tx
    .updateTable('repo')
    .set({ git_size_bytes: sizeBytes })
    .where('id', '=', id)
    .where('git_size_bytes', '!=', sizeBytes)
    .returningAll()
    .executeTakeFirst()
