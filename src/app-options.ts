import type { AdmissionLimits } from './admission/admission.ts'
import { trustedProxiesOf } from './http/client-address.ts'
import type { Config } from './config/load-config.ts'
import { cipherList, curveList } from './config/tls-names.ts'
import type { DatabaseOptions } from './db/open.ts'
import type { GitOptions } from './git/git-options.ts'
import type { Site } from './http/error-forms.ts'
import type { ServerOptions } from './http/server.ts'
import type { TlsOptions } from './http/tls.ts'
import type { PoolSlots } from './jobs/pools.ts'
import type { Log } from './lib/log.ts'
import type { MailerOptions } from './mail/mailer.ts'

/** Returns the options of the mailer. */
export const mailerOptions = (config: Config): MailerOptions => ({
  ...config.mailer,
  overrideHeaders: config.mailerOverrideHeader,
  maxConnections: config.ingot.maxMailConnections,
  timeoutMs: config.ingot.mailTimeout,
})

/** Returns the number of concurrent background jobs per pool in this process. */
export const jobSlots = ({ ingot }: Config): PoolSlots => ({
  default: ingot.jobWorkers,
  git: ingot.jobWorkersGit,
  maintenance: ingot.jobWorkersMaintenance,
  mirrors: ingot.jobWorkersMirrors,
  imports: ingot.jobWorkersImports,
  tasks: ingot.jobWorkersTasks,
  mail: ingot.jobWorkersMail,
  webhooks: ingot.jobWorkersWebhooks,
  webhookRetries: ingot.jobWorkersWebhookRetries,
  render: ingot.jobWorkersRender,
})

/** Returns the configured database in the form of the drivers. */
export function databaseOptions(config: Config): DatabaseOptions {
  const { database, paths } = config
  if (database.kind === 'sqlite3') {
    return { kind: 'sqlite', path: paths.database, maxReaders: 4, writerWaitMs: 30_000, busyTimeoutMs: 5000 }
  }
  const url = new URL('postgres://localhost')
  url.username = encodeURIComponent(database.user)
  url.password = encodeURIComponent(database.passwd)
  url.pathname = `/${encodeURIComponent(database.name)}`
  if (database.host.startsWith('/')) url.searchParams.set('host', database.host)
  else url.host = database.host
  if (database.sslMode !== 'disable') url.searchParams.set('sslmode', database.sslMode)
  if (database.schema !== '') url.searchParams.set('options', `-c search_path=${database.schema}`)
  return {
    kind: 'postgres',
    url: url.href,
    maxConnections: database.maxOpenConns || 20,
    connectWaitMs: 10_000,
    statementTimeoutMs: 60_000,
  }
}

/** Returns the capacities that clients share. */
export const admissionLimits = ({ ingot }: Config): AdmissionLimits => ({
  requests: ingot.maxRequests,
  expensive: ingot.maxExpensiveRequests,
  fetches: ingot.maxGitFetches,
  pushes: ingot.maxGitPushes,
  archives: ingot.maxGitArchives,
  downloads: ingot.maxGitDownloads,
  maxWaiting: ingot.maxGitQueue,
  waitMs: ingot.maxPlaceWait,
  heldBytes: ingot.maxHeldBodies,
  maxBodyBytes: ingot.maxJsonBody,
  spoolBytes: ingot.maxFetchSpool,
})

/** Returns the program of git that the settings name. */
export const gitBinaryOf = ({ git }: Pick<Config, 'git'>): string => (git.path === '' ? 'git' : git.path)

/** Time in which an unused copy of a repository is kept, in milliseconds: longer than a request or a step of a job. */
const copyIdleMs = 10 * 60_000

/** Returns the options of git; `more` takes precedence. */
export function gitOptions(config: Config, log: Log, more: Partial<GitOptions> = {}): GitOptions {
  return {
    repositoriesRoot: config.paths.repositories,
    // Processes with a shared database share the repositories.
    shared: config.database.kind !== 'sqlite3',
    lockAgeMs: config.ingot.gitLockAge,
    gitBinary: gitBinaryOf(config),
    copyBudget: { bytes: config.ingot.repositoryCacheSize, idleMs: copyIdleMs },
    log,
    ...more,
    limits: {
      fetchProcesses: config.ingot.maxGitFetches,
      pushProcesses: config.ingot.maxGitPushes,
      archiveProcesses: config.ingot.maxGitArchives,
      downloadProcesses: config.ingot.maxGitDownloads,
      // Expensive requests of clients use git readers; some readers are reserved for other work.
      readProcesses: config.ingot.maxExpensiveRequests + 4,
      pooledProcesses: config.ingot.maxGitReaders,
      waiting: config.ingot.maxGitQueue,
      keptFetchBytes: config.ingot.maxKeptFetches,
      ...(config.ingot.maxPushSize >= 0 ? { maxPackBytes: config.ingot.maxPushSize } : {}),
      ...more.limits,
    },
  }
}

/** Returns the TLS options for `PROTOCOL = https`. */
export const tlsOptions = ({ server }: Config): TlsOptions => ({
  certFile: server.certFile,
  keyFile: server.keyFile,
  minVersion: server.sslMinVersion,
  maxVersion: server.sslMaxVersion,
  ciphers: cipherList(server.sslCipherSuites),
  curves: curveList(server.sslCurvePreferences),
})

/** Returns the public site. */
export const siteOf = ({ api, instance, server: { rootUrl } }: Config): Site => ({
  url: rootUrl,
  name: instance.appName,
  apiDocsUrl: api.enableSwagger ? `${rootUrl}api/swagger` : rootUrl,
})

/** Returns the options of the web server from the configuration. */
export function serverOptions(
  config: Config,
): Omit<
  ServerOptions,
  | 'operations'
  | 'admission'
  | 'admit'
  | 'admitAgain'
  | 'lastingAnswers'
  | 'within'
  | 'site'
  | 'pageErrors'
  | 'unknownPath'
  | 'validateReplies'
  | 'answered'
  | 'defect'
  | 'isLostRace'
  | 'isDatabaseAway'
  | 'raceLost'
  | 'createServer'
> {
  const { cors, ingot, security, server, session } = config
  return {
    subPath: server.subPath,
    // `*` trusts the forwarded address of every client.
    trustedProxies: trustedProxiesOf(security),
    maxBodyBytes: Math.min(ingot.maxBody, ingot.maxJsonBody),
    maxFileBodyBytes: ingot.maxJsonBody,
    bodyIdleMs: ingot.requestTimeout,
    headersTimeoutMs: ingot.requestTimeout,
    maxConnections: ingot.maxConnections,
    slowReaderMs: ingot.slowClientTimeout,
    minBytesPerSecond: ingot.minClientSpeed,
    gzip: server.enableGzip,
    compressesPages: session.sameSite !== 'none',
    cors: cors.enabled
      ? {
          allowDomains: cors.allowDomain,
          methods: cors.methods,
          headers: cors.headers,
          allowCredentials: cors.allowCredentials,
          maxAgeSeconds: Math.round(cors.maxAge / 1000),
        }
      : undefined,
  }
}
