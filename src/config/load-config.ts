import { isAbsolute, resolve } from 'node:path'
import { ConfigError, type ConfigRemark } from './config-error.ts'
import { readEnvironment } from './environment.ts'
import { InterpolationError, RawSettings } from './raw-settings.ts'
import { type DeclaredConfig, findSetting, sections } from './sections.ts'
import { type Section, type Setting, SettingError } from './setting.ts'
import { type FirstAdmin, readFirstAdmin } from './first-admin.ts'
import { findSettingsFile, readSettingsFile } from './settings-file.ts'
import { readSmallFile } from './small-file.ts'
import { readStorage, type StorageConfig, type StorageSettings } from './storage-settings.ts'
import { type freeSections, idleKeys, unknownKeys } from './unknown-keys.ts'
import { reportUnsupported } from './unsupported-settings.ts'
import { problemOfReplyAddress } from '../lib/reply-address.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

/** Command line options. They override the environment and the file. */
export interface ConfigOverrides {
  /** `--config`: the settings file. Default: INGOT_CONFIG, otherwise app.ini in the data folder if it exists. */
  readonly configFile?: string
  /** `--data` */
  readonly dataFolder?: string
  /** `--port`; the same parser as for the file. */
  readonly port?: string | number
  /** `--ssh-port` */
  readonly sshPort?: string | number
  /** `--host` */
  readonly host?: string
  /** `[repository].STORAGE`, as it will be after a move. */
  readonly repositoryStorage?: 'blobs' | 'local'
}

export interface LoadConfigInput {
  readonly overrides?: ConfigOverrides
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The base of relative paths in options. Default: the working directory. */
  readonly cwd?: string
}

/** Absolute paths of the instance's data. */
export interface ConfigPaths {
  readonly data: string
  readonly repositories: string
  readonly blobs: string
  readonly database: string
  readonly tmp: string
  readonly logs: string
  readonly gitHome: string
  /** The file of the generated instance key, used when [security].SECRET_KEY is empty. */
  readonly secretKeyFile: string
  readonly sshHostKeys: readonly string[]
  readonly oauth2SigningKey: string
}

interface ServerDerived {
  /** The public URL, with a trailing `/`. */
  readonly rootUrl: string
  /** The path of rootUrl without the trailing `/`: empty, or for example `/forge`. */
  readonly subPath: string
  readonly localRootUrl: string
  readonly sshListenPort: number
  /** Whether ROOT_URL is derived from PROTOCOL, DOMAIN and HTTP_PORT. */
  readonly isRootUrlDerived: boolean
}

/** All settings, frozen: one member per section and key (camel case). Durations are in milliseconds, sizes in bytes. */
export type Config = Omit<DeclaredConfig, 'server' | 'database' | 'session'> & {
  readonly server: Omit<DeclaredConfig['server'], keyof ServerDerived> & ServerDerived
  readonly database: DeclaredConfig['database'] & { readonly kind: 'sqlite3' | 'postgres' }
  readonly session: Omit<DeclaredConfig['session'], 'cookieSecure'> & { readonly cookieSecure: boolean }
  readonly storage: StorageConfig
  /** Where the packs of repositories are stored; undefined: the repositories on the disk are durable. */
  readonly packStorage: StorageSettings | undefined
  /** `[git.config]`: options for every git command. */
  readonly gitConfig: Readonly<Record<string, string>>
  /** `[mailer.override_header]`: headers of every mail. */
  readonly mailerOverrideHeader: Readonly<Record<string, string>>
  /** `[repository.mimetype_mapping]`: media types by file extension with the dot. */
  readonly repositoryMimetypeMapping: Readonly<Record<string, string>>
  readonly paths: ConfigPaths
  readonly firstAdmin: FirstAdmin | undefined
}

/** A setting for `config show`. Secrets are masked. */
export interface EffectiveSetting {
  readonly section: string
  readonly key: string
  readonly kind: string
  readonly meaning: string
  readonly value: string
  readonly defaultText: string
  /** The location of the value, or `default`. */
  readonly origin: string
}

export interface LoadedConfig {
  readonly config: Config
  /** Unknown keys, and lines that are probably mistakes. */
  readonly warnings: readonly ConfigRemark[]
  /** Configured keys without effect. */
  readonly idle: readonly ConfigRemark[]
  readonly settings: readonly EffectiveSetting[]
  /** The path of the settings file. */
  readonly file: string | undefined
}

const defaultText = (section: string, key: string): string | undefined => findSetting(section, key)?.defaultText

/**
 * Reads the settings. Later sources override earlier ones: built-in defaults, the settings file, variables (`GITEA__…`,
 * `FORGEJO__…`, `INGOT__…`), options. Throws ConfigError with all problems. The result depends only on the arguments
 * and the named files.
 */
export function loadConfig(input: LoadConfigInput = {}): LoadedConfig {
  const { overrides = {}, env = process.env, cwd = process.cwd() } = input
  const problems: ConfigRemark[] = []
  const warnings: ConfigRemark[] = []
  const raw = new RawSettings()

  const environment = readEnvironment(env)
  const given = environment.entries.findLast((entry) => entry.section === 'server' && entry.key === 'APP_DATA_PATH')
  const dataFolder = overrides.dataFolder ?? given?.value ?? 'data'
  const file = findSettingsFile(overrides.configFile ?? env['INGOT_CONFIG'], cwd, dataFolder)
  if (file !== undefined) readSettingsFile(file, raw, problems, warnings)
  for (const { variable, reason } of environment.problems) {
    problems.push({ where: variable, section: '', key: '', reason })
  }
  for (const { variable, section, key, value, isInterpolated } of environment.entries) {
    raw.set(section, { key, text: value, isInterpolated, origin: { where: variable } })
  }
  applyOverrides(overrides, raw, cwd)
  warnings.push(...unknownKeys(raw))

  const report = (section: string, key: string, reason: string): void => {
    const origin = raw.find(section, key)?.origin
    problems.push({ ...(origin ?? { where: '' }), section, key, reason })
  }
  const read = (section: string, value: string, key = ''): string => {
    try {
      return raw.interpolate(section, value, defaultText, [`${section}.${key}`])
    } catch (error) {
      if (!(error instanceof InterpolationError)) throw error
      report(section, key, error.message)
      return ''
    }
  }

  const settings: EffectiveSetting[] = []
  const values = readSections(raw, read, report, settings)
  const config = derive(values, { raw, read, report, env, cwd, problems })
  if (problems.length > 0) {
    const inOrder = problems.toSorted((a, b) => byLine(a) - byLine(b))
    throw new ConfigError(inOrder, warnings)
  }
  return { config: deepFreeze(config), warnings, idle: idleKeys(raw), settings, file }
}

/**
 * Returns the settings with the actual ports, after the server bound them (port 0 binds a free port). A derived root
 * URL is adapted.
 */
export function withBoundPorts(
  config: Config,
  ports: { readonly http?: number; readonly ssh?: number; readonly redirect?: number },
): Config {
  const { server } = config
  const httpPort = ports.http ?? server.httpPort
  const sshListenPort = ports.ssh ?? server.sshListenPort
  const rootUrl = server.isRootUrlDerived ? derivedRootUrl({ ...server, httpPort }) : server.rootUrl
  const sshPort = server.sshPort === server.sshListenPort ? sshListenPort : server.sshPort
  const localRootUrl = server.localRootUrl.replace(`:${server.httpPort}/`, `:${httpPort}/`)
  const portToRedirect = ports.redirect ?? server.portToRedirect
  return deepFreeze({
    ...config,
    server: { ...server, httpPort, sshListenPort, sshPort, portToRedirect, rootUrl, localRootUrl },
  })
}

/** Sorts the problems of the file first, by line; the problems of variables and options have no line. */
const byLine = (problem: ConfigRemark): number => problem.line ?? Number.MAX_SAFE_INTEGER

function applyOverrides(overrides: ConfigOverrides, raw: RawSettings, cwd: string): void {
  const set = (key: string, value: string | number | undefined, option: string, section = 'server'): void => {
    if (value !== undefined) {
      raw.set(section, { key, text: String(value), isInterpolated: false, origin: { where: option } })
    }
  }
  set('APP_DATA_PATH', overrides.dataFolder === undefined ? undefined : resolve(cwd, overrides.dataFolder), '--data')
  set('HTTP_ADDR', overrides.host, '--host')
  set('HTTP_PORT', overrides.port, '--port')
  set('SSH_LISTEN_PORT', overrides.sshPort, '--ssh-port')
  // With a port mapping, SSH_PORT names the port that clients see. Otherwise it follows the listening port.
  if (raw.own('server', 'SSH_PORT') === undefined) set('SSH_PORT', overrides.sshPort, '--ssh-port')
  set('STORAGE', overrides.repositoryStorage, 'move-repositories', 'repository')
}

type Read = (section: string, value: string, key?: string) => string
type Report = (section: string, key: string, reason: string) => void

function readSections(raw: RawSettings, read: Read, report: Report, settings: EffectiveSetting[]): DeclaredConfig {
  const values = Object.fromEntries(
    Object.entries(sections).map(([name, section]: [string, Section]) => [
      name,
      Object.fromEntries(
        Object.entries(section.settings).map(([member, setting]) => {
          const result = readSetting(section.name, setting, raw, read, report)
          settings.push(describeSetting(section.name, setting, result.text, result.origin))
          return [member, result.value]
        }),
      ),
    ]),
  )
  // The members are built from `sections`, from which the type DeclaredConfig is derived.
  return values as unknown as DeclaredConfig
}

function readSetting(
  section: string,
  setting: Setting<unknown>,
  raw: RawSettings,
  read: Read,
  report: Report,
): { readonly value: unknown; readonly text: string; readonly origin: string } {
  const uriKey = `${setting.key}_URI`
  const uri = setting.isSecret ? raw.own(section, uriKey) : undefined
  const given = [setting.key, ...setting.aliases]
    .map((key) => raw.find(section, key))
    .find((value) => value !== undefined)
  if (uri !== undefined && uri.text !== '') {
    if (given !== undefined && given.text !== '') {
      report(section, uriKey, `cannot be given together with ${setting.key}`)
    }
    return {
      value: readSecretUri(uri.text, (reason) => report(section, uriKey, reason)),
      text: '',
      origin: uri.origin.where,
    }
  }
  if (given === undefined || (given.text === '' && setting.emptyMeansDefault)) {
    const text = setting.defaultText.includes('%(')
      ? read(section, setting.defaultText, setting.key)
      : setting.defaultText
    return { value: text === setting.defaultText ? setting.defaultValue : text, text, origin: 'default' }
  }
  const text = given.isInterpolated ? read(section, given.text, setting.key) : given.text
  try {
    return { value: setting.parse(text.trim()), text, origin: given.origin.where }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    report(section, given.key, error.message)
    return { value: setting.defaultValue, text, origin: given.origin.where }
  }
}

function readSecretUri(uri: string, report: (reason: string) => void): string {
  const path = uri.startsWith('file:') ? uri.slice('file:'.length).replace(/^\/\/(?=\/)/, '') : undefined
  if (path === undefined || !isAbsolute(path)) {
    report('must have the form file:/path/of/a/file')
    return ''
  }
  const file = readSmallFile(path)
  if (!file.ok) report(`${path}: ${file.reason}`)
  const value = file.ok ? file.text.trim() : ''
  if (file.ok && value === '') report(`${path}: is empty`)
  return value
}

const describeSetting = (
  section: string,
  setting: Setting<unknown>,
  text: string,
  origin: string,
): EffectiveSetting => ({
  section,
  key: setting.key,
  kind: setting.kind,
  meaning: setting.meaning,
  value: setting.isSecret ? (text === '' && origin === 'default' ? '' : '********') : text,
  defaultText: setting.defaultText,
  origin,
})

interface Sources {
  readonly raw: RawSettings
  readonly read: Read
  readonly report: Report
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly problems: ConfigRemark[]
}

function derive(values: DeclaredConfig, sources: Sources): Config {
  const { raw, read, report } = sources
  const workPath = resolve(sources.cwd, values.instance.workPath)
  const paths = derivePaths(values, workPath)
  const server = deriveServer(values, sources, workPath)
  const { cookieSecure } = values.session
  checkTogether(values, raw, report)
  reportUnsupported(raw, report)
  return {
    ...values,
    server,
    database: { ...values.database, maxOpenConns: values.database.maxOpenConns || 20, kind: values.database.dbType },
    service: {
      ...values.service,
      defaultUserVisibility: deriveDefaultVisibility(values, sources),
      maxUserRedirects: deriveMaxUserRedirects(values, raw),
    },
    // A minimum interval above the default interval raises the default.
    mirror: { ...values.mirror, defaultInterval: Math.max(values.mirror.defaultInterval, values.mirror.minInterval) },
    session: {
      ...values.session,
      cookieSecure: cookieSecure === '' ? server.rootUrl.startsWith('https:') : /^(true|yes|on|1)$/i.test(cookieSecure),
    },
    mailer: {
      ...values.mailer,
      clientCertFile: resolve(workPath, values.mailer.clientCertFile),
      clientKeyFile: resolve(workPath, values.mailer.clientKeyFile),
    },
    ...readStorage(
      raw,
      read,
      report,
      workPath,
      paths.blobs,
      {
        avatars: raw.own('picture', 'AVATAR_STORAGE_TYPE')?.text ?? '',
        repoAvatars: raw.own('picture', 'REPOSITORY_AVATAR_STORAGE_TYPE')?.text ?? '',
      },
      values.repository.storage === 'blobs',
    ),
    gitConfig: freeKeys(raw, read, 'git.config'),
    mailerOverrideHeader: freeKeys(raw, read, 'mailer.override_header'),
    repositoryMimetypeMapping: freeKeys(raw, read, 'repository.mimetype_mapping'),
    paths,
    firstAdmin: readFirstAdmin(sources.env, sources.problems),
  }
}

const freeKeys = (
  raw: RawSettings,
  read: Read,
  section: (typeof freeSections)[number],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    raw
      .keys(section)
      .map((value) => [value.key, value.isInterpolated ? read(section, value.text, value.key) : value.text]),
  )

function derivePaths(values: DeclaredConfig, workPath: string): ConfigPaths {
  const data = resolve(workPath, values.server.appDataPath === '' ? 'data' : values.server.appDataPath)
  const inWork = (given: string, usual: string): string =>
    given === '' ? resolve(data, usual) : resolve(workPath, given)
  return {
    data,
    repositories: inWork(values.repository.root, 'repositories'),
    blobs: resolve(data, 'blobs'),
    database: inWork(values.database.path, 'ingot.db'),
    tmp: resolve(data, 'tmp'),
    logs: resolve(data, 'log'),
    gitHome: resolve(data, values.git.homePath === '' ? 'home' : values.git.homePath),
    secretKeyFile: resolve(data, 'secret.key'),
    sshHostKeys: values.server.sshServerHostKeys.map((path) => resolve(data, path)),
    oauth2SigningKey: resolve(data, values.oauth2.jwtSigningPrivateKeyFile),
  }
}

/** Returns the host part of a URL; an IPv6 address gets brackets. */
const urlHost = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

function derivedRootUrl(server: { protocol: string; domain: string; httpPort: number }): string {
  const scheme = server.protocol === 'https' ? 'https' : 'http'
  const isUsualPort = server.protocol === 'http+unix' || server.httpPort === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${urlHost(server.domain)}${isUsualPort ? '' : `:${server.httpPort}`}/`
}

/** Returns the URL by which processes of this machine reach the server. A wildcard address is replaced by localhost. */
function derivedLocalRootUrl(server: DeclaredConfig['server']): string {
  const { httpAddr } = server
  const host = httpAddr === '' || httpAddr === '0.0.0.0' || httpAddr === '::' ? 'localhost' : urlHost(httpAddr)
  return server.protocol === 'http+unix' ? 'http://localhost/' : `${server.protocol}://${host}:${server.httpPort}/`
}

const withSlash = (value: string): string => (value.endsWith('/') ? value : `${value}/`)

/**
 * Settings that only affect TLS. With another protocol they would have no effect, and the server would speak plain
 * HTTP.
 */
const tlsKeys: readonly string[] = [
  'CERT_FILE',
  'KEY_FILE',
  'SSL_MIN_VERSION',
  'SSL_MAX_VERSION',
  'SSL_CURVE_PREFERENCES',
  'SSL_CIPHER_SUITES',
  'PORT_TO_REDIRECT',
]

function checkTls(server: DeclaredConfig['server'], raw: RawSettings, report: Report): void {
  if (server.protocol !== 'https') {
    const given = tlsKeys.filter((key) => (raw.own('server', key)?.text ?? '') !== '')
    if (server.redirectOtherPort) given.push('REDIRECT_OTHER_PORT')
    for (const key of given) report('server', key, 'has an effect only with PROTOCOL = https')
    return
  }
  if (server.certFile === '') report('server', 'CERT_FILE', 'is needed with PROTOCOL = https')
  if (server.keyFile === '') report('server', 'KEY_FILE', 'is needed with PROTOCOL = https')
  if (server.sslMinVersion > server.sslMaxVersion) {
    report('server', 'SSL_MIN_VERSION', 'must not be newer than SSL_MAX_VERSION')
  }
  if (server.redirectOtherPort && server.portToRedirect === server.httpPort && server.httpPort !== 0) {
    report('server', 'PORT_TO_REDIRECT', 'must differ from HTTP_PORT')
  }
}

function deriveServer(values: DeclaredConfig, { raw, report }: Sources, workPath: string): Config['server'] {
  const { server } = values
  const isRootUrlDerived = server.rootUrl === ''
  const rootUrl = withSlash(isRootUrlDerived ? derivedRootUrl(server) : server.rootUrl)
  const parsed = URL.parse(rootUrl)
  if (parsed === null) report('server', isRootUrlDerived ? 'DOMAIN' : 'ROOT_URL', `${rootUrl} is no URL`)
  else if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '') {
    report('server', 'ROOT_URL', 'must not have a user, a query or a fragment')
  }
  const sshListenPort = Number(server.sshListenPort)
  if (!(sshListenPort <= 65_535)) report('server', 'SSH_LISTEN_PORT', 'must be a port from 0 to 65535')
  if (server.protocol === 'http+unix' && !server.httpAddr.includes('/')) {
    report('server', 'HTTP_ADDR', 'must be the path of a socket when PROTOCOL is http+unix')
  }
  checkTls(server, raw, report)
  return {
    ...server,
    // All relative paths have the same base folder. An IPv6 address has brackets only in URLs.
    httpAddr:
      server.protocol === 'http+unix'
        ? resolve(workPath, server.httpAddr)
        : server.httpAddr.replace(/^\[(.*)\]$/, '$1'),
    certFile: server.certFile === '' ? '' : resolve(workPath, server.certFile),
    keyFile: server.keyFile === '' ? '' : resolve(workPath, server.keyFile),
    isRootUrlDerived,
    rootUrl,
    subPath: trimTrailing(parsed?.pathname ?? '/', '/'),
    localRootUrl: withSlash(server.localRootUrl === '' ? derivedLocalRootUrl(server) : server.localRootUrl),
    sshListenPort,
  }
}

/** The family's default number of redirecting former names: 5 with a cooldown for names, otherwise unlimited. */
const deriveMaxUserRedirects = (values: DeclaredConfig, raw: RawSettings): number =>
  raw.find('service', 'MAX_USER_REDIRECTS') === undefined && values.service.usernameCooldownPeriod > 0
    ? 5
    : values.service.maxUserRedirects

function deriveDefaultVisibility(values: DeclaredConfig, { raw, report }: Sources): 'public' | 'limited' | 'private' {
  const { allowedUserVisibilityModes: allowed, defaultUserVisibility } = values.service
  if (allowed.length === 0) report('service', 'ALLOWED_USER_VISIBILITY_MODES', 'must name at least one visibility')
  if (allowed.includes(defaultUserVisibility)) return defaultUserVisibility
  if (raw.find('service', 'DEFAULT_USER_VISIBILITY') !== undefined) {
    report('service', 'DEFAULT_USER_VISIBILITY', 'is not one of ALLOWED_USER_VISIBILITY_MODES')
  }
  // Without a configured default, the first allowed mode applies, as in the family.
  return (['public', 'limited', 'private'] as const).find((visibility) => visibility === allowed[0]) ?? 'public'
}

/** Checks rules about several keys. */
function checkTogether(values: DeclaredConfig, raw: RawSettings, report: Report): void {
  const { mailer, emailIncoming, service, camo, repository, security } = values
  if (repository.storage === 'blobs' && !security.disableGitHooks) {
    report('repository', 'STORAGE', 'blobs has no place for the git hooks of [security].DISABLE_GIT_HOOKS = false')
  }
  if (mailer.enabled && mailer.protocol !== 'dummy') {
    if (mailer.from === '') report('mailer', 'FROM', 'is needed to send mail')
    if (mailer.protocol !== 'sendmail' && mailer.smtpAddr === '') {
      report('mailer', 'SMTP_ADDR', 'is needed to send mail')
    }
    if (mailer.useClientCert && (mailer.clientCertFile === '' || mailer.clientKeyFile === '')) {
      report('mailer', 'USE_CLIENT_CERT', 'needs CLIENT_CERT_FILE and CLIENT_KEY_FILE')
    }
  }
  if (emailIncoming.enabled) {
    for (const key of ['HOST', 'USERNAME', 'PASSWORD'] as const) {
      const name = key.toLowerCase() as Lowercase<typeof key>
      if (emailIncoming[name] === '') report('email.incoming', key, 'is needed for incoming mail')
    }
    const problem = problemOfReplyAddress(emailIncoming.replyToAddress)
    if (problem !== undefined) report('email.incoming', 'REPLY_TO_ADDRESS', problem)
  }
  if (service.allowOnlyExternalRegistration && service.allowOnlyInternalRegistration) {
    report('service', 'ALLOW_ONLY_EXTERNAL_REGISTRATION', 'contradicts ALLOW_ONLY_INTERNAL_REGISTRATION')
  }
  if (service.enableReverseProxyAuthentication) {
    const { reverseProxyTrustedProxies: proxies, reverseProxyLimit } = values.security
    // The default list, all local programs, is trusted for client addresses but not for identities.
    const isNamed = raw.find('security', 'REVERSE_PROXY_TRUSTED_PROXIES') !== undefined
    if (!isNamed || proxies.length === 0 || reverseProxyLimit === 0) {
      report('service', 'ENABLE_REVERSE_PROXY_AUTHENTICATION', 'needs [security].REVERSE_PROXY_TRUSTED_PROXIES')
    }
    if (proxies.some((each) => each === '*' || each.endsWith('/0'))) {
      report(
        'security',
        'REVERSE_PROXY_TRUSTED_PROXIES',
        'must list only the proxies: any listed address can sign in as any account',
      )
    }
  }
  if (camo.enabled && (camo.serverUrl === '' || camo.hmacKey === '')) {
    report('camo', 'ENABLED', 'needs SERVER_URL and HMAC_KEY')
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
