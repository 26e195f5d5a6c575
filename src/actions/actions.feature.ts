import type { Feature } from '../access/feature.ts'
import * as artifactListRoutes from './artifacts/artifact-list.routes.ts'
import * as artifactPageRoutes from './artifacts/artifact-page.routes.ts'
import * as artifactV3Routes from './artifacts/artifact-v3.routes.ts'
import * as artifactV4Routes from './artifacts/artifact-v4.routes.ts'
import { artifactUsage } from './artifacts/artifact.service.ts'
import { pageOfOwnedArtifacts } from './artifacts/artifact.store.ts'
import * as cacheRoutes from './caches/cache.routes.ts'
import * as cacheV1Routes from './caches/cache-v1.routes.ts'
import * as cacheV2Routes from './caches/cache-v2.routes.ts'
import { cleanupActions } from './cleanup-actions.task.ts'
import * as environmentRoutes from './environments/environment.routes.ts'
import * as ownedListRoutes from './owned/owned-list.routes.ts'
import * as reportRoutes from './logs/report.routes.ts'
import * as logRoutes from './logs/log.routes.ts'
import { storeLog } from './logs/log.service.ts'
import * as identityRoutes from './identity/identity.routes.ts'
import { knownMasks, masksPurpose } from './logs/mask.service.ts'
import { deleteRunFiles, endClosingLog } from './logs/log.subscribers.ts'
import { waitingRunners } from './protocol/waiting-runners.ts'
import * as runnerRoutes from './protocol/runner.routes.ts'
import { jobTokens } from './runners/job.credentials.ts'
import * as runnerControlRoutes from './runners/runner-control.routes.ts'
import { runnerTokens } from './runners/runner.credentials.ts'
import { endRunnersOfFormerOwner, endTokensKnownToPerson, endTokensKnownToTeam } from './runners/runner.subscribers.ts'
import { registrationPurpose } from './runners/runner.service.ts'
import { queueOfAccount, queueOfRepo } from './queue.owned.ts'
import { actionCounters } from './runs/counter.store.ts'
import { cancelStoppedJobs, stopTasksOfFormerOwner } from './runs/transfer.subscribers.ts'
import * as dispatchRoutes from './dispatches/dispatch.routes.ts'
import { offerJobsAnew, planPlannableJobs } from './runs/queue.subscribers.ts'
import * as controlRoutes from './runs/run-control.routes.ts'
import * as workflowListRoutes from './workflows/workflow-list.routes.ts'
import * as runRoutes from './runs/run.routes.ts'
import { startScheduleTasks } from './schedules/start-schedule-tasks.task.ts'
import { cancelAbandonedJobs, stopEndlessTasks, stopZombieTasks } from './runs/time-limits.task.ts'
import * as actionSecretRoutes from './secrets/secret.routes.ts'
import { secretPurpose } from './secrets/secret.service.ts'
import * as actionVariableRoutes from './variables/variable.routes.ts'

/** Workflows: secrets and variables, runs, runners, logs, artifacts and caches. */
export const actions: Feature = {
  routes: [
    actionSecretRoutes,
    actionVariableRoutes,
    runRoutes,
    controlRoutes,
    dispatchRoutes,
    runnerControlRoutes,
    runnerRoutes,
    logRoutes,
    reportRoutes,
    ownedListRoutes,
    environmentRoutes,
    artifactV4Routes,
    artifactV3Routes,
    artifactPageRoutes,
    artifactListRoutes,
    cacheV2Routes,
    cacheV1Routes,
    cacheRoutes,
    identityRoutes,
    workflowListRoutes,
  ],
  subscribers: [
    deleteRunFiles,
    endClosingLog,
    offerJobsAnew,
    planPlannableJobs,
    endRunnersOfFormerOwner,
    endTokensKnownToTeam,
    endTokensKnownToPerson,
    stopTasksOfFormerOwner,
    cancelStoppedJobs,
  ],
  counters: actionCounters,
  credentials: [jobTokens, runnerTokens],
  jobs: [storeLog],
  schedules: (config) => [
    startScheduleTasks(config),
    stopZombieTasks(config),
    stopEndlessTasks(config),
    cancelAbandonedJobs(config),
    cleanupActions(config),
  ],
  services: [knownMasks, waitingRunners],
  sealed: [
    { table: 'action_secret', column: 'sealed', purpose: secretPurpose },
    { table: 'action_registration_token', column: 'sealed', purpose: registrationPurpose },
    { table: 'action_task', column: 'masks', purpose: masksPurpose },
  ],
  files: [
    { table: 'action_task', column: 'log_key', store: 'actionsLog' },
    { table: 'action_artifact', column: 'blob_key', store: 'actionsArtifacts' },
    { table: 'action_artifact_block', column: 'blob_key', store: 'actionsArtifacts' },
    { table: 'action_cache', column: 'blob_key', store: 'actionsArtifacts' },
    { table: 'action_cache_block', column: 'blob_key', store: 'actionsArtifacts' },
  ],
  usage: [artifactUsage],
  owns: [queueOfAccount, queueOfRepo],
  storedArtifacts: pageOfOwnedArtifacts,
}
