import { bool, bytes, choice, defineSection, durationMs, int, list, secret, text, url } from '../setting.ts'
import { cipherSuiteNames, curves, tlsVersions } from '../tls-names.ts'

/** The keys above the first section. */
export const instance = defineSection('', {
  appName: text('APP_NAME', 'Ingot', 'name of this instance, shown in pages, mail and metadata'),
  appSlogan: text('APP_SLOGAN', '', 'a few words shown beside the name'),
  appDisplayNameFormat: text(
    'APP_DISPLAY_NAME_FORMAT',
    '{APP_NAME}: {APP_SLOGAN}',
    'how name and slogan are put together when there is a slogan',
  ),
  runMode: choice('RUN_MODE', ['prod', 'dev'], 'prod', 'dev shows causes of internal errors to callers', {
    synonyms: { production: 'prod', development: 'dev', test: 'dev' },
  }),
  runUser: text(
    'RUN_USER',
    'git',
    'user name that the built-in SSH server expects, unless BUILTIN_SSH_SERVER_USER says',
  ),
  workPath: text('WORK_PATH', '', 'folder that relative paths are relative to; empty is the current folder'),
})

export const server = defineSection('server', {
  protocol: choice('PROTOCOL', ['http', 'https', 'http+unix'], 'http', 'what the web server speaks', {
    synonyms: { unix: 'http+unix' },
  }),
  domain: text('DOMAIN', 'localhost', 'host name of this instance, part of ROOT_URL unless that is given'),
  rootUrl: url('ROOT_URL', '', 'public URL of this instance; by default made of PROTOCOL, DOMAIN and HTTP_PORT'),
  localRootUrl: url('LOCAL_ROOT_URL', '', 'URL at which this machine reaches the web server itself'),
  httpAddr: text(
    'HTTP_ADDR',
    '0.0.0.0',
    'address to listen on (IPv4, IPv6 or a name), or the path of a Unix socket for http+unix',
  ),
  httpPort: int('HTTP_PORT', 3000, 'TCP port to listen on; 0 takes a free one', { max: 65535 }),
  unixSocketPermission: text('UNIX_SOCKET_PERMISSION', '666', 'mode of the Unix socket, in octal', {
    pattern: /^[0-7]{3,4}$/,
    form: 'an octal mode like 666',
  }),
  certFile: text('CERT_FILE', '', 'file of the certificate chain for https, in PEM'),
  keyFile: text('KEY_FILE', '', 'file of the private key for https, in PEM'),
  sslMinVersion: choice('SSL_MIN_VERSION', tlsVersions, 'TLSv1.2', 'oldest TLS version that https accepts'),
  sslMaxVersion: choice('SSL_MAX_VERSION', tlsVersions, 'TLSv1.3', 'newest TLS version that https accepts'),
  sslCurvePreferences: list(
    'SSL_CURVE_PREFERENCES',
    [],
    'curves that https offers, the preferred one first; empty is the choice of OpenSSL',
    { words: Object.keys(curves) },
  ),
  sslCipherSuites: list(
    'SSL_CIPHER_SUITES',
    [],
    'cipher suites that https offers, the preferred one first; empty is the choice of OpenSSL',
    { words: cipherSuiteNames },
  ),
  redirectOtherPort: bool(
    'REDIRECT_OTHER_PORT',
    false,
    'whether https also listens for plain HTTP on PORT_TO_REDIRECT and redirects to ROOT_URL',
  ),
  portToRedirect: int('PORT_TO_REDIRECT', 80, 'port of that redirect; 0 takes a free one', { max: 65535 }),
  appDataPath: text('APP_DATA_PATH', 'data', 'folder of everything this instance keeps'),
  offlineMode: bool('OFFLINE_MODE', true, 'whether pages avoid things from other servers'),
  landingPage: text('LANDING_PAGE', 'home', 'what guests see at /: home, explore, organizations, login or a path'),
  staticUrlPrefix: text('STATIC_URL_PREFIX', '', 'what static files are served below, when another server holds them'),
  gracefulHammerTime: durationMs('GRACEFUL_HAMMER_TIME', '60s', 'how long requests may finish when the server stops'),
  useProxyProtocol: bool('USE_PROXY_PROTOCOL', false, 'whether connections begin with a PROXY protocol header'),
  disableSsh: bool('DISABLE_SSH', false, 'whether SSH clone addresses are hidden and SSH keys unused'),
  startSshServer: bool('START_SSH_SERVER', false, 'whether the built-in SSH server runs'),
  builtinSshServerUser: text('BUILTIN_SSH_SERVER_USER', '%(RUN_USER)s', 'user name that SSH clients must use'),
  sshUser: text('SSH_USER', '%(BUILTIN_SSH_SERVER_USER)s', 'user name shown in SSH clone addresses'),
  sshDomain: text('SSH_DOMAIN', '%(DOMAIN)s', 'host name shown in SSH clone addresses'),
  sshPort: int('SSH_PORT', 22, 'port shown in SSH clone addresses', { max: 65535 }),
  sshListenHost: text('SSH_LISTEN_HOST', '', 'address the built-in SSH server listens on; empty is every address'),
  sshListenPort: text(
    'SSH_LISTEN_PORT',
    '%(SSH_PORT)s',
    'port the built-in SSH server listens on; 0 takes a free one',
    {
      pattern: /^\d{1,5}$/,
      form: 'a port from 0 to 65535',
    },
  ),
  sshServerHostKeys: list(
    'SSH_SERVER_HOST_KEYS',
    ['ssh/ingot.ed25519', 'ssh/ingot.rsa'],
    'private host keys, relative to the data folder; made at first start',
  ),
  sshTrustedUserCaKeys: list(
    'SSH_TRUSTED_USER_CA_KEYS',
    [],
    'public keys of authorities whose certificates let people in over SSH',
    { pattern: /^\S+ [A-Za-z0-9+/]{40,}={0,2}( .*)?$/, form: 'a public key such as ssh-ed25519 AAAA…' },
  ),
  sshAuthorizedPrincipalsAllow: list(
    'SSH_AUTHORIZED_PRINCIPALS_ALLOW',
    ['username', 'email'],
    'what principals of SSH certificates may name accounts by; off: certificates let nobody in',
    { words: ['off', 'username', 'email', 'anything'] },
  ),
  sshExposeAnonymous: bool('SSH_EXPOSE_ANONYMOUS', false, 'whether guests see SSH clone addresses'),
  sshPerWriteTimeout: durationMs('SSH_PER_WRITE_TIMEOUT', '30s', 'how long one write to an SSH client may take'),
  minimumKeySizeCheck: bool('MINIMUM_KEY_SIZE_CHECK', true, 'whether [ssh.minimum_key_sizes] is applied to added keys'),
  enableGzip: bool('ENABLE_GZIP', false, 'whether answers of the API are compressed'),
  lfsStartServer: bool('LFS_START_SERVER', false, 'whether Git LFS is served'),
  lfsJwtSecret: secret(
    'LFS_JWT_SECRET',
    'key that LFS tokens are signed with; derived from the instance key when empty',
  ),
  lfsHttpAuthExpiry: durationMs('LFS_HTTP_AUTH_EXPIRY', '24h', 'how long an LFS token is valid'),
  lfsMaxFileSize: bytes('LFS_MAX_FILE_SIZE', '0', 'largest LFS object in bytes; 0 is no limit'),
  lfsMaxBatchSize: int('LFS_MAX_BATCH_SIZE', 0, 'most objects in one LFS batch request; 0 is the built-in limit'),
  lfsLocksPagingNum: int('LFS_LOCKS_PAGING_NUM', 50, 'LFS locks per page', { min: 1 }),
})

export const sshMinimumKeySizes = defineSection('ssh.minimum_key_sizes', {
  ed25519: int('ED25519', 256, 'smallest Ed25519 key in bits; -1 refuses the type', { min: -1 }),
  ecdsa: int('ECDSA', 256, 'smallest ECDSA key in bits; -1 refuses the type', { min: -1 }),
  rsa: int('RSA', 3071, 'smallest RSA key in bits; -1 refuses the type', { min: -1 }),
  dsa: int('DSA', -1, 'smallest DSA key in bits; -1 refuses the type', { min: -1 }),
})

export const database = defineSection('database', {
  dbType: choice('DB_TYPE', ['sqlite3', 'postgres'], 'sqlite3', 'which database', {
    synonyms: { sqlite: 'sqlite3', postgresql: 'postgres' },
  }),
  path: text('PATH', '', 'file of the SQLite database; empty is ingot.db in the data folder'),
  sqliteTimeout: int('SQLITE_TIMEOUT', 5000, 'how long SQLite waits for a lock, in milliseconds', { max: 600_000 }),
  host: text('HOST', '127.0.0.1:5432', 'PostgreSQL host:port, or the folder of its Unix socket'),
  name: text('NAME', 'ingot', 'PostgreSQL database'),
  user: text('USER', 'ingot', 'PostgreSQL user'),
  passwd: secret('PASSWD', 'PostgreSQL password'),
  schema: text('SCHEMA', '', 'PostgreSQL schema; empty leaves the search path as it is'),
  sslMode: choice(
    'SSL_MODE',
    ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
    'disable',
    'TLS towards PostgreSQL',
  ),
  logSql: bool('LOG_SQL', false, 'whether statements are logged, at level debug'),
  dbRetries: int('DB_RETRIES', 10, 'how often the first connection is tried', { min: 1, max: 1000 }),
  dbRetryBackoff: durationMs('DB_RETRY_BACKOFF', '3s', 'wait between those tries'),
  maxOpenConns: int('MAX_OPEN_CONNS', 20, 'most connections to PostgreSQL; 0 is the default', { max: 1000 }),
  connMaxLifetime: durationMs('CONN_MAX_LIFETIME', '0', 'age at which a PostgreSQL connection is replaced; 0 is never'),
  slowQueryThreshold: durationMs('SLOW_QUERY_THRESHOLD', '5s', 'statements slower than this are logged', {
    aliases: ['SLOW_QUERY_TRESHOLD'],
  }),
})

/**
 * A header that a proxy says something by: none that means something else, nor one of which only the first is seen when it
 * comes twice, which a client may have sent.
 */
const proxyHeader = {
  pattern:
    /^(?!(?:age|authorization|connection|content-\w+|cookie|etag|expires|forwarded|from|host|if-.*|last-modified|location|max-forwards|origin|proxy-.*|referer|retry-after|sec-.*|server|user-agent|x-forwarded-for)$)[\w-]+$/i,
  form: 'the name of a header like X-WEBAUTH-USER or Remote-User',
}

export const security = defineSection('security', {
  secretKey: secret('SECRET_KEY', 'instance key that stored secrets are encrypted with; generated when empty'),
  internalToken: secret('INTERNAL_TOKEN', 'secret shared by the parts of one instance'),
  loginRememberDays: int('LOGIN_REMEMBER_DAYS', 31, 'how long a remembered sign-in lasts, in days', { max: 3650 }),
  cookieRememberName: text('COOKIE_REMEMBER_NAME', 'ingot_remember', 'name of the cookie of a remembered sign-in', {
    pattern: /^[A-Za-z0-9_-]+$/,
    form: 'a cookie name of letters, digits, _ and -',
  }),
  minPasswordLength: int('MIN_PASSWORD_LENGTH', 8, 'shortest password, in characters', { max: 255 }),
  passwordComplexity: list('PASSWORD_COMPLEXITY', ['off'], 'kinds of characters a password must have', {
    words: ['off', 'lower', 'upper', 'digit', 'spec'],
  }),
  passwordCheckPwn: bool('PASSWORD_CHECK_PWN', false, 'whether new passwords are looked up in haveibeenpwned.com'),
  disableGitHooks: bool('DISABLE_GIT_HOOKS', true, 'whether nobody may edit git hooks of repositories'),
  disableWebhooks: bool('DISABLE_WEBHOOKS', false, 'whether webhooks are off'),
  disableQueryAuthToken: bool('DISABLE_QUERY_AUTH_TOKEN', false, 'whether tokens in the query of a URL are ignored'),
  importLocalPaths: bool(
    'IMPORT_LOCAL_PATHS',
    false,
    'whether privileged users may migrate from folders of the server',
  ),
  successfulTokensCacheSize: int('SUCCESSFUL_TOKENS_CACHE_SIZE', 20, 'how many proven credentials are remembered'),
  reverseProxyAuthenticationUser: text(
    'REVERSE_PROXY_AUTHENTICATION_USER',
    'X-WEBAUTH-USER',
    'header with the login a reverse proxy has proven',
    proxyHeader,
  ),
  reverseProxyAuthenticationEmail: text(
    'REVERSE_PROXY_AUTHENTICATION_EMAIL',
    'X-WEBAUTH-EMAIL',
    "header with that user's address",
    proxyHeader,
  ),
  reverseProxyAuthenticationFullName: text(
    'REVERSE_PROXY_AUTHENTICATION_FULL_NAME',
    'X-WEBAUTH-FULLNAME',
    "header with that user's full name",
    proxyHeader,
  ),
  reverseProxyLimit: int('REVERSE_PROXY_LIMIT', 1, 'how many proxies stand before the server; 0 trusts no header', {
    max: 100,
  }),
  reverseProxyTrustedProxies: list(
    'REVERSE_PROXY_TRUSTED_PROXIES',
    ['127.0.0.0/8', '::1/128'],
    'addresses and networks of proxies whose headers are believed; * is all, none is nobody',
  ),
})

export const session = defineSection('session', {
  cookieName: text('COOKIE_NAME', 'ingot_session', 'name of the session cookie', {
    pattern: /^[A-Za-z0-9_-]+$/,
    form: 'a cookie name of letters, digits, _ and -',
  }),
  cookieSecure: text('COOKIE_SECURE', '', 'whether the cookie is for https only; empty follows ROOT_URL', {
    pattern: /^(true|false|yes|no|on|off|1|0)$/i,
    form: 'true, false or empty',
  }),
  domain: text('DOMAIN', '', 'domain of the cookie; empty is this host only'),
  sameSite: choice('SAME_SITE', ['lax', 'strict', 'none'], 'lax', 'SameSite rule of the cookie'),
  sessionLifeTime: int('SESSION_LIFE_TIME', 86_400, 'how long an unused session lasts, in seconds', { min: 60 }),
})

export const cors = defineSection('cors', {
  enabled: bool('ENABLED', false, 'whether pages of other origins may call the API'),
  allowDomain: list('ALLOW_DOMAIN', ['*'], 'origins that may, like https://app.example.com; * is all'),
  methods: list('METHODS', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'methods such a page may use'),
  maxAge: durationMs('MAX_AGE', '10m', 'how long a browser may remember the answer'),
  allowCredentials: bool('ALLOW_CREDENTIALS', false, 'whether such a page may send cookies and credentials'),
  headers: list('HEADERS', ['Content-Type', 'User-Agent'], 'further headers such a page may send'),
  xFrameOptions: text('X_FRAME_OPTIONS', 'SAMEORIGIN', 'X-Frame-Options header of pages; "unset" sends none'),
})

export const log = defineSection('log', {
  level: choice('LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'none'], 'info', 'least level logged', {
    synonyms: { critical: 'fatal', warning: 'warn' },
  }),
})

export const metrics = defineSection('metrics', {
  enabled: bool('ENABLED', false, 'whether /metrics is served'),
  token: secret('TOKEN', 'bearer token that /metrics asks for; empty asks for none'),
})

export const git = defineSection('git', {
  path: text('PATH', '', 'the git program; empty looks in PATH'),
  homePath: text('HOME_PATH', 'home', 'home folder that git is given, relative to the data folder'),
  disableDiffHighlight: bool(
    'DISABLE_DIFF_HIGHLIGHT',
    false,
    'whether diffs are shown without colours of the language',
  ),
  maxGitDiffLines: int('MAX_GIT_DIFF_LINES', 1000, 'most lines of one file shown in a diff', { min: 1 }),
  maxGitDiffLineCharacters: int('MAX_GIT_DIFF_LINE_CHARACTERS', 5000, 'most characters of one line of a diff', {
    min: 1,
  }),
  maxGitDiffFiles: int('MAX_GIT_DIFF_FILES', 100, 'most files shown in a diff', { min: 1 }),
  commitsRangeSize: int('COMMITS_RANGE_SIZE', 50, 'commits per page', { min: 1, max: 1000 }),
  branchesRangeSize: int('BRANCHES_RANGE_SIZE', 20, 'branches per page', { min: 1, max: 1000 }),
  disablePartialClone: bool('DISABLE_PARTIAL_CLONE', false, 'whether clones with a filter are refused'),
  verbosePush: bool('VERBOSE_PUSH', true, 'whether a push is told how its processing goes'),
  verbosePushDelay: durationMs('VERBOSE_PUSH_DELAY', '5s', 'only a push that takes longer is told'),
  pullRequestPushMessage: bool('PULL_REQUEST_PUSH_MESSAGE', true, 'whether a push is answered with pull request links'),
  largeObjectThreshold: bytes('LARGE_OBJECT_THRESHOLD', '1048576', 'blobs larger than this are streamed, never held'),
  gcArgs: list('GC_ARGS', [], 'further arguments of git gc'),
})

export const gitTimeout = defineSection('git.timeout', {
  default: int('DEFAULT', 360, 'longest run of a git command, in seconds', { min: 1, max: 86_400 }),
  migrate: int('MIGRATE', 600, 'longest migration of a repository, in seconds', { min: 1, max: 86_400 }),
  mirror: int('MIRROR', 300, 'longest mirror update, in seconds', { min: 1, max: 86_400 }),
  clone: int('CLONE', 300, 'longest internal clone, in seconds', { min: 1, max: 86_400 }),
  pull: int('PULL', 300, 'longest internal fetch, in seconds', { min: 1, max: 86_400 }),
  gc: int('GC', 60, 'longest git gc, in seconds', { min: 1, max: 86_400 }),
  grep: int('GREP', 2, 'longest git grep, in seconds', { min: 1, max: 600 }),
})

export const gitReflog = defineSection('git.reflog', {
  enabled: bool('ENABLED', true, 'whether repositories keep reflogs'),
  expiration: int('EXPIRATION', 90, 'how long they keep them, in days'),
})
