import { bool, bytes, choice, defineSection, durationMs, int, list, secret, text, url } from '../setting.ts'

export const attachment = defineSection('attachment', {
  enabled: bool('ENABLED', true, 'whether files can be attached to issues, comments and releases'),
  allowedTypes: text(
    'ALLOWED_TYPES',
    '.avif,.cpuprofile,.csv,.dmp,.docx,.fodg,.fodp,.fods,.fodt,.gif,.gz,.jpeg,.jpg,.json,.jsonc,.log,.md,.mov,.mp4,' +
      '.odf,.odg,.odp,.ods,.odt,.patch,.pdf,.png,.pptx,.svg,.tgz,.txt,.webm,.webp,.xls,.xlsx,.zip',
    'allowed extensions and media types, separated by commas; empty is all',
  ),
  maxSize: int('MAX_SIZE', 2048, 'largest file, in MiB'),
  maxFiles: int('MAX_FILES', 5, 'most files at once'),
})

export const picture = defineSection('picture', {
  avatarMaxWidth: int('AVATAR_MAX_WIDTH', 4096, 'widest avatar that is accepted, in pixels', { min: 1, max: 65_535 }),
  avatarMaxHeight: int('AVATAR_MAX_HEIGHT', 4096, 'highest avatar that is accepted, in pixels', {
    min: 1,
    max: 65_535,
  }),
  avatarMaxFileSize: bytes('AVATAR_MAX_FILE_SIZE', '1048576', 'largest avatar file that is accepted'),
  avatarMaxOriginSize: bytes('AVATAR_MAX_ORIGIN_SIZE', '262144', 'largest avatar file that is kept as it is'),
  avatarRenderedSizeFactor: int('AVATAR_RENDERED_SIZE_FACTOR', 2, 'pixels per shown pixel of an avatar', {
    min: 1,
    max: 8,
  }),
  disableGravatar: bool('DISABLE_GRAVATAR', true, 'whether no avatar comes from GRAVATAR_SOURCE'),
  gravatarSource: text('GRAVATAR_SOURCE', 'gravatar', 'gravatar, duoshuo, or the URL of a service like it'),
  enableFederatedAvatar: bool(
    'ENABLE_FEDERATED_AVATAR',
    false,
    'whether avatars are looked up at the domain of an address',
  ),
  repositoryAvatarFallback: choice(
    'REPOSITORY_AVATAR_FALLBACK',
    ['none', 'random', 'image'],
    'none',
    'avatar of a repository that has none',
  ),
  repositoryAvatarFallbackImage: text(
    'REPOSITORY_AVATAR_FALLBACK_IMAGE',
    '/img/repo_default.png',
    'the image for that',
  ),
})

export const camo = defineSection('camo', {
  enabled: bool('ENABLED', false, 'whether images of other servers are shown through a proxy'),
  serverUrl: url('SERVER_URL', '', 'URL of that proxy'),
  hmacKey: secret('HMAC_KEY', 'key shared with it'),
  always: bool('ALWAYS', false, 'whether https images go through it too', { aliases: ['ALLWAYS'] }),
})

export const mailer = defineSection('mailer', {
  enabled: bool('ENABLED', false, 'whether mail is sent'),
  protocol: choice(
    'PROTOCOL',
    ['smtp', 'smtps', 'smtp+starttls', 'smtp+unix', 'sendmail', 'dummy'],
    'smtp',
    'how mail is handed over; dummy only logs it',
    { synonyms: { starttls: 'smtp+starttls' } },
  ),
  smtpAddr: text('SMTP_ADDR', '', 'mail server, or the path of its Unix socket'),
  smtpPort: int('SMTP_PORT', 0, 'its port; 0 is the usual one of the protocol', { max: 65535 }),
  from: text('FROM', '', 'sender, like "Ingot" <noreply@example.com>'),
  envelopeFrom: text('ENVELOPE_FROM', '', 'envelope sender; empty is that of FROM, <> is none'),
  user: text('USER', '', 'user at the mail server'),
  passwd: secret('PASSWD', 'password there'),
  subjectPrefix: text('SUBJECT_PREFIX', '', 'put before every subject'),
  sendAsPlainText: bool('SEND_AS_PLAIN_TEXT', false, 'whether mail has no HTML part'),
  sendBufferLen: int('SEND_BUFFER_LEN', 100, 'mails that may wait for the mail server', { min: 1 }),
  enableHelo: bool('ENABLE_HELO', true, 'whether the server greets with its name'),
  heloHostname: text('HELO_HOSTNAME', '', 'that name; empty is the host name of the machine'),
  forceTrustServerCert: bool('FORCE_TRUST_SERVER_CERT', false, 'whether any certificate is believed', {
    aliases: ['SKIP_VERIFY'],
  }),
  useClientCert: bool('USE_CLIENT_CERT', false, 'whether the server identifies itself by a certificate'),
  clientCertFile: text('CLIENT_CERT_FILE', '', 'that certificate, in PEM'),
  clientKeyFile: text('CLIENT_KEY_FILE', '', 'its private key, in PEM'),
  sendmailPath: text('SENDMAIL_PATH', 'sendmail', 'the sendmail program'),
  sendmailTimeout: durationMs('SENDMAIL_TIMEOUT', '5m', 'longest run of it'),
})

export const emailIncoming = defineSection('email.incoming', {
  enabled: bool('ENABLED', false, 'whether answers to mails become comments'),
  host: text('HOST', '', 'IMAP server that has the mailbox'),
  port: int('PORT', 0, 'its port; 0 is the usual one', { max: 65535 }),
  username: text('USERNAME', '', 'user at the IMAP server', { aliases: ['USER'] }),
  password: secret('PASSWORD', 'password there', { aliases: ['PASSWD'] }),
  useTls: bool(
    'USE_TLS',
    false,
    'whether the connection begins with TLS; without, it is begun where the server offers it',
  ),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether any certificate is believed'),
  mailbox: text('MAILBOX', 'INBOX', 'the mailbox that answers come to'),
  replyToAddress: text('REPLY_TO_ADDRESS', '', 'address to answer to, with %{token} before its @'),
  maximumMessageSize: bytes('MAXIMUM_MESSAGE_SIZE', '10485760', 'largest mail that is read'),
  deleteHandledMessage: bool('DELETE_HANDLED_MESSAGE', true, 'whether mails that became comments are deleted'),
})

export const webhook = defineSection('webhook', {
  allowedHostList: list(
    'ALLOWED_HOST_LIST',
    ['external'],
    'where webhooks may go: external, private, loopback, *, networks, host globs',
  ),
  deliverTimeout: int('DELIVER_TIMEOUT', 5, 'longest delivery, in seconds', { min: 1, max: 600 }),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether any certificate is believed'),
  pagingNum: int('PAGING_NUM', 10, 'deliveries per page', { min: 1, max: 1000 }),
  payloadCommitLimit: int('PAYLOAD_COMMIT_LIMIT', 15, 'commits in a push payload', { min: 1, max: 1000 }),
  proxyUrl: url('PROXY_URL', '', 'HTTP proxy for deliveries'),
  proxyHosts: list('PROXY_HOSTS', [], 'hosts (globs) that are reached through it; empty is all'),
})

export const migrations = defineSection('migrations', {
  maxAttempts: int('MAX_ATTEMPTS', 3, 'tries of one request to the source', { min: 1, max: 100 }),
  retryBackoff: int('RETRY_BACKOFF', 3, 'wait between tries, in seconds', { max: 3600 }),
  allowedDomains: list('ALLOWED_DOMAINS', [], 'hosts (globs) to migrate from; empty is all'),
  blockedDomains: list('BLOCKED_DOMAINS', [], 'hosts (globs) never to migrate from'),
  allowLocalnetworks: bool('ALLOW_LOCALNETWORKS', false, 'whether private and loopback addresses are allowed'),
  skipTlsVerify: bool('SKIP_TLS_VERIFY', false, 'whether any certificate is believed'),
})

export const mirror = defineSection('mirror', {
  enabled: bool('ENABLED', true, 'whether there are mirrors'),
  disableNewPull: bool('DISABLE_NEW_PULL', false, 'whether no new pull mirrors can be made'),
  disableNewPush: bool('DISABLE_NEW_PUSH', false, 'whether no new push mirrors can be made'),
  defaultInterval: durationMs('DEFAULT_INTERVAL', '8h', 'wait between updates of a new mirror'),
  minInterval: durationMs('MIN_INTERVAL', '10m', 'shortest wait between updates', { min: '1m' }),
})

export const quota = defineSection('quota', {
  enabled: bool('ENABLED', false, 'whether quotas are enforced'),
  defaultGroups: list('DEFAULT_GROUPS', [], 'groups of users who are in none'),
})

export const quotaDefault = defineSection('quota.default', {
  total: bytes('TOTAL', '-1', 'bytes a user without groups may use; -1 is no limit', { allowUnlimited: true }),
})

export const actions = defineSection('actions', {
  enabled: bool('ENABLED', true, 'whether workflows run'),
  defaultActionsUrl: text(
    'DEFAULT_ACTIONS_URL',
    'https://data.forgejo.org',
    'where `uses: owner/name` is found: a URL, github or self',
  ),
  logRetentionDays: int('LOG_RETENTION_DAYS', 365, 'how long logs are kept, in days; 0 is for ever'),
  logCompression: choice('LOG_COMPRESSION', ['zstd', 'none'], 'zstd', 'how finished logs are packed'),
  artifactRetentionDays: int('ARTIFACT_RETENTION_DAYS', 90, 'how long artifacts are kept, in days', { min: 1 }),
  zombieTaskTimeout: durationMs('ZOMBIE_TASK_TIMEOUT', '10m', 'silence after which a running job has failed', {
    min: '1s',
  }),
  endlessTaskTimeout: durationMs('ENDLESS_TASK_TIMEOUT', '3h', 'longest run of a job', { min: '1s' }),
  abandonedJobTimeout: durationMs('ABANDONED_JOB_TIMEOUT', '24h', 'how long a job waits for a runner', { min: '1s' }),
  skipWorkflowStrings: list(
    'SKIP_WORKFLOW_STRINGS',
    ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]'],
    'texts in a commit message or title that start no workflow',
  ),
  limitDispatchInputs: int('LIMIT_DISPATCH_INPUTS', 10, 'most inputs of a dispatched workflow', { min: 1, max: 1000 }),
})

const packageSize = (key: string, kind: string) =>
  bytes(key, '-1', `largest ${kind} upload; -1 is no limit`, { allowUnlimited: true })

export const packages = defineSection('packages', {
  enabled: bool('ENABLED', true, 'whether there are package registries'),
  registryHost: text(
    'REGISTRY_HOST',
    '',
    'host name of the container registry shown in pages; empty is that of ROOT_URL',
  ),
  limitTotalOwnerCount: int('LIMIT_TOTAL_OWNER_COUNT', -1, 'packages an owner may have; -1 is no limit', { min: -1 }),
  limitTotalOwnerSize: bytes('LIMIT_TOTAL_OWNER_SIZE', '-1', 'bytes of packages an owner may have; -1 is no limit', {
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
    'where upstreams of registries may be: external, private, loopback, * , networks, addresses, names with *; empty is external',
  ),
  upstreamTokenHostList: list(
    'UPSTREAM_TOKEN_HOST_LIST',
    ['auth.docker.io'],
    'hosts of token services that get the secret of an upstream on another host, over https; names may have * and ?',
  ),
  defaultRpmSignEnabled: bool('DEFAULT_RPM_SIGN_ENABLED', false, 'whether RPM packages are signed'),
})

export const federation = defineSection('federation', {
  enabled: bool('ENABLED', false, 'whether this instance takes part in federation'),
  shareUserStatistics: bool('SHARE_USER_STATISTICS', true, 'whether nodeinfo tells how many users there are'),
  maxSize: int('MAX_SIZE', 4, 'largest federated request (16 at most) or answer, in MiB', { min: 1, max: 1024 }),
  signatureEnforced: bool('SIGNATURE_ENFORCED', true, 'whether incoming activities must be signed'),
  signatureAlgorithms: list('SIGNATURE_ALGORITHMS', ['rsa-sha256', 'rsa-sha512', 'ed25519'], 'signatures believed', {
    aliases: ['ALGORITHMS'],
  }),
  digestAlgorithm: text('DIGEST_ALGORITHM', 'SHA-256', 'digest of signed bodies'),
  getHeaders: list('GET_HEADERS', ['(request-target)', 'Date', 'Host'], 'headers signed in a GET request'),
  postHeaders: list('POST_HEADERS', ['(request-target)', 'Date', 'Host', 'Digest'], 'headers signed in a POST request'),
  allowedHostList: list(
    'ALLOWED_HOST_LIST',
    [],
    'where other servers may be: external, private, loopback, * , networks, addresses, names with *; empty is external',
  ),
  allowedServers: list(
    'ALLOWED_SERVERS',
    [],
    'host names, with * and ?, of the only servers that are dealt with; empty is all',
  ),
  blockedServers: list('BLOCKED_SERVERS', [], 'host names, with * and ?, of servers that are not dealt with'),
  maxRequestsPerServer: int('MAX_REQUESTS_PER_SERVER', 600, 'most signed requests of one server within a minute', {
    min: 1,
  }),
  maxBacklog: int('MAX_BACKLOG', 10_000, 'most activities that wait for a server that is away', { min: 1 }),
  issuesEnabled: bool(
    'ISSUES_ENABLED',
    false,
    'whether people of other servers may open issues and comment on those of public repositories',
  ),
})

export const oauth2 = defineSection('oauth2', {
  enabled: bool('ENABLED', true, 'whether this instance is an OAuth2 provider', { aliases: ['ENABLE'] }),
  accessTokenExpirationTime: int('ACCESS_TOKEN_EXPIRATION_TIME', 3600, 'life of an access token, in seconds', {
    min: 1,
  }),
  refreshTokenExpirationTime: int('REFRESH_TOKEN_EXPIRATION_TIME', 730, 'life of a refresh token, in hours', {
    min: 1,
  }),
  invalidateRefreshTokens: bool('INVALIDATE_REFRESH_TOKENS', true, 'whether a refresh token is used once'),
  jwtSigningAlgorithm: choice(
    'JWT_SIGNING_ALGORITHM',
    ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
    'RS256',
    'signature of issued tokens',
  ),
  jwtSecret: secret('JWT_SECRET', 'key of HS signatures; derived from the instance key when empty'),
  jwtSigningPrivateKeyFile: text(
    'JWT_SIGNING_PRIVATE_KEY_FILE',
    'jwt/private.pem',
    'private key of other signatures, relative to the data folder',
  ),
  maxTokenLength: int('MAX_TOKEN_LENGTH', 32_767, 'longest token kept from another provider, in characters', {
    min: 1,
  }),
  defaultApplications: list(
    'DEFAULT_APPLICATIONS',
    ['git-credential-oauth', 'git-credential-manager', 'tea'],
    'applications known from the start',
  ),
  enableAdditionalGrantScopes: bool('ENABLE_ADDITIONAL_GRANT_SCOPES', false, 'whether grants may name token scopes'),
})

export const oauth2Client = defineSection('oauth2_client', {
  registerEmailConfirm: text('REGISTER_EMAIL_CONFIRM', '', 'whether users of other providers confirm their address', {
    pattern: /^(true|false|yes|no|on|off|1|0)$/i,
    form: 'true, false or empty to follow [service].REGISTER_EMAIL_CONFIRM',
  }),
  openidConnectScopes: list('OPENID_CONNECT_SCOPES', [], 'further scopes asked of OpenID Connect providers'),
  enableAutoRegistration: bool('ENABLE_AUTO_REGISTRATION', false, 'whether users of other providers get an account'),
  username: choice('USERNAME', ['userid', 'nickname', 'email'], 'nickname', 'what their login is made of'),
  updateAvatar: bool('UPDATE_AVATAR', false, 'whether their avatar follows the provider'),
  accountLinking: choice(
    'ACCOUNT_LINKING',
    ['disabled', 'login', 'auto'],
    'login',
    'what happens when an account exists',
  ),
})

export const indexer = defineSection('indexer', {
  repoIndexerEnabled: bool('REPO_INDEXER_ENABLED', false, 'whether code is indexed for search'),
  repoIndexerRepoTypes: list(
    'REPO_INDEXER_REPO_TYPES',
    ['sources', 'forks', 'mirrors', 'templates'],
    'what is indexed',
    {
      words: ['sources', 'forks', 'mirrors', 'templates'],
    },
  ),
  repoIndexerInclude: list('REPO_INDEXER_INCLUDE', [], 'paths (globs) that are indexed; empty is all'),
  repoIndexerExclude: list('REPO_INDEXER_EXCLUDE', [], 'paths (globs) that are not'),
  repoIndexerExcludeVendored: bool('REPO_INDEXER_EXCLUDE_VENDORED', true, 'whether vendored files are left out'),
  maxFileSize: bytes('MAX_FILE_SIZE', '1048576', 'largest file that is indexed'),
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

/** Bounds of the slots of a pool of jobs. */
const slots = { min: 0, max: 256 }

/**
 * Limits that are Ingot's own. Every queue, buffer, body and wait of the program that has no key in the family's list
 * is bounded by one of these.
 */
export const ingot = defineSection('ingot', {
  oldSecretKeys: secret(
    'OLD_SECRET_KEYS',
    'earlier values of [security].SECRET_KEY, comma-separated, that can still be read',
  ),
  strictTokens: bool(
    'STRICT_TOKENS',
    false,
    'whether tokens need more than the scope of the address: to add SSH keys, write:repository or admin:public_key; to appoint administrators or set their passwords, all',
  ),
  apiVersion: text('API_VERSION', '12.0.0+gitea-1.22.0', 'version that GET /version answers, which clients look at'),
  maxBody: bytes('MAX_BODY', '1 MiB', 'largest JSON or form body of a request that holds no files'),
  maxJsonBody: bytes('MAX_JSON_BODY', '64 MiB', 'largest body of a request whose fields hold files in base64'),
  maxHeldBodies: bytes(
    'MAX_HELD_BODIES',
    '192 MiB',
    'most bytes of such bodies in memory at once; one account or address gets a third, and room for one body at least',
  ),
  maxPushSize: bytes('MAX_PUSH_SIZE', '-1', 'largest pack of one push; -1 is no limit', { allowUnlimited: true }),
  requestTimeout: durationMs('REQUEST_TIMEOUT', '60s', 'how long a request may take to send its headers', {
    min: '1s',
  }),
  maxConnections: int('MAX_CONNECTIONS', 4096, 'most open connections to the web server', { min: 1 }),
  slowClientTimeout: durationMs('SLOW_CLIENT_TIMEOUT', '60s', 'how long a client may be slower than MIN_CLIENT_SPEED', {
    min: '100ms',
  }),
  minClientSpeed: bytes(
    'MIN_CLIENT_SPEED',
    '4 KiB',
    'bytes a second that a client takes or sends at least, when there are any',
  ),
  // Of each of these one account, or one address of guests, gets a quarter, an address half, a repository three quarters.
  maxRequests: int('MAX_REQUESTS', 1024, 'most requests under way, those that wait for events aside', { min: 1 }),
  maxExpensiveRequests: int('MAX_EXPENSIVE_REQUESTS', 32, 'most of them that read much or reckon long', { min: 1 }),
  maxGitFetches: int('MAX_GIT_FETCHES', 16, 'most fetches and clones that git works on at once', { min: 1, max: 1024 }),
  maxGitPushes: int('MAX_GIT_PUSHES', 16, 'most pushes that git works on at once', { min: 1, max: 1024 }),
  maxGitArchives: int('MAX_GIT_ARCHIVES', 4, 'most archives that git makes at once', { min: 1, max: 1024 }),
  maxGitDownloads: int('MAX_GIT_DOWNLOADS', 32, 'most large files of repositories that are being sent', {
    min: 1,
    max: 1024,
  }),
  maxArchiveSize: bytes('MAX_ARCHIVE_SIZE', '2 GiB', 'largest archive, and most bytes of the files in one'),
  lfsInArchives: bool('LFS_IN_ARCHIVES', false, 'whether archives hold LFS objects in the place of their pointers'),
  maxStoredArchives: bytes('MAX_STORED_ARCHIVES', '8 GiB', 'most bytes of archives that are kept to be given again'),
  maxPlaceWait: durationMs('MAX_PLACE_WAIT', '30s', 'longest wait for one of these places', { min: '100ms' }),
  maxFetchSpool: bytes('MAX_FETCH_SPOOL', '1 GiB', 'most bytes of fetches on the disk that wait for slow clients'),
  maxKeptFetches: bytes(
    'MAX_KEPT_FETCHES',
    '512 MiB',
    'most bytes of fetches that are kept on the disk for a minute, for others who ask the same; 0: none',
  ),
  maxGitReaders: int('MAX_GIT_READERS', 32, 'most long-lived git readers', { min: 1, max: 1024 }),
  maxGitQueue: int('MAX_GIT_QUEUE', 256, 'most requests that wait for one of these places', { min: 1 }),
  // One pool for each kind of work, so that none waits for another. 0 leaves the work to other processes.
  jobWorkers: int('JOB_WORKERS', 4, 'background jobs at once in a process that have no pool of their own', slots),
  jobWorkersGit: int('JOB_WORKERS_GIT', 4, 'jobs at once that follow pushes: people wait for them', slots),
  jobWorkersMaintenance: int('JOB_WORKERS_MAINTENANCE', 2, 'repositories packed at once: up to an hour of disk', slots),
  jobWorkersImports: int('JOB_WORKERS_IMPORTS', 2, 'repositories imported at once', slots),
  maxImportsPerAccount: int(
    'MAX_IMPORTS_PER_ACCOUNT',
    10,
    'imports of one account that may wait or run at the same time',
    { min: 1 },
  ),
  jobWorkersMirrors: int('JOB_WORKERS_MIRRORS', 2, 'mirrors fetched at once: as long as other servers take', slots),
  jobWorkersTasks: int('JOB_WORKERS_TASKS', 2, 'scheduled tasks at once: some go through everything', slots),
  jobWorkersMail: int('JOB_WORKERS_MAIL', 2, 'mails sent at once: a mail server may be slow or away', slots),
  jobWorkersWebhooks: int('JOB_WORKERS_WEBHOOKS', 32, 'webhooks delivered at once: strangers answer slowly', slots),
  jobWorkersWebhookRetries: int(
    'JOB_WORKERS_WEBHOOK_RETRIES',
    8,
    'webhooks tried again at once whose receivers were away: each may take its whole time',
    slots,
  ),
  jobWorkersRender: int('JOB_WORKERS_RENDER', 1, 'jobs at once whose time grows with what strangers wrote', slots),
  jobPollInterval: durationMs('JOB_POLL_INTERVAL', '5s', 'how often the queue is looked at when nothing woke it', {
    min: '100ms',
  }),
  jobLease: durationMs('JOB_LEASE', '2m', 'longest time until the job of a process that died is taken over', {
    min: '1s',
  }),
  jobRetention: durationMs('JOB_RETENTION', '168h', 'how long finished and failed jobs are kept', { min: '1m' }),
  eventRetention: durationMs(
    'EVENT_RETENTION',
    '720h',
    'how long events are kept for those who read on from an earlier one; what a job has still to hear stays longer',
    { min: '1m' },
  ),
  auditLog: bool('AUDIT_LOG', true, 'whether acts that matter for security are written down for administrators'),
  auditRetention: durationMs('AUDIT_RETENTION', '8760h', 'how long they are kept; 0: for ever', { min: '0s' }),
  maxOutgoingBody: bytes('MAX_OUTGOING_BODY', '32 MiB', 'largest answer read from another server'),
  outgoingTimeout: durationMs('OUTGOING_TIMEOUT', '30s', 'longest request to another server', { min: '100ms' }),
  maxOutgoingConnections: int('MAX_OUTGOING_CONNECTIONS', 64, 'most connections to other servers', {
    min: 1,
    max: 10_000,
  }),
  imageTimeout: durationMs('IMAGE_TIMEOUT', '10s', 'longest resizing of an image', { min: '100ms' }),
  maxImageQueue: int('MAX_IMAGE_QUEUE', 64, 'most images that may wait to be resized', { min: 1 }),
  maxActionsValue: bytes('MAX_ACTIONS_VALUE', '64 KiB', 'largest secret or variable of workflows'),
  maxActionsValues: int('MAX_ACTIONS_VALUES', 1000, 'most secrets, and most variables, of an account or repository', {
    min: 1,
  }),
  actionsPollWait: durationMs(
    'ACTIONS_POLL_WAIT',
    '3s',
    'how long a runner waits for work that does not say how long it would',
    {
      min: '0s',
    },
  ),
  jobsPublishPackages: bool(
    'JOBS_PUBLISH_PACKAGES',
    false,
    "whether jobs of workflows publish packages of their repository's owner, as far as whoever caused the run may",
  ),
  maxActionsLog: bytes('MAX_ACTIONS_LOG', '256 MiB', 'largest log of a job; what comes after it is left out'),
  maxArtifact: bytes('MAX_ARTIFACT', '2 GiB', 'largest artifact of a workflow'),
  maxArtifacts: int('MAX_ARTIFACTS', 5000, 'most files that the artifacts of one run have', { min: 1 }),
  maxCache: bytes('MAX_CACHE', '2 GiB', 'largest entry of the caches of workflows'),
  maxCaches: bytes('MAX_CACHES', '10 GiB', 'most bytes of the caches of a repository; those that were not used go'),
  cacheRetention: durationMs('CACHE_RETENTION', '7d', 'how long an entry of a cache is kept that nobody uses', {
    min: '1h',
  }),
  maxWebhooks: int('MAX_WEBHOOKS', 100, 'most webhooks of a repository, of an account, and of the instance', {
    min: 1,
    max: 1000,
  }),
  maxWebhookBacklog: int('MAX_WEBHOOK_BACKLOG', 10_000, 'most deliveries that wait for one webhook', {
    min: 1,
  }),
  maxMailConnections: int('MAX_MAIL_CONNECTIONS', 4, 'most connections to the mail server', { min: 1, max: 100 }),
  maxFeedClients: int('MAX_FEED_CLIENTS', 2000, 'most clients that wait for what happens, in one process', { min: 1 }),
  maxFeedClientsPerAccount: int('MAX_FEED_CLIENTS_PER_ACCOUNT', 50, 'most of them of one account', { min: 1 }),
  signUpWork: int(
    'SIGN_UP_WORK',
    18,
    'bits of work that the browser of somebody who signs up does: one more doubles it, and more sign-ups do; 0 is none',
    { max: 23 },
  ),
  securityMails: bool(
    'SECURITY_MAILS',
    true,
    'whether people are told by mail when a password, an address, a second factor, a token or a key of theirs changes',
  ),
  passwordRangeUrl: text(
    'PASSWORD_RANGE_URL',
    'https://api.pwnedpasswords.com/range/',
    'where PASSWORD_CHECK_PWN looks passwords up, by the first five digits of their SHA-1 behind it',
    { pattern: /^https?:\/\/[^\s?#]+\/$/, form: 'a URL that ends in /' },
  ),
  signInAllowedHostList: list(
    'SIGN_IN_ALLOWED_HOST_LIST',
    ['external'],
    'where providers that people sign in by may send the server besides their own host: external, private, loopback, *, networks, addresses, names with *',
  ),
  maxMailsPerHour: int('MAX_MAILS_PER_HOUR', 200, 'most mails to one person within an hour; 0 is no limit'),
  maxMailCommentsPerHour: int('MAX_MAIL_COMMENTS_PER_HOUR', 60, 'most comments by mail of one person within an hour', {
    min: 1,
  }),
  incomingMailInterval: durationMs('INCOMING_MAIL_INTERVAL', '30s', 'how often the mailbox of answers is looked at', {
    min: '1s',
    max: '1h',
  }),
  mailTimeout: durationMs('MAIL_TIMEOUT', '60s', 'longest wait for the mail server', { min: '100ms' }),
  maxMarkupSize: bytes('MAX_MARKUP_SIZE', '1 MiB', 'largest text that is rendered; longer ones are shown as they are'),
  markupTimeout: durationMs(
    'MARKUP_TIMEOUT',
    '5s',
    'longest work on one text; one that takes longer is shown as it is, and refers to nothing',
    { min: '100ms' },
  ),
  maxMarkupQueue: int('MAX_MARKUP_QUEUE', 64, 'most texts that may wait to be rendered', { min: 1 }),
  markupCacheSize: bytes('MARKUP_CACHE_SIZE', '4 MiB', 'how much of CACHE_SIZE rendered texts may take'),
  gitLockAge: durationMs(
    'GIT_LOCK_AGE',
    '1m',
    'age from which a lock in a repository belongs to nobody, where other machines share the repositories',
    { min: '1s' },
  ),
  minFreeSpace: bytes('MIN_FREE_SPACE', '16 MiB', 'less room than this on a disk is told by /api/healthz'),
  maxHighlightSize: bytes('MAX_HIGHLIGHT_SIZE', '512 KiB', 'largest file that is highlighted'),
  maxSshConnections: int('MAX_SSH_CONNECTIONS', 256, 'most SSH connections', { min: 1, max: 65_535 }),
  sshAuthTimeout: durationMs('SSH_AUTH_TIMEOUT', '30s', 'how long an SSH client may take to prove its key', {
    min: '1s',
  }),
  cacheSize: bytes(
    'CACHE_SIZE',
    '48 MiB',
    'memory for everything that is remembered: objects of git, answers, issues, texts, pictures, indexes of packages',
  ),
})
