import type { Feature } from '../access/feature.ts'
import * as healthRoutes from './health.routes.ts'
import * as metricsRoutes from './metrics.routes.ts'
import * as cronRoutes from './jobs/cron.routes.ts'
import * as eventRoutes from './events/event.routes.ts'
import * as adminJobRoutes from './jobs/job.routes.ts'
import * as adminUserRoutes from './accounts/user.routes.ts'
import * as auditRoutes from './audit/audit.routes.ts'
import * as unadoptedRoutes from './unadopted/unadopted.routes.ts'
import * as accountRoutes from './accounts/account.routes.ts'
import { auditAccounts, auditInvitations, auditRepositories, auditTeams } from './audit/audit.subscribers.ts'
import { clearAuditLog } from './audit/clear-audit-log.task.ts'
import { clearEvents } from './events/clear-events.task.ts'
import { checkRepoStats } from './doctor/check-repo-stats.task.ts'
import { deleteInactiveAccounts } from './accounts/delete-inactive-accounts.task.ts'
import { deleteAbandonedUploads } from './delete-abandoned-uploads.task.ts'
import { deleteUnpinned } from './backup/held-deletions.ts'
import { identityCheck } from './identity/identity-check.ts'
import { resealAfterKeyChange, resealSecrets } from './reseal-secrets.job.ts'
import { auditStreamSlots, eventStreamSlots } from './stream-slots.ts'
import { countersCheck, filesCheck, jobsCheck } from './doctor/doctor-checks.service.ts'

/** Administration of the instance: accounts, tasks, jobs, health and metrics. */
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
    auditRoutes,
  ],
  subscribers: [auditAccounts, auditTeams, auditRepositories, auditInvitations],
  services: [eventStreamSlots, auditStreamSlots],
  jobs: [resealSecrets, deleteUnpinned],
  begin: resealAfterKeyChange,
  schedules: (config) => [
    checkRepoStats(config),
    deleteAbandonedUploads(config),
    deleteInactiveAccounts(config),
    clearEvents,
    clearAuditLog,
  ],
  doctor: [identityCheck, filesCheck, countersCheck, jobsCheck],
}
