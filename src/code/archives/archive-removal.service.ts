import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RepoArchiveRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { deleteArchive, listOldestArchives, sumArchiveBytes } from './archive.store.ts'

/** Archives that are removed before it is looked again how much there is. */
const batchSize = 20

/** Takes stored archives away: first the rows, so that nobody is led to what is not there. */
export async function removeArchives(ctx: Pick<Ctx, 'db' | 'blobs'>, rows: readonly RepoArchiveRow[]): Promise<void> {
  for (const row of rows) {
    await transaction(ctx.db, (tx) =>
      deleteArchive(tx, { repoId: row.repo_id, commit: row.commit_oid, format: row.format }),
    )
    await ctx.blobs.repoArchive.delete(row.blob_key)
  }
}

/**
 * Makes room: the oldest archives of a repository go while it has more than a quarter of what all may have, and then the
 * oldest of all. So a repository whose every commit is asked for takes nothing from the others.
 *
 * @param kept key of the archive that was just made, which stays
 */
export async function makeRoomForArchives(ctx: Pick<Ctx, 'config' | 'db' | 'blobs'>, repoId: RepoId, kept: string) {
  const { maxArchiveSize, maxStoredArchives } = ctx.config.ingot
  const ofRepoBytes = Math.max(maxArchiveSize, Math.floor(maxStoredArchives / 4))
  for (;;) {
    const sums = await sumArchiveBytes(ctx.db, repoId)
    const isOver = sums.ofRepo > ofRepoBytes
    if (!isOver && sums.all <= maxStoredArchives) return
    const oldest = await listOldestArchives(ctx.db, isOver ? repoId : undefined, batchSize)
    const rows = oldest.filter(({ blob_key }) => blob_key !== kept)
    if (rows.length === 0) return
    let excess = isOver ? sums.ofRepo - ofRepoBytes : sums.all - maxStoredArchives
    const going: RepoArchiveRow[] = []
    for (const row of rows) {
      if (excess <= 0) break
      going.push(row)
      excess -= row.size_bytes
    }
    await removeArchives(ctx, going)
  }
}
