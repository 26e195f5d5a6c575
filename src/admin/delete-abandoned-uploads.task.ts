import { configuredTask } from '../access/task.ts'
import type { Config } from '../config/load-config.ts'
import { nowUnix } from '../lib/time.ts'

/**
 * Removes uploads in parts that nobody went on with (`[cron.delete_abandoned_uploads].OLDER_THAN`), and unfinished files
 * of processes that died, from every store.
 */
export const deleteAbandonedUploads = (config: Config) =>
  configuredTask('delete_abandoned_uploads', config.cronDeleteAbandonedUploads, async (ctx, run) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.cronDeleteAbandonedUploads.olderThan / 1000)
    let done = 0
    for (const blobs of Object.values(ctx.blobs)) {
      done += await blobs.uploads.removeAbandoned(beforeUnix, run.signal)
      run.progress({ done })
    }
  })
