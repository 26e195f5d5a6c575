import { bool, choice, defineSection, durationMs, int, list, schedule } from '../setting.ts'

/** Defaults of one periodic task. */
interface Task {
  readonly enabled: boolean
  readonly runAtStart: boolean
  readonly schedule: string
}

const taskKeys = (task: Task) => ({
  enabled: bool('ENABLED', task.enabled, 'whether the task runs by itself'),
  runAtStart: bool('RUN_AT_START', task.runAtStart, 'whether it also runs when the server starts'),
  noticeOnSuccess: bool('NOTICE_ON_SUCCESS', false, 'whether each run leaves a notice for administrators'),
  schedule: schedule('SCHEDULE', task.schedule, 'when it runs'),
})

const olderThan = (defaultText: string, what: string) => durationMs('OLDER_THAN', defaultText, `age of ${what}`)

const daily: Task = { enabled: true, runAtStart: true, schedule: '@midnight' }
const rarely: Task = { enabled: false, runAtStart: false, schedule: '@every 72h' }

/** Keys here count for every task that does not say otherwise, as in the family. */
export const cron = defineSection('cron', {
  enabled: bool('ENABLED', true, 'false turns every task off that has no ENABLED = true of its own'),
  runAtStart: bool('RUN_AT_START', false, 'true runs every task when the server starts'),
})

export const cronArchiveCleanup = defineSection('cron.archive_cleanup', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'source archives that are deleted'),
})
export const cronCancelAbandonedJobs = defineSection('cron.cancel_abandoned_jobs', {
  ...taskKeys({ enabled: true, runAtStart: true, schedule: '@every 6h' }),
})
export const cronCheckRepoStats = defineSection('cron.check_repo_stats', taskKeys(daily))
export const cronCleanupActions = defineSection('cron.cleanup_actions', taskKeys(daily))
export const cronCleanupHookTaskTable = defineSection('cron.cleanup_hook_task_table', {
  ...taskKeys({ ...daily, runAtStart: false }),
  cleanupType: choice('CLEANUP_TYPE', ['OlderThan', 'PerWebhook'], 'OlderThan', 'which deliveries are deleted'),
  olderThan: olderThan('168h', 'deliveries that are deleted'),
  numberToKeep: int('NUMBER_TO_KEEP', 10, 'deliveries kept of each webhook'),
})
export const cronCleanupPackages = defineSection('cron.cleanup_packages', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'unused package files that are deleted'),
})
export const cronDeleteAbandonedUploads = defineSection('cron.delete_abandoned_uploads', {
  ...taskKeys({ ...daily, runAtStart: false }),
  olderThan: olderThan('24h', 'uploads in parts that are given up: nothing was added to them for so long'),
})
export const cronDeleteInactiveAccounts = defineSection('cron.delete_inactive_accounts', {
  ...taskKeys({ ...rarely, schedule: '@annually' }),
  olderThan: olderThan('168h', 'never activated accounts that are deleted'),
})
export const cronDeleteMissingRepos = defineSection('cron.delete_missing_repos', taskKeys(rarely))
export const cronDeleteOldActions = defineSection('cron.delete_old_actions', {
  ...taskKeys({ ...rarely, schedule: '@every 168h' }),
  olderThan: olderThan('8760h', 'feed rows that are deleted'),
})
export const cronDeleteOldSystemNotices = defineSection('cron.delete_old_system_notices', {
  ...taskKeys({ ...rarely, schedule: '@every 168h' }),
  olderThan: olderThan('8760h', 'notices that are deleted'),
})
export const cronDeleteRepoArchives = defineSection(
  'cron.delete_repo_archives',
  taskKeys({ ...rarely, schedule: '@annually' }),
)
export const cronDeletedBranchesCleanup = defineSection('cron.deleted_branches_cleanup', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'records of deleted branches that are deleted'),
})
export const cronGcLfs = defineSection('cron.gc_lfs', {
  ...taskKeys({ ...rarely, schedule: '@every 24h' }),
  olderThan: olderThan('168h', 'unreferenced LFS objects that are deleted'),
  lastUpdatedMoreThanAgo: durationMs(
    'LAST_UPDATED_MORE_THAN_AGO',
    '72h',
    'only objects not looked at for so long are checked',
  ),
  numberToCheckPerRepo: int('NUMBER_TO_CHECK_PER_REPO', 100, 'objects checked in each repository; 0 is all'),
})
export const cronGitGcRepos = defineSection('cron.git_gc_repos', {
  ...taskKeys(rarely),
  timeout: durationMs('TIMEOUT', '60s', 'longest run for one repository'),
  args: list('ARGS', [], 'further arguments of git gc'),
})
export const cronReinitMissingRepos = defineSection('cron.reinit_missing_repos', taskKeys(rarely))
export const cronRepoHealthCheck = defineSection('cron.repo_health_check', {
  ...taskKeys({ ...daily, runAtStart: false }),
  timeout: durationMs('TIMEOUT', '60s', 'longest run for one repository'),
  args: list('ARGS', [], 'further arguments of git fsck'),
})
export const cronResyncAllHooks = defineSection('cron.resync_all_hooks', taskKeys(rarely))
export const cronResyncAllSshkeys = defineSection('cron.resync_all_sshkeys', taskKeys(rarely))
export const cronStartScheduleTasks = defineSection('cron.start_schedule_tasks', {
  ...taskKeys({ enabled: true, runAtStart: false, schedule: '@every 1m' }),
})
export const cronStopEndlessTasks = defineSection('cron.stop_endless_tasks', {
  ...taskKeys({ enabled: true, runAtStart: true, schedule: '@every 30m' }),
})
export const cronStopZombieTasks = defineSection('cron.stop_zombie_tasks', {
  ...taskKeys({ enabled: true, runAtStart: true, schedule: '@every 5m' }),
})
export const cronSyncExternalUsers = defineSection('cron.sync_external_users', {
  ...taskKeys({ ...daily, runAtStart: false }),
  updateExisting: bool('UPDATE_EXISTING', true, 'whether known users are updated, or only new ones made'),
})
export const cronUpdateChecker = defineSection('cron.update_checker', {
  ...taskKeys({ enabled: false, runAtStart: false, schedule: '@every 168h' }),
})
export const cronUpdateMigrationPosterId = defineSection('cron.update_migration_poster_id', taskKeys(daily))
export const cronUpdateMirrors = defineSection('cron.update_mirrors', {
  ...taskKeys({ enabled: true, runAtStart: false, schedule: '@every 10m' }),
  pullLimit: int('PULL_LIMIT', 50, 'pull mirrors updated in one run; 0 is all'),
  pushLimit: int('PUSH_LIMIT', 50, 'push mirrors updated in one run; 0 is all'),
})
