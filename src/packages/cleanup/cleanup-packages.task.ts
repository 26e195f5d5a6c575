import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import { pluck } from '../../lib/pluck.ts'
import { job, type JobRun } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { inBatches } from '../../lib/in-batches.ts'
import type { PackageBlobId } from '../../lib/ids.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { removeStrayFiles } from '../../storage/stray-files.ts'
import { removeOldInternalFiles, removeOldUploads } from '../container/old-uploads.service.ts'
import { applyAllRules } from './apply-cleanup-rule.job.ts'
import { upstreamVersion } from '../upstream/upstream.rules.ts'
import { deleteUnusedBlobs, listReleasedBlobs, listUsedBlobKeys } from '../content/blob.store.ts'

/** Number of contents per transaction, and of parallel deletions of files. */
const batch = 200
const parallelDeletions = 8

/** Least age of a stored file without a row before it is deleted, because an upload may be about to insert the row. */
const leastStrayMs = 24 * 3_600_000

/** How long files from upstreams are kept; they are fetched again on demand. */
const keptFromUpstreamsSeconds = 30 * 24 * 3600

/** Deletes stored files whose rows are deleted. Storage keys are never used twice. */
export const deletePackageContents = job({
  name: 'deletePackageContents',
  input: Type.Object({ keys: Type.Array(Type.String()) }),
  priority: 'low',
  async run({ blobs }: Ctx, { keys }) {
    await mapLimited(keys, parallelDeletions, (key) => blobs.packages.delete(key))
  },
})

/**
 * Applies the owners' clean-up rules. Deletes contents that no file has used for `[cron.cleanup_packages].OLDER_THAN`,
 * and stored
 * files that a crash left without a row.
 */
export const cleanupPackages = (config: Config) =>
  configuredTask('cleanup_packages', config.cronCleanupPackages, async (ctx, run) => {
    const now = nowUnix(ctx.clock)
    const { olderThan } = config.cronCleanupPackages
    await applyAllRules(ctx, run)
    await sweep(ctx, now - Math.floor(olderThan / 1000), run)
    await removeOldUploads(ctx, now - Math.floor(Math.max(olderThan, leastStrayMs) / 1000), run.signal)
    await removeOldInternalFiles(ctx, upstreamVersion, now - keptFromUpstreamsSeconds, run.signal)
    await removeStrayFiles(ctx.blobs.packages, {
      beforeUnix: now - Math.floor(Math.max(olderThan, leastStrayMs) / 1000),
      usedAmong: (keys) => listUsedBlobKeys(ctx.db, keys),
      signal: run.signal,
    })
  })

async function sweep({ db }: Ctx, beforeUnix: Unix, { signal }: JobRun): Promise<void> {
  for await (const blobs of inBatches((after?: PackageBlobId) => listReleasedBlobs(db, beforeUnix, after, batch))) {
    signal.throwIfAborted()
    await transaction(db, async (tx) => {
      const gone = await deleteUnusedBlobs(tx, pluck(blobs, 'id'))
      if (gone.length > 0) await enqueue(tx, deletePackageContents, { keys: gone.map((blob) => blob.blob_key) })
    })
  }
}
