import { wordTable } from '../lib/word-table.ts'

import familySettings from './family-settings.json' with { type: 'json' }

/**
 * Keys and sections of the family that its published list omits. Existing files may contain them, so they are not
 * unknown keys; `config check` reports that they have no effect.
 */
const furtherKnownKeys = wordTable<readonly string[]>({
  server: [
    'APP_ID',
    'ENABLE_LETSENCRYPT',
    'ENABLE_ACME',
    'ACME_ACCEPTTOS',
    'ACME_DIRECTORY',
    'ACME_EMAIL',
    'ACME_URL',
    'ACME_CA_ROOT',
    'LETSENCRYPT_ACCEPTTOS',
    'LETSENCRYPT_DIRECTORY',
    'LETSENCRYPT_EMAIL',
    'REDIRECTOR_USE_PROXY_PROTOCOL',
    'ENABLE_PPROF',
    'PPROF_DATA_PATH',
    'PER_WRITE_TIMEOUT',
    'PER_WRITE_PER_KB_TIMEOUT',
    'STATIC_CACHE_TIME',
    'DISABLE_ROUTER_LOG',
    'SSH_BACKUP_AUTHORIZED_KEYS',
  ],
  database: [
    'CHARSET',
    'CHARSET_COLLATION',
    'SQLITE_JOURNAL_MODE',
    'ITERATE_BUFFER_SIZE',
    'MAX_IDLE_CONNS',
    'CONN_MAX_IDLETIME',
    'AUTO_MIGRATION',
    'URL',
  ],
  session: ['PROVIDER', 'PROVIDER_CONFIG', 'GC_INTERVAL_TIME', 'COOKIE_PATH'],
  metrics: ['ENABLED_ISSUE_BY_LABEL', 'ENABLED_ISSUE_BY_REPOSITORY'],
  'ui.meta': ['AUTHOR', 'DESCRIPTION', 'KEYWORDS'],
  'ui.admin': ['USER_PAGING_NUM', 'REPO_PAGING_NUM', 'NOTICE_PAGING_NUM', 'ORG_PAGING_NUM'],
  'ui.user': ['REPO_PAGING_NUM', 'REPO_PAGING_COUNT'],
  'ui.svg': ['ENABLE_RENDER'],
})

/** Sections of the family with many or arbitrary keys that have no effect here. Every key is accepted. */
const openSections = new Set(['log', 'cache', 'queue', 'task', 'highlight.mapping', 'badges', 'f3'])
/** Sections that accept every subsection, for example `[log.console]` or `[markup.asciidoc]`. */
const openBelow = ['log.', 'cache.', 'queue.', 'markup.', 'f3.']

const known = new Set<string>([
  ...familySettings.map(({ section, key }) => `${section}\n${key}`),
  ...Object.entries(furtherKnownKeys).flatMap(([section, keys]) => keys.map((key) => `${section}\n${key}`)),
])

/** The sections of the family, in lower case. */
export const familySections: readonly string[] = [
  ...new Set([...familySettings.map(({ section }) => section), ...Object.keys(furtherKnownKeys), ...openSections]),
]

/** Returns whether the family defines the key. `section` is lower case, `key` upper case. */
export const isFamilyKey = (section: string, key: string): boolean =>
  known.has(`${section}\n${key}`) || openSections.has(section) || openBelow.some((prefix) => section.startsWith(prefix))
