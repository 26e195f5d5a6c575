import type { Tx } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Gives the row when the size is another one than before. */
export const updateGitSize = (tx: Tx, id: RepoId, sizeBytes: number): Promise<RepoRow | undefined> =>
  tx
    .updateTable('repo')
    .set({ git_size_bytes: sizeBytes })
    .where('id', '=', id)
    .where('git_size_bytes', '!=', sizeBytes)
    .returningAll()
    .executeTakeFirst()
