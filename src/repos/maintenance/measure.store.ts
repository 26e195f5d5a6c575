import type { Tx } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'

/**
 * Records a measured size. Returns the row if it changed. A size that somebody else recorded or charged meanwhile stays: the
 * event of that change leads to another measurement.
 * @param before the row as it was before the measurement
 */
export const updateGitSize = (
  tx: Tx,
  before: Pick<RepoRow, 'id' | 'git_size_bytes'>,
  sizeBytes: number,
): Promise<RepoRow | undefined> =>
  tx
    .updateTable('repo')
    .set({ git_size_bytes: sizeBytes })
    .where('id', '=', before.id)
    .where('git_size_bytes', '=', before.git_size_bytes)
    .where('git_size_bytes', '!=', sizeBytes)
    .returningAll()
    .executeTakeFirst()
