import { configuredTask } from '../access/task.ts'
import { listUsedBlobKeys } from '../attachments/attachment.store.ts'
import { removeOldPendingFiles } from '../attachments/pending-file.service.ts'
import type { Config } from '../config/load-config.ts'
import { nowUnix } from '../lib/time.ts'
import { removeStrayFiles } from '../storage/stray-files.ts'

/** A file without a row may have just arrived, or belong to an import in progress. */
const leastStrayMs = 24 * 3_600_000

/**
 * Deletes multipart uploads without progress (`[cron.delete_abandoned_uploads].OLDER_THAN`), unfinished files of dead
 * processes in every store, attached files that no text shows, and attachments without a row.
 */
export const deleteAbandonedUploads = (config: Config) =>
  configuredTask('delete_abandoned_uploads', config.cronDeleteAbandonedUploads, async (ctx, run) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.cronDeleteAbandonedUploads.olderThan / 1000)
    let done = 0
    for (const blobs of Object.values(ctx.blobs)) {
      done += await blobs.uploads.removeAbandoned(beforeUnix, run.signal)
      run.progress({ done })
    }
    const { olderThan } = config.cronDeleteAbandonedUploads
    await removeOldPendingFiles(ctx)
    await removeStrayFiles(ctx.blobs.attachments, {
      beforeUnix: nowUnix(ctx.clock) - Math.round(Math.max(olderThan, leastStrayMs) / 1000),
      usedAmong: (keys) => listUsedBlobKeys(ctx.db, keys),
      signal: run.signal,
    })
  })
