import type { Feature } from '../access/feature.ts'
import * as healthRoutes from './health.routes.ts'
import * as metricsRoutes from './metrics.routes.ts'
import * as cronRoutes from './cron.routes.ts'
import * as eventRoutes from './event.routes.ts'
import * as adminJobRoutes from './job.routes.ts'
import * as adminUserRoutes from './user.routes.ts'
import * as unadoptedRoutes from './unadopted.routes.ts'
import * as accountRoutes from './account.routes.ts'
import { clearEvents } from './clear-events.task.ts'
import { checkRepoStats } from './check-repo-stats.task.ts'
import { deleteInactiveAccounts } from './delete-inactive-accounts.task.ts'
import { deleteAbandonedUploads } from './delete-abandoned-uploads.task.ts'
import { resealAfterKeyChange, resealSecrets } from './reseal-secrets.job.ts'
import { countersCheck, filesCheck, jobsCheck } from './doctor-checks.service.ts'

/** Administration of the instance: accounts, tasks, jobs, health and figures. */
export const admin: Feature = {
  routes: [
    healthRoutes,
    metricsRoutes,
    cronRoutes,
    eventRoutes,
    adminJobRoutes,
    adminUserRoutes,
    accountRoutes,
    unadoptedRoutes,
  ],
  jobs: [resealSecrets],
  begin: resealAfterKeyChange,
  schedules: (config) => [
    checkRepoStats(config),
    deleteAbandonedUploads(config),
    deleteInactiveAccounts(config),
    clearEvents,
  ],
  doctor: [filesCheck, countersCheck, jobsCheck],
}
