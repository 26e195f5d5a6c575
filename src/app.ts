import { checkCost } from './access/check-cost.ts'
import { holdDeletions } from './admin/backup/held-deletions.ts'
import { checkIdentity, type IdentityMode } from './admin/identity/identity.service.ts'
import { serverWork } from './access/server-work.ts'
import type { AddressInfo } from 'node:net'
import { attachAudit } from './audit/audit.ts'
import type { DoctorCheck } from './access/contributions/doctor.ts'
import { collectContributions, type Door, type Feature, type FileColumn } from './access/feature.ts'
import { Admission } from './admission/admission.ts'
import { openOwnServices } from './access/own-service.ts'
import {
  admissionLimits,
  databaseOptions,
  gitOptions,
  jobSlots,
  mailerOptions,
  serverOptions,
  siteOf,
  tlsOptions,
} from './app-options.ts'
import { admit, admitAgain } from './access/admit.ts'
import { checkOnEvents } from './access/lasting-access.ts'
import type { Ctx, Services } from './access/context.ts'
import { accessTokens, passwords } from './auth/identify.ts'
import { PasswordChecks } from './auth/password-check.ts'
import { SharedAttempts } from './auth/shared-attempts.ts'
import { failureWindowMs, SignInAttempts } from './auth/sign-in-attempts.ts'
import { NotedUse } from './auth/noted-use.ts'
import { noteSessionsUsed } from './auth/session.service.ts'
import { updateTokensUsed } from './auth/token.store.ts'
import type { Config } from './config/load-config.ts'
import { withBoundPorts } from './config/load-config.ts'
import { requestOrigin, withOrigin } from './audit/request-origin.ts'
import { ProcessLease } from './db/process-lease.ts'
import { attachClock, attachSharedClock } from './db/clock.ts'
import { isLostRace, type Db } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { sortsBytewise, unsafeSettings } from './db/postgres.ts'
import { isDatabaseAway, reachDatabase } from './db/reach.ts'
import { closeDatabase, openDatabase } from './db/open.ts'
import { attachEvents, createEventHub } from './events/hub.ts'
import type { GitOptions } from './git/git-options.ts'
import { startGit } from './git/start-git.ts'
import { operationsOf, type NamedOperation } from './http/operation.ts'
import { HttpsRedirect } from './http/https-redirect.ts'
import { LastingAnswers } from './http/lasting-answers.ts'
import { ForgeServer, type Answered } from './http/server.ts'
import type { TlsFront } from './http/tls.ts'
import { getQueueStats } from './jobs/queue.ts'
import { createScheduler, type Scheduler } from './jobs/scheduler.ts'
import { startWorkers, type Workers } from './jobs/workers.ts'
import { CacheBudget } from './lib/cache-budget.ts'
import type { Log } from './lib/log.ts'
import { watchLoop } from './lib/loop-watch.ts'
import { makeFolder } from './lib/make-folder.ts'
import type { SpareThreads } from './lib/own-thread.ts'
import type { Clock } from './lib/time.ts'
import { loadInstanceKeys } from './secrets/instance-key.ts'
import { verifyPassword } from './secrets/passwords.ts'
import { createSecrets } from './secrets/secrets.ts'
import { createImages } from './images/images.ts'
import { createTexts } from './markup/texts.ts'
import { createMailer } from './mail/mailer.ts'
import { openBlobs, openStores } from './storage/open-blobs.ts'

import { site } from './site/site.feature.ts'
import { users } from './users/users.feature.ts'
import { orgs } from './orgs/orgs.feature.ts'
import { refSource } from './refs/changes/ref-source.ts'
import { refs } from './refs/refs.feature.ts'
import { repos } from './repos/repos.feature.ts'
import { boards } from './boards/boards.feature.ts'
import { code } from './code/code.feature.ts'
import { attachments } from './attachments/attachments.feature.ts'
import { issues } from './issues/issues.feature.ts'
import { pulls } from './pulls/pulls.feature.ts'
import { releases } from './releases/releases.feature.ts'
import { wiki } from './wiki/wiki.feature.ts'
import { lfs } from './lfs/lfs.feature.ts'
import { oauth } from './oauth/oauth.feature.ts'
import { sources } from './sources/sources.feature.ts'
import { imports } from './imports/imports.feature.ts'
import { packages } from './packages/packages.feature.ts'
import { quota } from './quota/quota.feature.ts'
import { actions } from './actions/actions.feature.ts'
import { admin } from './admin/admin.feature.ts'
import { activity } from './activity/activity.feature.ts'
import { feed } from './feed/feed.feature.ts'
import { notifications } from './notifications/notifications.feature.ts'
import { webhooks } from './webhooks/webhooks.feature.ts'
import { triggers } from './triggers/triggers.feature.ts'
import { mail } from './mail/mail.feature.ts'
import { federation } from './federation/federation.feature.ts'
import { transport } from './transport/transport.feature.ts'
import { inLanguage } from './web/languages/reader.ts'
import { languageFor } from './web/shell/language-for.ts'
import { errorPages, unknownPath } from './web/shell/send-page.tsx'
import { web } from './web/web.feature.ts'

/** Features in the order of `src/`. Subscribers of one event run in this order. */
const features: readonly Feature[] = [
  site,
  users,
  orgs,
  refs,
  repos,
  code,
  attachments,
  issues,
  boards,
  pulls,
  releases,
  wiki,
  lfs,
  oauth,
  sources,
  imports,
  packages,
  quota,
  actions,
  admin,
  activity,
  feed,
  notifications,
  webhooks,
  triggers,
  mail,
  federation,
  transport,
  web,
]

let ownOperations: readonly NamedOperation[] | undefined

/** Returns every operation of the forge; the same list at each call. */
export const allOperations = (): readonly NamedOperation[] =>
  (ownOperations ??= operationsOf(...features.flatMap(({ routes }) => routes ?? [])))

/** Returns the checks of `ingot doctor` in order; later checks rely on earlier repairs. */
export const allDoctorChecks = (): readonly DoctorCheck[] => collectContributions(features).doctor

/** Returns the columns that hold keys of stored files. */
export const fileColumns = (): readonly FileColumn[] => collectContributions(features).files

export interface AppOptions {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
  /** An open database to use instead of the configured one; the caller closes it. */
  readonly db?: Db
  /** Whether to validate replies against their schemas, for tests and development. */
  readonly validateReplies?: boolean
  /** What becomes of an instance key and storages of another instance; default: the start fails. */
  readonly identity?: IdentityMode
  readonly git?: Partial<GitOptions>
  /** Idle threads that earlier applications left; for tests. */
  readonly spareThreads?: SpareThreads
  /** Additional features, for tests. */
  readonly features?: readonly Feature[]
  /** Ends the wait for an unreachable database. */
  readonly signal?: AbortSignal
  /** Called after each reply. */
  readonly answered?: (facts: Answered) => void
}

/** The application: without servers, as commands use it, or with them after `listen()`. */
export interface App extends AsyncDisposable {
  /** Services of the application. */
  readonly services: Services
  readonly scheduler: Scheduler<Ctx>
  /** Defined after `listen()`: commands only enqueue jobs. */
  readonly workers: Workers
  /**
   * Recovers from a crash, starts the workers and the servers. Returns the address of the web server; the configuration
   * then contains the real ports.
   */
  listen(): Promise<AddressInfo | string>
  /** Reloads the https certificate; does nothing without https. */
  renewCertificate(): Promise<void>
  /** Stops the servers, lets work finish for a while, and closes everything. */
  close(): Promise<void>
}

/** Grace period of requests and jobs when the program stops, in milliseconds. */
const stopDeadlineMs = 10_000

/**
 * Time without a heartbeat after which other processes take over the work of a process, in milliseconds. They look five times
 * as often, so a dead process is noticed within five seconds.
 */
const longestLeaseMs = 4000

/** Event loop delay that is reported, in milliseconds. */
const stallMs = 200

/** Logs a failed request. */
const failed = (error: unknown, call: { readonly id: string; readonly method: string; readonly url: string }) => ({
  error,
  requestId: call.id,
  method: call.method,
  path: call.url.split('?', 1)[0],
})

/** Opens database, git, storage and queue. When one fails, closes the others and throws the reason. */
export async function createApp(options: AppOptions): Promise<App> {
  const opened = new AsyncDisposableStack()
  try {
    return await openApp(options, opened)
  } catch (error) {
    const closed = opened.disposeAsync()
    // A connection attempt cannot be cancelled; an aborted start does not wait for it.
    if (options.signal?.aborted) closed.catch(() => {})
    else await closed
    throw error
  }
}

/** Like `Promise.all`, but rejects only after all promises settled, so that every opened resource can be closed. */
async function allOf<Parts extends readonly unknown[]>(work: {
  readonly [Index in keyof Parts]: Promise<Parts[Index]>
}): Promise<Parts> {
  await Promise.allSettled(work)
  return Promise.all(work) as Promise<unknown> as Promise<Parts>
}

async function openApp(options: AppOptions, opened: AsyncDisposableStack): Promise<App> {
  const { config, log } = options
  const all = [...features, ...(options.features ?? [])]
  const parts = collectContributions(all)
  const readers = [accessTokens, ...all.flatMap(({ credentials }) => credentials ?? []), passwords]
  const operations = options.features ? operationsOf(...all.flatMap(({ routes }) => routes ?? [])) : allOperations()
  makeFolder(config.paths.data, 0o700)
  const db = options.db ?? openDatabase(databaseOptions(config))
  if (options.clock) attachClock(db, options.clock)
  const clock = options.clock ?? attachSharedClock(db)
  attachAudit(db, config.ingot.auditLog)
  const hub = createEventHub<Ctx>(
    all.flatMap(({ subscribers }) => subscribers ?? []),
    all.flatMap(({ muted }) => muted?.(config) ?? []),
  )
  const live = attachEvents(db, hub)
  const admission = new Admission(admissionLimits(config))
  const caches = new CacheBudget(config.ingot.cacheSize)
  // Loaded when needed, to save time and memory at the start.
  const metrics = config.metrics.enabled
    ? (await import('./http/metrics.ts')).createMetrics({
        queue: () => getQueueStats(db),
        totals: () => parts.totals(db),
        watchers: () => live.watcherCount,
        slots: () => admission.counts(),
        caches: () => caches.usedByName(),
      })
    : undefined
  opened.defer(() => (options.db ? undefined : closeDatabase(db)))
  await reachDatabase(db, {
    retries: config.database.dbRetries,
    backoffMs: config.database.dbRetryBackoff,
    ...(options.signal ? { signal: options.signal } : {}),
    log,
  })
  // Other resources open during the migrations, which take longest on an empty database.
  const { packStorage } = config
  const packs = packStorage && (await openBlobs(packStorage))
  opened.defer(() => packs?.close())
  const [git, keys, blobs, mailer] = await allOf([
    startGit({
      ...gitOptions(config, log, options.git),
      source: refSource(db),
      packs,
      caches,
      onCommand: ({ name, ms, exitCode }) =>
        metrics?.gitFinished({ command: name, ok: exitCode === 0, durationMs: ms }),
      ...(options.validateReplies
        ? {
            onBegin: (command) =>
              checkCost(
                operations.find(({ id }) => id === requestOrigin()?.operation),
                command,
              ),
          }
        : {}),
    }).then((each) => {
      opened.defer(() => each.close())
      return each
    }),
    loadInstanceKeys({
      secretKey: config.security.secretKey,
      oldSecretKeys: config.ingot.oldSecretKeys,
      keyFile: config.paths.secretKeyFile,
    }),
    openStores(config.storage),
    createMailer(mailerOptions(config), log),
    migrate(db, undefined, log),
  ])
  const tokenUse = new NotedUse(db, clock, log, 'tokens', updateTokensUsed)
  const sessionUse = new NotedUse(db, clock, log, 'sessions', noteSessionsUsed(config))
  // Each task decides whether it is enabled; [cron] is its default.
  const scheduler = createScheduler<Ctx>({
    db,
    schedules: all.flatMap(({ schedules }) => schedules?.(config) ?? []),
    enabled: true,
  })
  const own = openOwnServices(all.flatMap((feature) => feature.services ?? []))
  const leaseMs = Math.min(config.ingot.jobLease, longestLeaseMs)
  const secrets = createSecrets(keys)
  const services: Mutable<Services> = {
    config,
    db,
    process: new ProcessLease({ db, log, leaseMs }),
    ...holdDeletions(db, { git, packs, blobs }),
    caches,
    secrets,
    images: createImages({
      timeoutMs: config.ingot.imageTimeout,
      maxQueue: config.ingot.maxImageQueue,
      spares: options.spareThreads,
    }),
    texts: createTexts({
      timeoutMs: config.ingot.markupTimeout,
      maxQueue: config.ingot.maxMarkupQueue,
      caches,
      cacheBytes: config.ingot.markupCacheSize,
      spares: options.spareThreads,
    }),
    mailer,
    admission,
    clock,
    log,
    live,
    tasks: scheduler,
    metrics,
    tokenUse,
    sessionUse,
    passwordChecks: new PasswordChecks(verifyPassword),
    signInAttempts: new SignInAttempts(clock, new SharedAttempts({ db, clock, secrets }, 'password', failureWindowMs)),
    askSources: async (known, login, password) =>
      (await parts.passwordSource?.(services, known, login, password)) ?? 'elsewhere',
    accountOfProxy: async (headers) => parts.proxySource?.(services, headers),
    parts,
    own: own.own,
    operations: () => operations,
  }
  await checkIdentity(services, options.identity ?? 'refuse')
  await own.open(services)
  let workers: Workers | undefined
  let tls: TlsFront | undefined
  const doors: Pick<Door, 'close'>[] = []
  let endWatch: (() => void) | undefined

  async function close(): Promise<void> {
    await Promise.all(doors.map((door) => door.close(stopDeadlineMs)))
    tls?.close()
    live.close()
    await workers?.stop(stopDeadlineMs)
    await tokenUse.close()
    await sessionUse.close()
    await git.close()
    metrics?.close()
    endWatch?.()
    await services.images.close()
    await services.texts.close()
    services.mailer.close()
    await own.close()
    for (const store of Object.values(services.blobs)) store.close()
    packs?.close()
    await services.process.close()
    if (!options.db) await closeDatabase(db)
  }

  return {
    services,
    scheduler,
    get workers() {
      if (!workers) throw new Error('nothing works in the background before listen()')
      return workers
    },
    async listen() {
      // SQLite has one process; PostgreSQL may have several.
      const isAlone = config.database.kind === 'sqlite3'
      const unsafe = await unsafeSettings(db)
      if (unsafe.length > 0) {
        log('warn', 'acknowledged writes may be lost in a power failure: the database has these settings off', {
          unsafe,
        })
      }
      if (!(await sortsBytewise(db))) {
        log(
          'warn',
          'lists of accounts, repositories, packages and topics sort names by the collation of the database; ' +
            'a database that was created with LC_COLLATE C sorts them by bytes',
        )
      }
      if (isAlone) await services.process.takeOver()
      for (const { begin } of all) await begin?.(services, { isAlone })
      workers = startWorkers<Ctx>({
        db,
        jobs: [...all.flatMap(({ jobs }) => jobs ?? []), ...hub.jobs],
        scheduler,
        createContext: ({ signal }) => serverWork(services, signal),
        log,
        process: services.process,
        isAlone,
        slots: jobSlots(config),
        limits: {
          leaseMs: config.ingot.jobLease,
          idlePollMs: config.ingot.jobPollInterval,
          failedKeepDays: config.ingot.jobRetention / 86_400_000,
        },
        observe: (facts) => metrics?.jobFinished(facts),
      })
      const { httpAddr, httpPort, protocol, redirectOtherPort, portToRedirect } = config.server
      // Loaded when needed, to save memory.
      if (protocol === 'https') tls = await (await import('./http/tls.ts')).TlsFront.open(tlsOptions(config), log)
      const lastingAnswers = new LastingAnswers({
        subscribe: (answers) => checkOnEvents(live, answers),
        failed: (error, call) => log('error', 'the rights of a running answer cannot be read', failed(error, call)),
      })
      const server = new ForgeServer({
        operations,
        createServer: tls?.createServer.bind(tls),
        admission: services.admission,
        admit: (call) => admit(services, readers, call),
        admitAgain: (call) => admitAgain(services, readers, call),
        lastingAnswers,
        within: (call, work) =>
          withOrigin({ address: call.ip, requestId: call.id, operation: (call.operation as NamedOperation).id }, () =>
            call.operation.base === 'site' ? inLanguage(languageFor(call, services.config), work) : work(),
          ),
        site: () => siteOf(services.config),
        pageErrors: errorPages(config, services.clock),
        unknownPath,
        ...serverOptions(config),
        validateReplies: options.validateReplies ?? false,
        answered:
          metrics || options.answered
            ? (facts) => {
                metrics?.requestAnswered(facts)
                options.answered?.(facts)
              }
            : undefined,
        isLostRace,
        isDatabaseAway,
        raceLost: (error, call) => log('warn', 'a request conflicted with a concurrent one', failed(error, call)),
        defect: (error, call) => log('error', 'a request failed', failed(error, call)),
      })
      endWatch = watchLoop(stallMs, ({ ms, workedMs }) => {
        metrics?.loopStalled({ ms })
        // Waiting for a busy machine is in the metrics and not logged.
        if (workedMs > stallMs) {
          log('warn', 'the event loop was blocked', { ms: Math.round(ms), workedMs: Math.round(workedMs) })
        }
      })
      let ports: Door['ports'] = {}
      for (const { door } of all) {
        const opened = await door?.(services)
        if (!opened) continue
        doors.push(opened)
        ports = { ...ports, ...opened.ports }
      }
      doors.push(server)
      const at = await server.listen(
        protocol === 'http+unix'
          ? { socketPath: httpAddr, mode: Number.parseInt(config.server.unixSocketPermission, 8) }
          : { host: httpAddr, port: httpPort },
      )
      if (tls && redirectOtherPort) {
        const redirect = new HttpsRedirect(() => services.config.server.rootUrl)
        doors.push(redirect)
        ports = { ...ports, redirect: (await redirect.listen(httpAddr, portToRedirect)).port }
      }
      services.config = withBoundPorts(config, {
        ...(typeof at === 'string' ? {} : { http: at.port }),
        ...ports,
      })
      return at
    },
    async renewCertificate() {
      await tls?.reload()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
