import { bool, choice, defineSection, durationMs, int, list, schedule } from '../setting.ts'

/** The defaults of one periodic task. */
interface Task {
  readonly enabled: boolean
  readonly runAtStart: boolean
  readonly schedule: string
}

const taskKeys = (task: Task) => ({
  enabled: bool('ENABLED', task.enabled, 'whether the task runs on its schedule'),
  runAtStart: bool('RUN_AT_START', task.runAtStart, 'whether the task also runs when the server starts'),
  noticeOnSuccess: bool('NOTICE_ON_SUCCESS', false, 'whether each successful run creates a notice for administrators'),
  schedule: schedule('SCHEDULE', task.schedule, 'schedule of the task'),
})

const olderThan = (defaultText: string, what: string) => durationMs('OLDER_THAN', defaultText, `minimum age of ${what}`)

const daily: Task = { enabled: true, runAtStart: true, schedule: '@midnight' }
const rarely: Task = { enabled: false, runAtStart: false, schedule: '@every 72h' }

/** The defaults of all tasks. */
export const cron = defineSection('cron', {
  enabled: bool('ENABLED', true, 'false disables every task without its own ENABLED = true'),
  runAtStart: bool('RUN_AT_START', false, 'true runs every task when the server starts'),
})

export const cronArchiveCleanup = defineSection('cron.archive_cleanup', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'deleted source archives'),
})
export const cronCancelAbandonedJobs = defineSection('cron.cancel_abandoned_jobs', {
  ...taskKeys({ enabled: true, runAtStart: true, schedule: '@every 6h' }),
})
export const cronCheckRepoStats = defineSection('cron.check_repo_stats', taskKeys(daily))
export const cronCleanupActions = defineSection('cron.cleanup_actions', taskKeys(daily))
export const cronCleanupHookTaskTable = defineSection('cron.cleanup_hook_task_table', {
  ...taskKeys({ ...daily, runAtStart: false }),
  cleanupType: choice(
    'CLEANUP_TYPE',
    ['OlderThan', 'PerWebhook'],
    'OlderThan',
    'rule that selects the deleted deliveries',
  ),
  olderThan: olderThan('168h', 'deleted deliveries'),
  numberToKeep: int('NUMBER_TO_KEEP', 10, 'number of deliveries kept for each webhook'),
})
export const cronCleanupPackages = defineSection('cron.cleanup_packages', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'deleted unused package files'),
})
export const cronDeleteAbandonedUploads = defineSection('cron.delete_abandoned_uploads', {
  ...taskKeys({ ...daily, runAtStart: false }),
  olderThan: olderThan('24h', 'deleted partial uploads, counted from the last added part'),
})
export const cronDeleteInactiveAccounts = defineSection('cron.delete_inactive_accounts', {
  ...taskKeys({ ...rarely, schedule: '@annually' }),
  olderThan: olderThan('168h', 'deleted accounts that were never activated'),
})
export const cronDeleteMissingRepos = defineSection('cron.delete_missing_repos', taskKeys(rarely))
export const cronDeleteOldActions = defineSection('cron.delete_old_actions', {
  ...taskKeys({ ...rarely, schedule: '@every 168h' }),
  olderThan: olderThan('8760h', 'deleted feed entries'),
})
export const cronDeleteOldSystemNotices = defineSection('cron.delete_old_system_notices', {
  ...taskKeys({ ...rarely, schedule: '@every 168h' }),
  olderThan: olderThan('8760h', 'deleted notices'),
})
export const cronDeleteRepoArchives = defineSection(
  'cron.delete_repo_archives',
  taskKeys({ ...rarely, schedule: '@annually' }),
)
export const cronDeletedBranchesCleanup = defineSection('cron.deleted_branches_cleanup', {
  ...taskKeys(daily),
  olderThan: olderThan('24h', 'deleted records of removed branches'),
})
export const cronGcLfs = defineSection('cron.gc_lfs', {
  ...taskKeys({ ...rarely, schedule: '@every 24h' }),
  olderThan: olderThan('168h', 'deleted unreferenced LFS objects'),
  lastUpdatedMoreThanAgo: durationMs(
    'LAST_UPDATED_MORE_THAN_AGO',
    '72h',
    'minimum time between two checks of an LFS object',
  ),
  numberToCheckPerRepo: int(
    'NUMBER_TO_CHECK_PER_REPO',
    100,
    'maximum number of LFS objects checked per repository; 0 is no limit',
  ),
})
export const cronGitGcRepos = defineSection('cron.git_gc_repos', {
  ...taskKeys(rarely),
  timeout: durationMs('TIMEOUT', '60s', 'timeout for each repository'),
  args: list('ARGS', [], 'additional arguments of git gc'),
})
export const cronReinitMissingRepos = defineSection('cron.reinit_missing_repos', taskKeys(rarely))
export const cronRepoHealthCheck = defineSection('cron.repo_health_check', {
  ...taskKeys({ ...daily, runAtStart: false }),
  timeout: durationMs('TIMEOUT', '60s', 'timeout for each repository'),
  args: list('ARGS', [], 'additional arguments of git fsck'),
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
  updateExisting: bool('UPDATE_EXISTING', true, 'whether existing users are updated, or only new users created'),
})
export const cronUpdateChecker = defineSection('cron.update_checker', {
  ...taskKeys({ enabled: false, runAtStart: false, schedule: '@every 168h' }),
})
export const cronUpdateMigrationPosterId = defineSection('cron.update_migration_poster_id', taskKeys(daily))
export const cronUpdateMirrors = defineSection('cron.update_mirrors', {
  ...taskKeys({ enabled: true, runAtStart: false, schedule: '@every 10m' }),
  pullLimit: int('PULL_LIMIT', 50, 'maximum number of pull mirrors updated per run; 0 is no limit'),
  pushLimit: int('PUSH_LIMIT', 50, 'maximum number of push mirrors updated per run; 0 is no limit'),
})
