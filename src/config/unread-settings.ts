import { wordTable } from '../lib/word-table.ts'

/**
 * Declared settings that no code reads, by section. `config check` reports that they have no effect. A test compares
 * the list with the source code.
 */
const unread = wordTable<string>({
  '': 'APP_DISPLAY_NAME_FORMAT RUN_USER',
  camo: 'ALWAYS',
  'cron.archive_cleanup': 'NOTICE_ON_SUCCESS',
  'cron.cancel_abandoned_jobs': 'NOTICE_ON_SUCCESS',
  'cron.check_repo_stats': 'NOTICE_ON_SUCCESS',
  'cron.cleanup_actions': 'NOTICE_ON_SUCCESS',
  'cron.cleanup_hook_task_table': 'NOTICE_ON_SUCCESS',
  'cron.cleanup_packages': 'NOTICE_ON_SUCCESS',
  'cron.delete_abandoned_uploads': 'NOTICE_ON_SUCCESS',
  'cron.delete_inactive_accounts': 'NOTICE_ON_SUCCESS',
  'cron.delete_old_actions': 'NOTICE_ON_SUCCESS',
  'cron.delete_missing_repos': 'NOTICE_ON_SUCCESS',
  'cron.delete_old_system_notices': 'ENABLED NOTICE_ON_SUCCESS OLDER_THAN RUN_AT_START SCHEDULE',
  'cron.delete_repo_archives': 'NOTICE_ON_SUCCESS',
  'cron.deleted_branches_cleanup': 'NOTICE_ON_SUCCESS',
  'cron.gc_lfs': 'NOTICE_ON_SUCCESS',
  'cron.git_gc_repos': 'NOTICE_ON_SUCCESS',
  'cron.reinit_missing_repos': 'NOTICE_ON_SUCCESS',
  'cron.repo_health_check': 'NOTICE_ON_SUCCESS',
  'cron.resync_all_hooks': 'ENABLED NOTICE_ON_SUCCESS RUN_AT_START SCHEDULE',
  'cron.resync_all_sshkeys': 'ENABLED NOTICE_ON_SUCCESS RUN_AT_START SCHEDULE',
  'cron.start_schedule_tasks': 'NOTICE_ON_SUCCESS',
  'cron.stop_endless_tasks': 'NOTICE_ON_SUCCESS',
  'cron.stop_zombie_tasks': 'NOTICE_ON_SUCCESS',
  'cron.sync_external_users': 'NOTICE_ON_SUCCESS',
  'cron.update_checker': 'ENABLED NOTICE_ON_SUCCESS RUN_AT_START SCHEDULE',
  'cron.update_migration_poster_id': 'ENABLED NOTICE_ON_SUCCESS RUN_AT_START SCHEDULE',
  'cron.update_mirrors': 'NOTICE_ON_SUCCESS',
  database: 'CONN_MAX_LIFETIME LOG_SQL SLOW_QUERY_THRESHOLD SQLITE_TIMEOUT',
  git: 'BRANCHES_RANGE_SIZE DISABLE_DIFF_HIGHLIGHT DISABLE_PARTIAL_CLONE GC_ARGS LARGE_OBJECT_THRESHOLD MAX_GIT_DIFF_FILES MAX_GIT_DIFF_LINES MAX_GIT_DIFF_LINE_CHARACTERS VERBOSE_PUSH VERBOSE_PUSH_DELAY',
  'git.reflog': 'ENABLED EXPIRATION',
  'git.timeout': 'CLONE GC GREP',
  indexer:
    'MAX_FILE_SIZE REPO_INDEXER_ENABLED REPO_INDEXER_EXCLUDE REPO_INDEXER_EXCLUDE_VENDORED REPO_INDEXER_INCLUDE REPO_INDEXER_REPO_TYPES',
  ingot: 'MAX_HIGHLIGHT_SIZE',
  markup: 'FILEPREVIEW_MAX_LINES',
  moderation: 'ENABLED',
  oauth2: 'ENABLE_ADDITIONAL_GRANT_SCOPES JWT_SECRET MAX_TOKEN_LENGTH',
  other: 'ENABLE_SITEMAP SHOW_FOOTER_POWERED_BY SHOW_FOOTER_VERSION',
  packages: 'REGISTRY_HOST',
  picture:
    'DISABLE_GRAVATAR ENABLE_FEDERATED_AVATAR GRAVATAR_SOURCE REPOSITORY_AVATAR_FALLBACK REPOSITORY_AVATAR_FALLBACK_IMAGE',
  project: 'PROJECT_BOARD_BASIC_KANBAN_TYPE PROJECT_BOARD_BUG_TRIAGE_TYPE',
  repository:
    'ACCESS_CONTROL_ALLOW_ORIGIN ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES ALLOW_DELETE_OF_UNADOPTED_REPOSITORIES ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT DEFAULT_PRIVATE SETTABLE_FLAGS',
  'repository.editor': 'LINE_WRAP_EXTENSIONS',
  'repository.issue': 'LOCK_REASONS',
  'repository.pull-request':
    'ADD_CO_COMMITTER_TRAILERS DEFAULT_MERGE_MESSAGE_ALL_AUTHORS DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY DEFAULT_MERGE_MESSAGE_SIZE POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES RETARGET_CHILDREN_ON_MERGE',

  security: 'IMPORT_LOCAL_PATHS INTERNAL_TOKEN SUCCESSFUL_TOKENS_CACHE_SIZE',
  server: 'GRACEFUL_HAMMER_TIME OFFLINE_MODE SSH_EXPOSE_ANONYMOUS STATIC_URL_PREFIX USE_PROXY_PROTOCOL',
  service: 'AUTO_WATCH_ON_CHANGES USER_DELETE_WITH_COMMENTS_MAX_TIME USER_LOCATION_MAP_URL',
  'ssh.minimum_key_sizes': 'DSA',
  time: 'DEFAULT_UI_LOCATION',
  ui: 'AMBIGUOUS_UNICODE_DETECTION CODE_COMMENT_LINES GRAPH_MAX_COMMIT_NUM ONLY_SHOW_RELEVANT_REPOS PACKAGES_PAGING_NUM PREFERRED_TIMESTAMP_TENSE REACTION_MAX_USER_NUM SHOW_USER_EMAIL SITEMAP_PAGING_NUM THEMES',
})

const unreadKeys = new Set(
  Object.entries(unread).flatMap(([section, keys]) => keys.split(' ').map((key) => `${section}\n${key}`)),
)

/** Returns whether a declared setting has no effect. `section` is lower case, `key` upper case. */
export const isUnread = (section: string, key: string): boolean => unreadKeys.has(`${section}\n${key}`)
