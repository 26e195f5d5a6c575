import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction } from '../../db/database.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteTombstones } from './ref.store.ts'

/** Deletes the rows of branches that were deleted long ago. */
export const deletedBranchesCleanup = (config: Config) =>
  configuredTask('deleted_branches_cleanup', config.cronDeletedBranchesCleanup, async (ctx) => {
    const before = nowUnix(ctx.clock) - Math.round(config.cronDeletedBranchesCleanup.olderThan / 1000)
    await transaction(ctx.db, (tx) => deleteTombstones(tx, before))
  })
