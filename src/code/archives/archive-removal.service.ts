import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { RepoArchiveRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'
import { deleteArchive, listOldestArchives, sumArchiveBytes } from './archive.store.ts'

/** Archives removed before the sums are read again. */
const batchSize = 20

/** Deletes stored archives. Rows go first, so that no row names a missing file. */
export async function removeArchives(ctx: Pick<Ctx, 'db' | 'blobs'>, rows: readonly RepoArchiveRow[]): Promise<void> {
  for (const row of rows) {
    await transaction(ctx.db, (tx) =>
      deleteArchive(tx, { repoId: row.repo_id, commit: row.commit_oid, format: row.format }),
    )
    await ctx.blobs.repoArchive.delete(row.blob_key)
  }
}

/**
 * Makes room: deletes the oldest archives of a repository above a quarter of all space, then the oldest of all. One
 * repository cannot evict the archives of others.
 * @param kept key of the new archive, which stays
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
