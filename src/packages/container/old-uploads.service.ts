import type { Ctx } from '../../access/context.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction } from '../../db/database.ts'
import { NotFound } from '../../lib/errors.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { hasFiles } from '../content/file.store.ts'
import { deletePackageWithoutVersions, deleteVersionRow, lockPackage } from '../package.store.ts'
import { uploadVersion } from './container.rules.ts'
import { deleteOldFiles, listInternalVersions, listOldUploads } from './container.store.ts'
import { abortUpload } from './upload.service.ts'

const batch = 200

/** Removes abandoned uploads, and blobs from before a time that no manifest names. */
export async function removeOldUploads(ctx: Ctx, beforeUnix: Unix, signal: AbortSignal): Promise<void> {
  for await (const uploads of inBatches((after?: number) => listOldUploads(ctx.db, beforeUnix, after, batch))) {
    signal.throwIfAborted()
    for (const upload of uploads) {
      await abortUpload(ctx, upload).catch((error: unknown) => {
        // The upload was finished meanwhile.
        if (!(error instanceof NotFound)) throw error
      })
    }
  }
  await removeOldInternalFiles(ctx, uploadVersion, beforeUnix, signal)
}

/** Removes files from before a time from the internal versions of a name. */
export async function removeOldInternalFiles(
  ctx: Ctx,
  lowerVersion: string,
  beforeUnix: Unix,
  signal: AbortSignal,
): Promise<void> {
  const page = (after?: number) => listInternalVersions(ctx.db, lowerVersion, beforeUnix, after, batch)
  for await (const versions of inBatches(page)) {
    signal.throwIfAborted()
    for (const { id, package_id: packageId } of versions) {
      await transaction(ctx.db, async (tx) => {
        const parent = await lockPackage(tx, packageId)
        if (!parent) return
        const freed = await deleteOldFiles(tx, id, beforeUnix, nowUnix(ctx.clock))
        if (!(await hasFiles(tx, id))) await deleteVersionRow(tx, id)
        await deletePackageWithoutVersions(tx, packageId)
        await addToUsage(tx, { ownerId: parent.owner_id }, 'packages', -freed)
      })
    }
  }
}
