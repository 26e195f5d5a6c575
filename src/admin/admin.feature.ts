import type { Feature } from '../access/feature.ts'
import * as healthRoutes from './health.routes.ts'
import * as metricsRoutes from './metrics.routes.ts'
import * as cronRoutes from './cron.routes.ts'
import * as eventRoutes from './event.routes.ts'
import * as adminJobRoutes from './job.routes.ts'
import * as adminUserRoutes from './user.routes.ts'
import * as accountRoutes from './account.routes.ts'
import { clearEvents } from './clear-events.task.ts'
import { checkRepoStats } from './check-repo-stats.task.ts'
import { deletedBranchesCleanup } from './deleted-branches-cleanup.task.ts'
import { deleteMissingRepos } from './delete-missing-repos.task.ts'
import { gitGcRepos } from './git-gc-repos.task.ts'
import { reinitMissingRepos } from './reinit-missing-repos.task.ts'
import { repoHealthCheck } from './repo-health-check.task.ts'
import { deleteAbandonedUploads } from './delete-abandoned-uploads.task.ts'
import { deleteExpiredSessions } from './delete-expired-sessions.task.ts'

/** Administration of the instance: accounts, tasks, jobs, health and figures. */
export const admin: Feature = {
  routes: [healthRoutes, metricsRoutes, cronRoutes, eventRoutes, adminJobRoutes, adminUserRoutes, accountRoutes],
  schedules: (config) => [
    checkRepoStats(config),
    deletedBranchesCleanup(config),
    deleteMissingRepos(config),
    gitGcRepos(config),
    reinitMissingRepos(config),
    repoHealthCheck(config),
    deleteAbandonedUploads(config),
    deleteExpiredSessions,
    clearEvents,
  ],
}
