import { configuredTask } from '../access/task.ts'
import type { Config } from '../config/load-config.ts'
import { transaction } from '../db/database.ts'
import { nowUnix } from '../lib/time.ts'
import { deleteDeletedBranches } from './repo-scan.store.ts'

/** Forgets branches that were deleted a while ago. */
export const deletedBranchesCleanup = (config: Config) =>
  configuredTask('deleted_branches_cleanup', config.cronDeletedBranchesCleanup, async (ctx) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.cronDeletedBranchesCleanup.olderThan / 1000)
    await transaction(ctx.db, (tx) => deleteDeletedBranches(tx, beforeUnix))
  })
