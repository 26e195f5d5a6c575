import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import type { JobRun } from '../../jobs/job.ts'
import { nowUnix } from '../../lib/time.ts'
import { removeArchives } from './archive-removal.service.ts'
import { listArchivesBefore } from './archive.store.ts'

const batchSize = 100

/** Deletes old archives (`[cron.archive_cleanup].OLDER_THAN`); they are made again on request. */
export const archiveCleanup = (config: Config) =>
  configuredTask('archive_cleanup', config.cronArchiveCleanup, (ctx, run) =>
    removeArchivesBefore(ctx, run, nowUnix(ctx.clock) - Math.floor(config.cronArchiveCleanup.olderThan / 1000)),
  )

/** Deletes all archives that exist when it starts, for administrators who need disk space. */
export const deleteRepoArchives = (config: Config) =>
  configuredTask('delete_repo_archives', config.cronDeleteRepoArchives, (ctx, run) =>
    removeArchivesBefore(ctx, run, nowUnix(ctx.clock) + 1),
  )

async function removeArchivesBefore(ctx: Ctx, run: JobRun, beforeUnix: number): Promise<void> {
  let done = 0
  for (;;) {
    run.signal.throwIfAborted()
    const rows = await listArchivesBefore(ctx.db, beforeUnix, batchSize)
    if (rows.length === 0) return
    await removeArchives(ctx, rows)
    done += rows.length
    run.progress({ done })
  }
}
