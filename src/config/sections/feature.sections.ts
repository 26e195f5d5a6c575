import { bool, bytes, choice, defineSection, durationMs, int, list, secret, text, url } from '../setting.ts'

export const attachment = defineSection('attachment', {
  enabled: bool('ENABLED', true, 'whether files can be attached to issues, comments and releases'),
  allowedTypes: text(
    'ALLOWED_TYPES',
    '.avif,.cpuprofile,.csv,.dmp,.docx,.fodg,.fodp,.fods,.fodt,.gif,.gz,.jpeg,.jpg,.json,.jsonc,.log,.md,.mov,.mp4,' +
      '.odf,.odg,.odp,.ods,.odt,.patch,.pdf,.png,.pptx,.svg,.tgz,.txt,.webm,.webp,.xls,.xlsx,.zip',
    'allowed extensions and media types, separated by commas; empty is all',
  ),
  maxSize: int('MAX_SIZE', 2048, 'maximum size of a file, in MiB'),
  maxFiles: int('MAX_FILES', 5, 'maximum number of files in one upload'),
})

export const picture = defineSection('picture', {
  avatarMaxWidth: int('AVATAR_MAX_WIDTH', 4096, 'maximum width of an uploaded avatar, in pixels', {
    min: 1,
    max: 65_535,
  }),
  avatarMaxHeight: int('AVATAR_MAX_HEIGHT', 4096, 'maximum height of an uploaded avatar, in pixels', {
    min: 1,
    max: 65_535,
  }),
  avatarMaxFileSize: bytes('AVATAR_MAX_FILE_SIZE', '1048576', 'maximum size of an uploaded avatar, in bytes'),
  avatarMaxOriginSize: bytes(
    'AVATAR_MAX_ORIGIN_SIZE',
    '262144',
    'size up to which an avatar is stored unchanged, in bytes',
  ),
  avatarRenderedSizeFactor: int('AVATAR_RENDERED_SIZE_FACTOR', 2, 'ratio of stored to displayed pixels of an avatar', {
    min: 1,
    max: 8,
  }),
  disableGravatar: bool('DISABLE_GRAVATAR', true, 'whether avatars from GRAVATAR_SOURCE are disabled'),
  gravatarSource: text('GRAVATAR_SOURCE', 'gravatar', 'gravatar, duoshuo, or the URL of a compatible service'),
  enableFederatedAvatar: bool(
    'ENABLE_FEDERATED_AVATAR',
    false,
    'whether avatars are looked up at the domain of the email address',
  ),
  repositoryAvatarFallback: choice(
    'REPOSITORY_AVATAR_FALLBACK',
    ['none', 'random', 'image'],
    'none',
    'avatar of a repository without its own',
  ),
  repositoryAvatarFallbackImage: text(
    'REPOSITORY_AVATAR_FALLBACK_IMAGE',
    '/img/repo_default.png',
    'image for REPOSITORY_AVATAR_FALLBACK = image',
  ),
})

export const camo = defineSection('camo', {
  enabled: bool('ENABLED', false, 'whether pages load images of other servers through a proxy'),
  serverUrl: url('SERVER_URL', '', 'URL of the image proxy'),
  hmacKey: secret('HMAC_KEY', 'key shared with the image proxy'),
  always: bool('ALWAYS', false, 'whether https images are also loaded through the proxy', { aliases: ['ALLWAYS'] }),
})

export const mailer = defineSection('mailer', {
  enabled: bool('ENABLED', false, 'whether mail is sent'),
  protocol: choice(
    'PROTOCOL',
    ['smtp', 'smtps', 'smtp+starttls', 'smtp+unix', 'sendmail', 'dummy'],
    'smtp',
    'protocol for sending mail; dummy only logs mail',
    { synonyms: { starttls: 'smtp+starttls' } },
  ),
  smtpAddr: text('SMTP_ADDR', '', 'mail server, or the path of its Unix socket'),
  smtpPort: int('SMTP_PORT', 0, 'port of the mail server; 0 is the default port of the protocol', { max: 65535 }),
  from: text('FROM', '', 'sender, such as "Ingot" <noreply@example.com>'),
  envelopeFrom: text('ENVELOPE_FROM', '', 'envelope sender; empty is the address in FROM, <> is the null sender'),
  user: text('USER', '', 'user at the mail server'),
  passwd: secret('PASSWD', 'password of the user'),
  subjectPrefix: text('SUBJECT_PREFIX', '', 'prefix of every subject'),
  sendAsPlainText: bool('SEND_AS_PLAIN_TEXT', false, 'whether mail has no HTML part'),
  sendBufferLen: int('SEND_BUFFER_LEN', 100, 'maximum number of queued mails', { min: 1 }),
  enableHelo: bool('ENABLE_HELO', true, 'whether the client sends HELO_HOSTNAME in HELO'),
  heloHostname: text('HELO_HOSTNAME', '', 'name sent in HELO; empty is the host name of the machine'),
  forceTrustServerCert: bool('FORCE_TRUST_SERVER_CERT', false, 'whether certificates are not verified', {
    aliases: ['SKIP_VERIFY'],
  }),
  useClientCert: bool('USE_CLIENT_CERT', false, 'whether the client presents a certificate'),
  clientCertFile: text('CLIENT_CERT_FILE', '', 'client certificate, in PEM'),
  clientKeyFile: text('CLIENT_KEY_FILE', '', 'private key of the client certificate, in PEM'),
  sendmailPath: text('SENDMAIL_PATH', 'sendmail', 'path of the sendmail program'),
  sendmailTimeout: durationMs('SENDMAIL_TIMEOUT', '5m', 'timeout of the sendmail program'),
})

export const emailIncoming = defineSection('email.incoming', {
  enabled: bool('ENABLED', false, 'whether replies to mails become comments'),
  host: text('HOST', '', 'IMAP server that has the mailbox'),
  port: int('PORT', 0, 'port of the IMAP server; 0 is the default port', { max: 65535 }),
  username: text('USERNAME', '', 'user at the IMAP server', { aliases: ['USER'] }),
  password: secret('PASSWORD', 'password of the user', { aliases: ['PASSWD'] }),
  useTls: bool('USE_TLS', false, 'whether the connection starts with TLS; false uses STARTTLS if the server offers it'),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether certificates are not verified'),
  mailbox: text('MAILBOX', 'INBOX', 'mailbox that receives the replies'),
  replyToAddress: text('REPLY_TO_ADDRESS', '', 'reply address, with %{token} before the @'),
  maximumMessageSize: bytes('MAXIMUM_MESSAGE_SIZE', '10485760', 'maximum size of a mail that is read'),
  deleteHandledMessage: bool('DELETE_HANDLED_MESSAGE', true, 'whether processed mails are deleted'),
})

export const webhook = defineSection('webhook', {
  allowedHostList: list(
    'ALLOWED_HOST_LIST',
    ['external'],
    'allowed targets of webhooks: external, private, loopback, *, networks, host globs',
  ),
  deliverTimeout: int('DELIVER_TIMEOUT', 5, 'timeout of a delivery, in seconds', { min: 1, max: 600 }),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether certificates are not verified'),
  pagingNum: int('PAGING_NUM', 10, 'deliveries per page', { min: 1, max: 1000 }),
  payloadCommitLimit: int('PAYLOAD_COMMIT_LIMIT', 15, 'maximum number of commits in the payload of a push', {
    min: 1,
    max: 1000,
  }),
  proxyUrl: url('PROXY_URL', '', 'HTTP proxy for deliveries'),
  proxyHosts: list('PROXY_HOSTS', [], 'hosts (globs) that deliveries reach through PROXY_URL; empty is all'),
})

export const migrations = defineSection('migrations', {
  maxAttempts: int('MAX_ATTEMPTS', 3, 'maximum number of attempts of a request to the source', { min: 1, max: 100 }),
  retryBackoff: int('RETRY_BACKOFF', 3, 'delay between attempts, in seconds', { max: 3600 }),
  allowedDomains: list('ALLOWED_DOMAINS', [], 'hosts (globs) that imports may use; empty is all'),
  blockedDomains: list('BLOCKED_DOMAINS', [], 'hosts (globs) that imports must not use'),
  allowLocalnetworks: bool('ALLOW_LOCALNETWORKS', false, 'whether private and loopback addresses are allowed'),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether certificates are not verified'),
})

export const mirror = defineSection('mirror', {
  enabled: bool('ENABLED', true, 'whether mirrors are available'),
  disableNewPull: bool('DISABLE_NEW_PULL', false, 'whether creating pull mirrors is disabled'),
  disableNewPush: bool('DISABLE_NEW_PUSH', false, 'whether creating push mirrors is disabled'),
  defaultInterval: durationMs('DEFAULT_INTERVAL', '8h', 'update interval of a new mirror'),
  minInterval: durationMs('MIN_INTERVAL', '10m', 'minimum update interval of a mirror', { min: '1m' }),
})

export const quota = defineSection('quota', {
  enabled: bool('ENABLED', false, 'whether quotas are enforced'),
  defaultGroups: list('DEFAULT_GROUPS', [], 'quota groups of users without a group'),
})

export const quotaDefault = defineSection('quota.default', {
  total: bytes('TOTAL', '-1', 'maximum bytes of a user without quota groups; -1 is no limit', { allowUnlimited: true }),
})

export const actions = defineSection('actions', {
  enabled: bool('ENABLED', true, 'whether workflows are enabled'),
  defaultActionsUrl: text(
    'DEFAULT_ACTIONS_URL',
    'https://data.forgejo.org',
    'location of `uses: owner/name`: a URL, github or self',
  ),
  logRetentionDays: int('LOG_RETENTION_DAYS', 365, 'retention of logs, in days; 0 is unlimited'),
  logCompression: choice('LOG_COMPRESSION', ['zstd', 'none'], 'zstd', 'compression of finished logs'),
  artifactRetentionDays: int('ARTIFACT_RETENTION_DAYS', 90, 'retention of artifacts, in days', { min: 1 }),
  zombieTaskTimeout: durationMs(
    'ZOMBIE_TASK_TIMEOUT',
    '10m',
    'time without a sign of life after which a running job fails',
    {
      min: '1s',
    },
  ),
  endlessTaskTimeout: durationMs('ENDLESS_TASK_TIMEOUT', '3h', 'maximum duration of a job', { min: '1s' }),
  abandonedJobTimeout: durationMs(
    'ABANDONED_JOB_TIMEOUT',
    '24h',
    'time after which a job without a runner is cancelled',
    { min: '1s' },
  ),
  skipWorkflowStrings: list(
    'SKIP_WORKFLOW_STRINGS',
    ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]'],
    'texts in a commit message or title that prevent workflows',
  ),
  limitDispatchInputs: int('LIMIT_DISPATCH_INPUTS', 10, 'maximum number of inputs of a dispatched workflow', {
    min: 1,
    max: 1000,
  }),
})

const packageSize = (key: string, kind: string) =>
  bytes(key, '-1', `maximum size of an upload to the ${kind} registry, in bytes; -1 is no limit`, {
    allowUnlimited: true,
  })

export const packages = defineSection('packages', {
  enabled: bool('ENABLED', true, 'whether package registries are enabled'),
  registryHost: text(
    'REGISTRY_HOST',
    '',
    'host name of the container registry on pages; empty is the host of ROOT_URL',
  ),
  limitTotalOwnerCount: int('LIMIT_TOTAL_OWNER_COUNT', -1, 'maximum number of packages per owner; -1 is no limit', {
    min: -1,
  }),
  limitTotalOwnerSize: bytes('LIMIT_TOTAL_OWNER_SIZE', '-1', 'maximum bytes of packages per owner; -1 is no limit', {
    allowUnlimited: true,
  }),
  limitSizeAlpine: packageSize('LIMIT_SIZE_ALPINE', 'Alpine'),
  limitSizeAlt: packageSize('LIMIT_SIZE_ALT', 'ALT'),
  limitSizeArch: packageSize('LIMIT_SIZE_ARCH', 'Arch'),
  limitSizeCargo: packageSize('LIMIT_SIZE_CARGO', 'Cargo'),
  limitSizeChef: packageSize('LIMIT_SIZE_CHEF', 'Chef'),
  limitSizeComposer: packageSize('LIMIT_SIZE_COMPOSER', 'Composer'),
  limitSizeConan: packageSize('LIMIT_SIZE_CONAN', 'Conan'),
  limitSizeConda: packageSize('LIMIT_SIZE_CONDA', 'Conda'),
  limitSizeContainer: packageSize('LIMIT_SIZE_CONTAINER', 'container'),
  limitSizeCran: packageSize('LIMIT_SIZE_CRAN', 'CRAN'),
  limitSizeDebian: packageSize('LIMIT_SIZE_DEBIAN', 'Debian'),
  limitSizeGeneric: packageSize('LIMIT_SIZE_GENERIC', 'generic'),
  limitSizeGo: packageSize('LIMIT_SIZE_GO', 'Go'),
  limitSizeHelm: packageSize('LIMIT_SIZE_HELM', 'Helm'),
  limitSizeMaven: packageSize('LIMIT_SIZE_MAVEN', 'Maven'),
  limitSizeNpm: packageSize('LIMIT_SIZE_NPM', 'npm'),
  limitSizeNuget: packageSize('LIMIT_SIZE_NUGET', 'NuGet'),
  limitSizePub: packageSize('LIMIT_SIZE_PUB', 'Pub'),
  limitSizePypi: packageSize('LIMIT_SIZE_PYPI', 'PyPI'),
  limitSizeRpm: packageSize('LIMIT_SIZE_RPM', 'RPM'),
  limitSizeRubygems: packageSize('LIMIT_SIZE_RUBYGEMS', 'RubyGems'),
  limitSizeSwift: packageSize('LIMIT_SIZE_SWIFT', 'Swift'),
  limitSizeVagrant: packageSize('LIMIT_SIZE_VAGRANT', 'Vagrant'),
  upstreamAllowedHostList: list(
    'UPSTREAM_ALLOWED_HOST_LIST',
    [],
    'allowed hosts of upstream registries: external, private, loopback, *, networks, addresses, names with *; empty is external',
  ),
  upstreamTokenHostList: list(
    'UPSTREAM_TOKEN_HOST_LIST',
    ['auth.docker.io'],
    'hosts (globs) of token services that receive the credentials of an upstream on another host, over https',
  ),
  defaultRpmSignEnabled: bool('DEFAULT_RPM_SIGN_ENABLED', false, 'whether RPM packages are signed'),
})

export const federation = defineSection('federation', {
  enabled: bool('ENABLED', false, 'whether federation is enabled'),
  shareUserStatistics: bool('SHARE_USER_STATISTICS', true, 'whether nodeinfo publishes the number of users'),
  maxSize: int('MAX_SIZE', 4, 'maximum size of a federated request (at most 16) or response, in MiB', {
    min: 1,
    max: 1024,
  }),
  signatureEnforced: bool('SIGNATURE_ENFORCED', true, 'whether incoming activities must be signed'),
  signatureAlgorithms: list(
    'SIGNATURE_ALGORITHMS',
    ['rsa-sha256', 'rsa-sha512', 'ed25519'],
    'accepted signature algorithms',
    {
      aliases: ['ALGORITHMS'],
    },
  ),
  digestAlgorithm: text('DIGEST_ALGORITHM', 'SHA-256', 'digest algorithm of signed bodies'),
  getHeaders: list('GET_HEADERS', ['(request-target)', 'Date', 'Host'], 'headers signed in a GET request'),
  postHeaders: list('POST_HEADERS', ['(request-target)', 'Date', 'Host', 'Digest'], 'headers signed in a POST request'),
  allowedHostList: list(
    'ALLOWED_HOST_LIST',
    [],
    'allowed hosts of other servers: external, private, loopback, *, networks, addresses, names with *; empty is external',
  ),
  allowedServers: list(
    'ALLOWED_SERVERS',
    [],
    'host names (globs) of the servers that federation is limited to; empty is all',
  ),
  blockedServers: list('BLOCKED_SERVERS', [], 'host names (globs) of servers excluded from federation'),
  maxRequestsPerServer: int('MAX_REQUESTS_PER_SERVER', 600, 'maximum number of signed requests per server and minute', {
    min: 1,
  }),
  maxBacklog: int('MAX_BACKLOG', 10_000, 'maximum number of activities queued for an unreachable server', { min: 1 }),
  issuesEnabled: bool(
    'ISSUES_ENABLED',
    false,
    'whether users of other servers may open issues in public repositories and comment on them',
  ),
})

export const oauth2 = defineSection('oauth2', {
  enabled: bool('ENABLED', true, 'whether this instance is an OAuth2 provider', { aliases: ['ENABLE'] }),
  accessTokenExpirationTime: int('ACCESS_TOKEN_EXPIRATION_TIME', 3600, 'lifetime of an access token, in seconds', {
    min: 1,
  }),
  refreshTokenExpirationTime: int('REFRESH_TOKEN_EXPIRATION_TIME', 730, 'lifetime of a refresh token, in hours', {
    min: 1,
  }),
  invalidateRefreshTokens: bool('INVALIDATE_REFRESH_TOKENS', true, 'whether a refresh token can be used only once'),
  jwtSigningAlgorithm: choice(
    'JWT_SIGNING_ALGORITHM',
    ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
    'RS256',
    'signature algorithm of issued tokens',
  ),
  jwtSecret: secret('JWT_SECRET', 'key of HS signatures; empty derives it from the instance key'),
  jwtSigningPrivateKeyFile: text(
    'JWT_SIGNING_PRIVATE_KEY_FILE',
    'jwt/private.pem',
    'private key of other signatures, relative to the data folder',
  ),
  maxTokenLength: int(
    'MAX_TOKEN_LENGTH',
    32_767,
    'maximum length of a stored token of another provider, in characters',
    {
      min: 1,
    },
  ),
  defaultApplications: list(
    'DEFAULT_APPLICATIONS',
    ['git-credential-oauth', 'git-credential-manager', 'tea'],
    'applications that are registered by default',
  ),
  enableAdditionalGrantScopes: bool('ENABLE_ADDITIONAL_GRANT_SCOPES', false, 'whether grants may request token scopes'),
})

export const oauth2Client = defineSection('oauth2_client', {
  registerEmailConfirm: text(
    'REGISTER_EMAIL_CONFIRM',
    '',
    'whether users of other providers must confirm their email address',
    {
      pattern: /^(true|false|yes|no|on|off|1|0)$/i,
      form: 'true, false or empty to follow [service].REGISTER_EMAIL_CONFIRM',
    },
  ),
  openidConnectScopes: list('OPENID_CONNECT_SCOPES', [], 'additional scopes requested from OpenID Connect providers'),
  enableAutoRegistration: bool(
    'ENABLE_AUTO_REGISTRATION',
    false,
    'whether users of other providers are registered automatically',
  ),
  username: choice(
    'USERNAME',
    ['userid', 'nickname', 'email'],
    'nickname',
    'source of the user name of registered users',
  ),
  updateAvatar: bool('UPDATE_AVATAR', false, 'whether each sign-in updates the avatar from the provider'),
  accountLinking: choice(
    'ACCOUNT_LINKING',
    ['disabled', 'login', 'auto'],
    'login',
    'how an existing account is linked at the first sign-in',
  ),
})

export const indexer = defineSection('indexer', {
  repoIndexerEnabled: bool('REPO_INDEXER_ENABLED', false, 'whether code is indexed for search'),
  repoIndexerRepoTypes: list(
    'REPO_INDEXER_REPO_TYPES',
    ['sources', 'forks', 'mirrors', 'templates'],
    'types of repositories that are indexed',
    {
      words: ['sources', 'forks', 'mirrors', 'templates'],
    },
  ),
  repoIndexerInclude: list('REPO_INDEXER_INCLUDE', [], 'paths (globs) that are indexed; empty is all'),
  repoIndexerExclude: list('REPO_INDEXER_EXCLUDE', [], 'paths (globs) that are not indexed'),
  repoIndexerExcludeVendored: bool('REPO_INDEXER_EXCLUDE_VENDORED', true, 'whether vendored files are excluded'),
  maxFileSize: bytes('MAX_FILE_SIZE', '1048576', 'maximum size of an indexed file'),
})

export const project = defineSection('project', {
  projectBoardBasicKanbanType: list(
    'PROJECT_BOARD_BASIC_KANBAN_TYPE',
    ['To Do', 'In Progress', 'Done'],
    'columns of a kanban board',
  ),
  projectBoardBugTriageType: list(
    'PROJECT_BOARD_BUG_TRIAGE_TYPE',
    ['Needs Triage', 'High Priority', 'Low Priority', 'Closed'],
    'columns of bug triage',
  ),
})

export const moderation = defineSection('moderation', {
  enabled: bool('ENABLED', false, 'whether users can report content'),
})

/** The allowed number of workers of a pool. */
const slots = { min: 0, max: 256 }

/**
 * Settings that the family does not have, mostly limits. They bound each queue, buffer, body and wait that no other
 * section bounds.
 */
export const ingot = defineSection('ingot', {
  oldSecretKeys: secret(
    'OLD_SECRET_KEYS',
    'previous values of [security].SECRET_KEY, comma-separated, that still decrypt stored secrets',
  ),
  strictTokens: bool(
    'STRICT_TOKENS',
    false,
    'whether tokens need additional scopes: write:repository or admin:public_key to add SSH keys, all to appoint administrators or set their passwords',
  ),
  apiVersion: text('API_VERSION', '12.0.0+gitea-1.22.0', 'version that GET /version returns'),
  maxBody: bytes('MAX_BODY', '1 MiB', 'maximum size of a JSON or form body without files'),
  maxJsonBody: bytes('MAX_JSON_BODY', '64 MiB', 'maximum size of a JSON body with files in base64'),
  maxHeldBodies: bytes(
    'MAX_HELD_BODIES',
    '192 MiB',
    'maximum bytes of request bodies in memory; one account or address may hold a third, and at least one body',
  ),
  maxPushSize: bytes('MAX_PUSH_SIZE', '-1', 'maximum size of the pack of a push; -1 is no limit', {
    allowUnlimited: true,
  }),
  requestTimeout: durationMs('REQUEST_TIMEOUT', '60s', 'time that a client has to send the headers of a request', {
    min: '1s',
  }),
  maxConnections: int(
    'MAX_CONNECTIONS',
    4096,
    'maximum number of connections to the web server, a quarter of them from one address',
    { min: 1 },
  ),
  slowClientTimeout: durationMs('SLOW_CLIENT_TIMEOUT', '60s', 'time that a client may stay below MIN_CLIENT_SPEED', {
    min: '100ms',
  }),
  minClientSpeed: bytes('MIN_CLIENT_SPEED', '4 KiB', 'minimum transfer rate of a client, in bytes per second'),
  // The share of one client in each of these limits: a quarter for an account, or for the anonymous requests of an
  // address; half for an address; three quarters for a repository.
  maxRequests: int('MAX_REQUESTS', 1024, 'maximum number of concurrent requests, without those that wait for events', {
    min: 1,
  }),
  maxExpensiveRequests: int('MAX_EXPENSIVE_REQUESTS', 32, 'maximum number of concurrent expensive requests', {
    min: 1,
  }),
  maxGitFetches: int('MAX_GIT_FETCHES', 16, 'maximum number of concurrent fetches and clones', { min: 1, max: 1024 }),
  maxGitPushes: int('MAX_GIT_PUSHES', 16, 'maximum number of concurrent pushes', { min: 1, max: 1024 }),
  maxGitArchives: int('MAX_GIT_ARCHIVES', 4, 'maximum number of archives created concurrently', { min: 1, max: 1024 }),
  maxGitDownloads: int(
    'MAX_GIT_DOWNLOADS',
    32,
    'maximum number of concurrent downloads of large files from repositories',
    {
      min: 1,
      max: 1024,
    },
  ),
  maxArchiveSize: bytes('MAX_ARCHIVE_SIZE', '2 GiB', 'maximum size of an archive, packed and unpacked'),
  lfsInArchives: bool('LFS_IN_ARCHIVES', false, 'whether archives contain LFS objects instead of their pointers'),
  maxStoredArchives: bytes('MAX_STORED_ARCHIVES', '8 GiB', 'maximum bytes of cached archives'),
  maxPlaceWait: durationMs('MAX_PLACE_WAIT', '30s', 'maximum wait of a request for one of these limits', {
    min: '100ms',
  }),
  maxFetchSpool: bytes(
    'MAX_FETCH_SPOOL',
    '1 GiB',
    'maximum bytes of fetches that are spooled to disk for slow clients',
  ),
  maxKeptFetches: bytes(
    'MAX_KEPT_FETCHES',
    '512 MiB',
    'maximum bytes of fetches cached on disk for a minute, for repeated clones; 0 disables the cache',
  ),
  maxGitReaders: int('MAX_GIT_READERS', 32, 'maximum number of long-lived git reader processes', { min: 1, max: 1024 }),
  maxGitQueue: int('MAX_GIT_QUEUE', 256, 'maximum number of requests that wait for one of these limits', { min: 1 }),
  // Each kind of job has its own pool. 0 leaves its jobs to other processes.
  jobWorkers: int('JOB_WORKERS', 4, 'concurrent background jobs without a pool of their own, per process', slots),
  jobWorkersGit: int('JOB_WORKERS_GIT', 4, 'concurrent jobs after pushes, per process', slots),
  jobWorkersMaintenance: int(
    'JOB_WORKERS_MAINTENANCE',
    2,
    'concurrent repository maintenance jobs, per process',
    slots,
  ),
  jobWorkersImports: int('JOB_WORKERS_IMPORTS', 2, 'concurrent imports, per process', slots),
  maxImportsPerAccount: int(
    'MAX_IMPORTS_PER_ACCOUNT',
    10,
    'maximum number of waiting and running imports per account',
    { min: 1 },
  ),
  jobWorkersMirrors: int('JOB_WORKERS_MIRRORS', 2, 'concurrent mirror updates, per process', slots),
  jobWorkersTasks: int('JOB_WORKERS_TASKS', 2, 'concurrent scheduled tasks, per process', slots),
  jobWorkersMail: int('JOB_WORKERS_MAIL', 2, 'concurrent mail jobs, per process', slots),
  jobWorkersWebhooks: int('JOB_WORKERS_WEBHOOKS', 32, 'concurrent webhook deliveries, per process', slots),
  jobWorkersWebhookRetries: int(
    'JOB_WORKERS_WEBHOOK_RETRIES',
    8,
    'concurrent retries of webhook deliveries, per process',
    slots,
  ),
  jobWorkersRender: int('JOB_WORKERS_RENDER', 1, 'concurrent jobs that parse text of users, per process', slots),
  jobPollInterval: durationMs('JOB_POLL_INTERVAL', '5s', 'polling interval of the job queue', {
    min: '100ms',
  }),
  jobLease: durationMs('JOB_LEASE', '2m', 'time after which the jobs of a dead process are taken over', {
    min: '1s',
  }),
  jobRetention: durationMs('JOB_RETENTION', '168h', 'retention of finished and failed jobs', { min: '1m' }),
  eventRetention: durationMs(
    'EVENT_RETENTION',
    '720h',
    'retention of events for readers of the change feed; events with pending jobs stay longer',
    { min: '1m' },
  ),
  auditLog: bool('AUDIT_LOG', true, 'whether the audit log is written'),
  auditRetention: durationMs('AUDIT_RETENTION', '8760h', 'retention of the audit log; 0 is unlimited', { min: '0s' }),
  maxOutgoingBody: bytes('MAX_OUTGOING_BODY', '32 MiB', 'maximum size of a response of another server'),
  outgoingTimeout: durationMs('OUTGOING_TIMEOUT', '30s', 'timeout of a request to another server', { min: '100ms' }),
  maxOutgoingConnections: int('MAX_OUTGOING_CONNECTIONS', 64, 'maximum number of connections to other servers', {
    min: 1,
    max: 10_000,
  }),
  imageTimeout: durationMs('IMAGE_TIMEOUT', '10s', 'timeout of resizing an image', { min: '100ms' }),
  maxImageQueue: int('MAX_IMAGE_QUEUE', 64, 'maximum number of images in the resize queue', { min: 1 }),
  maxActionsValue: bytes('MAX_ACTIONS_VALUE', '64 KiB', 'maximum size of a secret or variable of workflows'),
  maxActionsValues: int(
    'MAX_ACTIONS_VALUES',
    1000,
    'maximum number of secrets, and of variables, per account or repository',
    {
      min: 1,
    },
  ),
  actionsPollWait: durationMs('ACTIONS_POLL_WAIT', '3s', 'default wait of a runner that polls for work', {
    min: '0s',
  }),
  jobsPublishPackages: bool(
    'JOBS_PUBLISH_PACKAGES',
    false,
    'whether workflow jobs may publish packages of the owner of the repository, with the rights of the user who caused the run',
  ),
  maxActionsLog: bytes('MAX_ACTIONS_LOG', '256 MiB', 'maximum size of a job log; further output is dropped'),
  maxArtifact: bytes('MAX_ARTIFACT', '2 GiB', 'maximum size of a workflow artifact'),
  maxArtifacts: int('MAX_ARTIFACTS', 5000, 'maximum number of artifact files per run', { min: 1 }),
  maxCache: bytes('MAX_CACHE', '2 GiB', 'maximum size of a workflow cache entry'),
  maxCaches: bytes(
    'MAX_CACHES',
    '10 GiB',
    'maximum bytes of workflow caches per repository; the least recently used entries are evicted',
  ),
  cacheRetention: durationMs('CACHE_RETENTION', '7d', 'retention of an unused workflow cache entry', {
    min: '1h',
  }),
  maxWebhooks: int('MAX_WEBHOOKS', 100, 'maximum number of webhooks per repository, per account, and of the instance', {
    min: 1,
    max: 1000,
  }),
  maxWebhookBacklog: int('MAX_WEBHOOK_BACKLOG', 10_000, 'maximum number of queued deliveries per webhook', {
    min: 1,
  }),
  maxMailConnections: int('MAX_MAIL_CONNECTIONS', 4, 'maximum number of connections to the mail server', {
    min: 1,
    max: 100,
  }),
  maxFeedClients: int('MAX_FEED_CLIENTS', 2000, 'maximum number of change feed clients per process', { min: 1 }),
  maxFeedClientsPerAccount: int(
    'MAX_FEED_CLIENTS_PER_ACCOUNT',
    50,
    'maximum number of change feed clients per account',
    { min: 1 },
  ),
  signUpWork: int(
    'SIGN_UP_WORK',
    18,
    'difficulty of the proof of work at registration, in bits; it rises with the number of registrations; 0 disables it',
    { max: 23 },
  ),
  securityMails: bool(
    'SECURITY_MAILS',
    true,
    'whether users receive mail when a password, email address, second factor, token or key of theirs changes',
  ),
  passwordRangeUrl: text(
    'PASSWORD_RANGE_URL',
    'https://api.pwnedpasswords.com/range/',
    'service of PASSWORD_CHECK_PWN; the first five digits of the SHA-1 of the password are appended',
    { pattern: /^https?:\/\/[^\s?#]+\/$/, form: 'a URL that ends in /' },
  ),
  signInAllowedHostList: list(
    'SIGN_IN_ALLOWED_HOST_LIST',
    ['external'],
    'hosts that sign-in providers may refer the server to, besides their own: external, private, loopback, *, networks, addresses, names with *',
  ),
  maxMailsPerHour: int('MAX_MAILS_PER_HOUR', 200, 'maximum number of mails per user and hour; 0 is no limit'),
  maxMailCommentsPerHour: int(
    'MAX_MAIL_COMMENTS_PER_HOUR',
    60,
    'maximum number of comments by mail per user and hour',
    {
      min: 1,
    },
  ),
  incomingMailInterval: durationMs('INCOMING_MAIL_INTERVAL', '30s', 'polling interval of the mailbox of replies', {
    min: '1s',
    max: '1h',
  }),
  mailTimeout: durationMs('MAIL_TIMEOUT', '60s', 'timeout of the mail server', { min: '100ms' }),
  maxMarkupSize: bytes(
    'MAX_MARKUP_SIZE',
    '1 MiB',
    'maximum size of a rendered text; larger texts are shown as plain text',
  ),
  markupTimeout: durationMs(
    'MARKUP_TIMEOUT',
    '3s',
    'processor time for rendering a text; above it the text is shown as plain text, and its references have no effect',
    { min: '100ms' },
  ),
  maxMarkupQueue: int('MAX_MARKUP_QUEUE', 64, 'maximum number of texts in the render queue', { min: 1 }),
  markupCacheSize: bytes('MARKUP_CACHE_SIZE', '4 MiB', 'share of CACHE_SIZE for rendered texts'),
  gitLockAge: durationMs(
    'GIT_LOCK_AGE',
    '1m',
    'age after which a git lock file is stale, if other machines share the repositories',
    { min: '1s' },
  ),
  minFreeSpace: bytes('MIN_FREE_SPACE', '16 MiB', 'free disk space below which /api/healthz reports a problem'),
  maxHighlightSize: bytes('MAX_HIGHLIGHT_SIZE', '512 KiB', 'maximum size of a file with syntax highlighting'),
  maxSshConnections: int(
    'MAX_SSH_CONNECTIONS',
    256,
    'maximum number of SSH connections, half of them from one address',
    { min: 1, max: 65_535 },
  ),
  sshAuthTimeout: durationMs('SSH_AUTH_TIMEOUT', '30s', 'time that an SSH client has to authenticate', {
    min: '1s',
  }),
  repositoryCacheSize: bytes(
    'REPOSITORY_CACHE_SIZE',
    '10 GiB',
    'disk space of the copies of repositories with [repository].STORAGE = blobs',
  ),
  cacheSize: bytes(
    'CACHE_SIZE',
    '48 MiB',
    'memory of all caches: git objects, responses, issues, texts, pictures, package indexes',
  ),
})
