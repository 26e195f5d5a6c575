import { bool, bytes, choice, defineSection, durationMs, int, list, secret, text, url } from '../setting.ts'
import { cipherSuiteNames, curves, tlsVersions } from '../tls-names.ts'

/** The top-level keys. */
export const instance = defineSection('', {
  appName: text('APP_NAME', 'Ingot', 'name of this instance, shown in pages, mail and metadata'),
  appSlogan: text('APP_SLOGAN', '', 'a few words shown beside the name'),
  appDisplayNameFormat: text(
    'APP_DISPLAY_NAME_FORMAT',
    '{APP_NAME}: {APP_SLOGAN}',
    'format of the title when APP_SLOGAN is set',
  ),
  runMode: choice('RUN_MODE', ['prod', 'dev'], 'prod', 'dev shows the parts of pages at /-/ui', {
    synonyms: { production: 'prod', development: 'dev', test: 'dev' },
  }),
  runUser: text('RUN_USER', 'git', 'default of BUILTIN_SSH_SERVER_USER'),
  workPath: text('WORK_PATH', '', 'base folder of relative paths; empty is the current folder'),
})

export const server = defineSection('server', {
  protocol: choice('PROTOCOL', ['http', 'https', 'http+unix'], 'http', 'protocol of the web server', {
    synonyms: { unix: 'http+unix' },
  }),
  domain: text('DOMAIN', 'localhost', 'host name of this instance, used in the default of ROOT_URL'),
  rootUrl: url('ROOT_URL', '', 'public URL of this instance; empty combines PROTOCOL, DOMAIN and HTTP_PORT'),
  localRootUrl: url('LOCAL_ROOT_URL', '', 'URL of the web server for programs on the same machine'),
  httpAddr: text(
    'HTTP_ADDR',
    '0.0.0.0',
    'address to listen on (IPv4, IPv6 or a name), or the path of a Unix socket for http+unix',
  ),
  httpPort: int('HTTP_PORT', 3000, 'TCP port to listen on; 0 selects a free port', { max: 65535 }),
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
    'curves of https in order of preference; empty is the default of OpenSSL',
    { words: Object.keys(curves) },
  ),
  sslCipherSuites: list(
    'SSL_CIPHER_SUITES',
    [],
    'cipher suites of https in order of preference; empty is the default of OpenSSL',
    { words: cipherSuiteNames },
  ),
  redirectOtherPort: bool(
    'REDIRECT_OTHER_PORT',
    false,
    'whether the server also listens on PORT_TO_REDIRECT and redirects HTTP to ROOT_URL',
  ),
  portToRedirect: int('PORT_TO_REDIRECT', 80, 'port of the HTTP redirect; 0 selects a free port', { max: 65535 }),
  appDataPath: text('APP_DATA_PATH', 'data', 'data folder of this instance'),
  offlineMode: bool('OFFLINE_MODE', true, 'whether pages load no resources from other servers'),
  landingPage: text('LANDING_PAGE', 'home', 'page that guests see at /: home, explore, organizations, login or a path'),
  staticUrlPrefix: text('STATIC_URL_PREFIX', '', 'URL prefix of static files that another server serves'),
  gracefulHammerTime: durationMs(
    'GRACEFUL_HAMMER_TIME',
    '60s',
    'time that requests have to finish when the server stops',
  ),
  useProxyProtocol: bool('USE_PROXY_PROTOCOL', false, 'whether connections start with a PROXY protocol header'),
  disableSsh: bool('DISABLE_SSH', false, 'whether SSH clone addresses are hidden and SSH keys are not used'),
  startSshServer: bool('START_SSH_SERVER', false, 'whether the built-in SSH server runs'),
  builtinSshServerUser: text('BUILTIN_SSH_SERVER_USER', '%(RUN_USER)s', 'user name that SSH clients must use'),
  sshUser: text('SSH_USER', '%(BUILTIN_SSH_SERVER_USER)s', 'user name shown in SSH clone addresses'),
  sshDomain: text('SSH_DOMAIN', '%(DOMAIN)s', 'host name shown in SSH clone addresses'),
  sshPort: int('SSH_PORT', 22, 'port shown in SSH clone addresses', { max: 65535 }),
  sshListenHost: text('SSH_LISTEN_HOST', '', 'address of the built-in SSH server; empty is every address'),
  sshListenPort: text('SSH_LISTEN_PORT', '%(SSH_PORT)s', 'port of the built-in SSH server; 0 selects a free port', {
    pattern: /^\d{1,5}$/,
    form: 'a port from 0 to 65535',
  }),
  sshServerHostKeys: list(
    'SSH_SERVER_HOST_KEYS',
    ['ssh/ingot.ed25519', 'ssh/ingot.rsa'],
    'private host keys, relative to the data folder; created at the first start',
  ),
  sshTrustedUserCaKeys: list(
    'SSH_TRUSTED_USER_CA_KEYS',
    [],
    'public keys of the authorities whose SSH certificates are accepted',
    { pattern: /^\S+ [A-Za-z0-9+/]{40,}={0,2}( .*)?$/, form: 'a public key such as ssh-ed25519 AAAA…' },
  ),
  sshAuthorizedPrincipalsAllow: list(
    'SSH_AUTHORIZED_PRINCIPALS_ALLOW',
    ['username', 'email'],
    'how the principals of SSH certificates identify accounts; off rejects certificates',
    { words: ['off', 'username', 'email', 'anything'] },
  ),
  sshExposeAnonymous: bool('SSH_EXPOSE_ANONYMOUS', false, 'whether guests see SSH clone addresses'),
  sshPerWriteTimeout: durationMs('SSH_PER_WRITE_TIMEOUT', '30s', 'timeout of one write to an SSH client'),
  minimumKeySizeCheck: bool(
    'MINIMUM_KEY_SIZE_CHECK',
    true,
    'whether new keys must have the sizes of [ssh.minimum_key_sizes]',
  ),
  enableGzip: bool(
    'ENABLE_GZIP',
    false,
    'whether API responses are compressed; pages are unless [session] SAME_SITE is none',
  ),
  lfsStartServer: bool('LFS_START_SERVER', false, 'whether Git LFS is served'),
  lfsJwtSecret: secret('LFS_JWT_SECRET', 'signing key of LFS tokens; empty derives it from the instance key'),
  lfsHttpAuthExpiry: durationMs('LFS_HTTP_AUTH_EXPIRY', '24h', 'lifetime of an LFS token'),
  lfsMaxFileSize: bytes('LFS_MAX_FILE_SIZE', '0', 'maximum size of an LFS object, in bytes; 0 is no limit'),
  lfsMaxBatchSize: int(
    'LFS_MAX_BATCH_SIZE',
    0,
    'maximum number of objects in an LFS batch request; 0 is the built-in limit',
  ),
  lfsLocksPagingNum: int('LFS_LOCKS_PAGING_NUM', 50, 'LFS locks per page', { min: 1 }),
})

export const sshMinimumKeySizes = defineSection('ssh.minimum_key_sizes', {
  ed25519: int('ED25519', 256, 'smallest Ed25519 key in bits; -1 refuses the type', { min: -1 }),
  ecdsa: int('ECDSA', 256, 'smallest ECDSA key in bits; -1 refuses the type', { min: -1 }),
  rsa: int('RSA', 3071, 'smallest RSA key in bits; -1 refuses the type', { min: -1 }),
  dsa: int('DSA', -1, 'smallest DSA key in bits; -1 refuses the type', { min: -1 }),
})

export const database = defineSection('database', {
  dbType: choice('DB_TYPE', ['sqlite3', 'postgres'], 'sqlite3', 'database engine', {
    synonyms: { sqlite: 'sqlite3', postgresql: 'postgres' },
  }),
  path: text('PATH', '', 'file of the SQLite database; empty is ingot.db in the data folder'),
  sqliteTimeout: int('SQLITE_TIMEOUT', 5000, 'maximum wait of SQLite for a lock, in milliseconds', { max: 600_000 }),
  host: text('HOST', '127.0.0.1:5432', 'PostgreSQL host:port, or the folder of its Unix socket'),
  name: text('NAME', 'ingot', 'PostgreSQL database'),
  user: text('USER', 'ingot', 'PostgreSQL user'),
  passwd: secret('PASSWD', 'PostgreSQL password'),
  schema: text('SCHEMA', '', 'PostgreSQL schema; empty keeps the search path'),
  sslMode: choice(
    'SSL_MODE',
    ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
    'disable',
    'TLS mode of connections to PostgreSQL',
  ),
  logSql: bool('LOG_SQL', false, 'whether SQL statements are logged at level debug'),
  dbRetries: int('DB_RETRIES', 10, 'number of attempts to connect at the start', { min: 1, max: 1000 }),
  dbRetryBackoff: durationMs('DB_RETRY_BACKOFF', '3s', 'delay between the attempts to connect'),
  maxOpenConns: int('MAX_OPEN_CONNS', 20, 'maximum number of connections to PostgreSQL; 0 is the default', {
    max: 1000,
  }),
  connMaxLifetime: durationMs('CONN_MAX_LIFETIME', '0', 'maximum age of a PostgreSQL connection; 0 is no limit'),
  slowQueryThreshold: durationMs('SLOW_QUERY_THRESHOLD', '5s', 'statements slower than this are logged', {
    aliases: ['SLOW_QUERY_TRESHOLD'],
  }),
})

/**
 * Excludes headers with another meaning, and headers for which Node keeps only the first copy. The client can send that
 * copy itself.
 */
const proxyHeader = {
  pattern:
    /^(?!(?:age|authorization|connection|content-\w+|cookie|etag|expires|forwarded|from|host|if-.*|last-modified|location|max-forwards|origin|proxy-.*|referer|retry-after|sec-.*|server|user-agent|x-forwarded-for)$)[\w-]+$/i,
  form: 'the name of a header like X-WEBAUTH-USER or Remote-User',
}

export const security = defineSection('security', {
  secretKey: secret('SECRET_KEY', 'key that encrypts stored secrets; empty generates one'),
  internalToken: secret('INTERNAL_TOKEN', 'secret that the parts of one instance share'),
  loginRememberDays: int('LOGIN_REMEMBER_DAYS', 31, 'lifetime of a remembered sign-in, in days', { max: 3650 }),
  cookieRememberName: text('COOKIE_REMEMBER_NAME', 'ingot_remember', 'name of the cookie of a remembered sign-in', {
    pattern: /^[A-Za-z0-9_-]+$/,
    form: 'a cookie name of letters, digits, _ and -',
  }),
  minPasswordLength: int('MIN_PASSWORD_LENGTH', 8, 'shortest password, in characters', { max: 255 }),
  passwordComplexity: list('PASSWORD_COMPLEXITY', ['off'], 'character classes that a password must contain', {
    words: ['off', 'lower', 'upper', 'digit', 'spec'],
  }),
  passwordCheckPwn: bool('PASSWORD_CHECK_PWN', false, 'whether new passwords are checked against haveibeenpwned.com'),
  disableGitHooks: bool('DISABLE_GIT_HOOKS', true, 'whether editing the git hooks of repositories is disabled'),
  disableWebhooks: bool('DISABLE_WEBHOOKS', false, 'whether webhooks are disabled'),
  disableQueryAuthToken: bool('DISABLE_QUERY_AUTH_TOKEN', false, 'whether tokens in the query of a URL are ignored'),
  importLocalPaths: bool('IMPORT_LOCAL_PATHS', false, 'whether privileged users may import from folders of the server'),
  successfulTokensCacheSize: int('SUCCESSFUL_TOKENS_CACHE_SIZE', 20, 'maximum number of verified tokens in the cache'),
  reverseProxyAuthenticationUser: text(
    'REVERSE_PROXY_AUTHENTICATION_USER',
    'X-WEBAUTH-USER',
    'header that contains the login verified by the reverse proxy',
    proxyHeader,
  ),
  reverseProxyAuthenticationEmail: text(
    'REVERSE_PROXY_AUTHENTICATION_EMAIL',
    'X-WEBAUTH-EMAIL',
    'header that contains the email address of the user',
    proxyHeader,
  ),
  reverseProxyAuthenticationFullName: text(
    'REVERSE_PROXY_AUTHENTICATION_FULL_NAME',
    'X-WEBAUTH-FULLNAME',
    'header that contains the full name of the user',
    proxyHeader,
  ),
  reverseProxyLimit: int('REVERSE_PROXY_LIMIT', 1, 'number of proxies in front of the server; 0 trusts no header', {
    max: 100,
  }),
  reverseProxyTrustedProxies: list(
    'REVERSE_PROXY_TRUSTED_PROXIES',
    ['127.0.0.0/8', '::1/128'],
    'addresses and networks of trusted proxies; * is all, none is no proxy',
  ),
})

export const session = defineSection('session', {
  cookieName: text('COOKIE_NAME', 'ingot_session', 'name of the session cookie', {
    pattern: /^[A-Za-z0-9_-]+$/,
    form: 'a cookie name of letters, digits, _ and -',
  }),
  cookieSecure: text('COOKIE_SECURE', '', 'whether browsers send the cookie over https only; empty follows ROOT_URL', {
    pattern: /^(true|false|yes|no|on|off|1|0)$/i,
    form: 'true, false or empty',
  }),
  domain: text('DOMAIN', '', 'domain of the session cookie; empty is this host only'),
  sameSite: choice('SAME_SITE', ['lax', 'strict', 'none'], 'lax', 'SameSite attribute of the session cookie'),
  sessionLifeTime: int('SESSION_LIFE_TIME', 86_400, 'time after which an idle session expires, in seconds', {
    min: 60,
  }),
})

export const cors = defineSection('cors', {
  enabled: bool('ENABLED', false, 'whether pages of other origins may call the API'),
  allowDomain: list('ALLOW_DOMAIN', ['*'], 'allowed origins, such as https://app.example.com; * is all'),
  methods: list(
    'METHODS',
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    'methods that pages of other origins may use',
  ),
  maxAge: durationMs('MAX_AGE', '10m', 'time that browsers may cache a preflight response'),
  allowCredentials: bool('ALLOW_CREDENTIALS', false, 'whether pages of other origins may send cookies and credentials'),
  headers: list('HEADERS', ['Content-Type', 'User-Agent'], 'additional headers that pages of other origins may send'),
  xFrameOptions: text('X_FRAME_OPTIONS', 'SAMEORIGIN', 'X-Frame-Options header of pages; unset omits it'),
})

export const log = defineSection('log', {
  level: choice(
    'LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'none'],
    'info',
    'minimum level of logged messages',
    {
      synonyms: { critical: 'fatal', warning: 'warn' },
    },
  ),
})

export const metrics = defineSection('metrics', {
  enabled: bool('ENABLED', false, 'whether /metrics is served'),
  token: secret('TOKEN', 'bearer token that /metrics requires; empty requires none'),
})

export const git = defineSection('git', {
  path: text('PATH', '', 'path of the git program; empty searches PATH'),
  homePath: text('HOME_PATH', 'home', 'HOME of git processes, relative to the data folder'),
  disableDiffHighlight: bool(
    'DISABLE_DIFF_HIGHLIGHT',
    false,
    'whether diffs are shown without colours of the language',
  ),
  maxGitDiffLines: int('MAX_GIT_DIFF_LINES', 1000, 'maximum number of lines of a file shown in a diff', { min: 1 }),
  maxGitDiffLineCharacters: int('MAX_GIT_DIFF_LINE_CHARACTERS', 5000, 'maximum number of characters of a diff line', {
    min: 1,
  }),
  maxGitDiffFiles: int('MAX_GIT_DIFF_FILES', 100, 'maximum number of files shown in a diff', { min: 1 }),
  commitsRangeSize: int('COMMITS_RANGE_SIZE', 50, 'commits per page', { min: 1, max: 1000 }),
  branchesRangeSize: int('BRANCHES_RANGE_SIZE', 20, 'branches per page', { min: 1, max: 1000 }),
  disablePartialClone: bool('DISABLE_PARTIAL_CLONE', false, 'whether clones with a filter are refused'),
  verbosePush: bool('VERBOSE_PUSH', true, 'whether the client sees the progress of a push'),
  verbosePushDelay: durationMs('VERBOSE_PUSH_DELAY', '5s', 'time after which the client sees the progress of a push'),
  pullRequestPushMessage: bool('PULL_REQUEST_PUSH_MESSAGE', true, 'whether a push is answered with pull request links'),
  largeObjectThreshold: bytes(
    'LARGE_OBJECT_THRESHOLD',
    '1048576',
    'size above which blobs are streamed and not held in memory',
  ),
  gcArgs: list('GC_ARGS', [], 'additional arguments of git gc'),
})

export const gitTimeout = defineSection('git.timeout', {
  default: int('DEFAULT', 360, 'timeout of a git command, in seconds', { min: 1, max: 86_400 }),
  migrate: int('MIGRATE', 600, 'timeout of importing a repository, in seconds', { min: 1, max: 86_400 }),
  mirror: int('MIRROR', 300, 'timeout of a mirror update, in seconds', { min: 1, max: 86_400 }),
  clone: int('CLONE', 300, 'timeout of an internal clone, in seconds', { min: 1, max: 86_400 }),
  pull: int('PULL', 300, 'timeout of an internal fetch, in seconds', { min: 1, max: 86_400 }),
  gc: int('GC', 60, 'timeout of git gc, in seconds', { min: 1, max: 86_400 }),
  grep: int('GREP', 2, 'timeout of git grep, in seconds', { min: 1, max: 600 }),
})

export const gitReflog = defineSection('git.reflog', {
  enabled: bool('ENABLED', true, 'whether repositories keep reflogs'),
  expiration: int('EXPIRATION', 90, 'retention of reflog entries, in days'),
})
