import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { forgetDeletedRefs } from './leftovers.service.ts'

/** Deletes the rows of branches that were deleted long ago. */
export const deletedBranchesCleanup = (config: Config) =>
  configuredTask('deleted_branches_cleanup', config.cronDeletedBranchesCleanup, (ctx) =>
    forgetDeletedRefs(ctx, Math.round(config.cronDeletedBranchesCleanup.olderThan / 1000)),
  )
