import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { admit } from './access/admit.ts'
import type { Ctx, Services } from './access/context.ts'
import { PasswordChecks } from './auth/password-check.ts'
import { SignInAttempts } from './auth/sign-in-attempts.ts'
import { TokenUse } from './auth/token-use.ts'
import type { Config } from './config/load-config.ts'
import { withBoundPorts } from './config/load-config.ts'
import { attachClock } from './db/clock.ts'
import type { Db } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { closeDatabase, openDatabase, type DatabaseOptions } from './db/open.ts'
import { attachEvents, createEventHub } from './events/hub.ts'
import type { Subscriber } from './events/subscriber.ts'
import type { GitOptions } from './git/git.ts'
import { startGit } from './git/start-git.ts'
import { operationsOf, type NamedOperation } from './http/operation.ts'
import { createServer, type Answered, type ForgeServer } from './http/server.ts'
import type { AnyJob } from './jobs/job.ts'
import { getQueueStats } from './jobs/queue.ts'
import { createScheduler, type Scheduler } from './jobs/scheduler.ts'
import type { Schedule } from './jobs/schedule.ts'
import { startWorkers, type Workers } from './jobs/workers.ts'
import type { Log } from './lib/log.ts'
import { systemClock, type Clock } from './lib/time.ts'
import { loadInstanceKeys } from './secrets/instance-key.ts'
import { dropLabelsOfOldOwner, makeFirstLabels } from './issues/label.service.ts'
import { removeAttachmentFile, removeAttachmentsOfRepo } from './issues/attachment.service.ts'
import { readCommitMessages } from './issues/commit-reference.service.ts'
import { leftoverAgeSeconds, settleLeftovers } from './repos/ref-door.service.ts'
import { verifyPassword } from './secrets/passwords.ts'
import { createSecrets } from './secrets/secrets.ts'
import { createImages } from './images/images.ts'
import { createMailer, type MailerOptions } from './mail/mailer.ts'
import { migrationHostRules } from './outgoing/host-rules.ts'
import { lazyOutgoing } from './outgoing/lazy-outgoing.ts'
import type { OutgoingOptions } from './outgoing/outgoing.ts'
import { openStores } from './storage/open-blobs.ts'

import { requestReseal, resealSecretsJob } from './admin/reseal-secrets.job.ts'
import { secretPurpose } from './actions/secret.service.ts'
import { countTotals } from './admin/totals.store.ts'
import { checkRepoStats } from './admin/check-repo-stats.task.ts'
import { deleteMissingRepos } from './admin/delete-missing-repos.task.ts'
import { deletedBranchesCleanup } from './admin/deleted-branches-cleanup.task.ts'
import { gitGcRepos } from './admin/git-gc-repos.task.ts'
import { reinitMissingRepos } from './admin/reinit-missing-repos.task.ts'
import { repoHealthCheck } from './admin/repo-health-check.task.ts'
import * as cronRoutes from './admin/cron.routes.ts'
import * as eventRoutes from './admin/event.routes.ts'
import * as adminJobRoutes from './admin/job.routes.ts'
import * as healthRoutes from './admin/health.routes.ts'
import * as metricsRoutes from './admin/metrics.routes.ts'
import * as accountRoutes from './admin/account.routes.ts'
import * as adminUserRoutes from './admin/user.routes.ts'
import * as markupRoutes from './misc/markup.routes.ts'
import * as settingsRoutes from './misc/settings.routes.ts'
import * as templateRoutes from './misc/template.routes.ts'
import * as topicSearchRoutes from './misc/topic-search.routes.ts'
import * as versionRoutes from './misc/version.routes.ts'
import { archiveCleanup, removeArchivesOfRepo } from './repos/archive-cleanup.task.ts'
import * as archiveRoutes from './repos/archive.routes.ts'
import * as commitStatusRoutes from './repos/commit-status.routes.ts'
import * as editorconfigRoutes from './repos/editorconfig.routes.ts'
import * as noteRoutes from './repos/note.routes.ts'
import * as rawRoutes from './repos/raw.routes.ts'
import * as syncForkRoutes from './repos/sync-fork.routes.ts'
import * as branchProtectionRoutes from './repos/branch-protection.routes.ts'
import * as branchRoutes from './repos/branch.routes.ts'
import { countRepoLanguages } from './repos/languages.subscribers.ts'
import * as gitHookRoutes from './repos/git-hook.routes.ts'
import * as languageRoutes from './repos/languages.routes.ts'
import * as signingKeyRoutes from './repos/signing-key.routes.ts'
import * as commitRoutes from './repos/commit.routes.ts'
import * as contentRoutes from './repos/content.routes.ts'
import * as refRoutes from './repos/ref.routes.ts'
import * as tagProtectionRoutes from './repos/tag-protection.routes.ts'
import * as tagRoutes from './repos/tag.routes.ts'
import * as treeRoutes from './repos/tree.routes.ts'
import * as orgMemberRoutes from './orgs/member.routes.ts'
import * as orgRoutes from './orgs/org.routes.ts'
import * as teamRoutes from './orgs/team.routes.ts'
import * as collaborationRoutes from './repos/collaboration.routes.ts'
import * as pullMergeRoutes from './pulls/merge.routes.ts'
import * as pullRoutes from './pulls/pull.routes.ts'
import * as pullReviewRoutes from './pulls/review.routes.ts'
import * as pullSubscribers from './pulls/pull.subscribers.ts'
import * as peopleRoutes from './repos/people.routes.ts'
import * as repoListRoutes from './repos/repo-list.routes.ts'
import * as starRoutes from './repos/star.routes.ts'
import * as topicRoutes from './repos/topic.routes.ts'
import * as watchRoutes from './repos/watch.routes.ts'
import * as forkRoutes from './repos/fork.routes.ts'
import * as orgBlockRoutes from './orgs/block.routes.ts'
import * as blockRoutes from './users/block.routes.ts'
import * as emailRoutes from './users/email.routes.ts'
import * as followRoutes from './users/follow.routes.ts'
import * as keyRoutes from './users/key.routes.ts'
import * as userSettingsRoutes from './users/settings.routes.ts'
import * as transferRoutes from './repos/transfer.routes.ts'
import * as flagRoutes from './repos/flag.routes.ts'
import * as deployKeyRoutes from './repos/deploy-key.routes.ts'
import * as generateRoutes from './repos/generate.routes.ts'
import { copyTemplateLabels } from './issues/template-label.subscribers.ts'
import * as repoRoutes from './repos/repo.routes.ts'
import * as avatarRoutes from './users/avatar.routes.ts'
import { removeReplacedAvatar } from './users/avatar.subscribers.ts'
import { mailWelcome } from './mail/welcome.subscribers.ts'
import * as orgAvatarRoutes from './orgs/avatar.routes.ts'
import * as repoAvatarRoutes from './repos/avatar.routes.ts'
import * as migrateRoutes from './repos/migrate.routes.ts'
import * as mirrorRoutes from './repos/mirror.routes.ts'
import { mirrorPurpose } from './repos/mirror.service.ts'
import { syncMirrorJob, updateMirrors } from './repos/sync-mirror.job.ts'
import * as teamRepoRoutes from './repos/team-repo.routes.ts'
import { maintainAfterChanges, maintainRepository, measureRepository } from './repos/measure.subscribers.ts'
import { deleteExpiredSessions } from './admin/delete-expired-sessions.task.ts'
import { settleRefChanges } from './repos/settle-ref-changes.task.ts'
import {
  copyTemplateAvatar,
  dropUnseenWatches,
  endBlockedRelations,
  removeRepoFiles,
  watchTeamRepos,
} from './repos/repo.subscribers.ts'
import * as issueCommentRoutes from './issues/comment.routes.ts'
import * as issueRoutes from './issues/issue.routes.ts'
import * as issueLabelRoutes from './issues/label.routes.ts'
import * as issueMilestoneRoutes from './issues/milestone.routes.ts'
import * as issueReactionRoutes from './issues/reaction.routes.ts'
import * as issuePinRoutes from './issues/pin.routes.ts'
import * as issueSubscriptionRoutes from './issues/subscription.routes.ts'
import * as issueDependencyRoutes from './issues/dependency.routes.ts'
import * as issueTimeRoutes from './issues/time.routes.ts'
import * as issueAttachmentRoutes from './issues/attachment.routes.ts'
import * as orgLabelRoutes from './issues/org-label.routes.ts'
import * as issueTemplateRoutes from './issues/template.routes.ts'
import * as gitHttpRoutes from './transport/git-http.routes.ts'
import * as goGetRoutes from './transport/go-get.routes.ts'
import type { SshServer } from './transport/ssh-server.ts'
import * as tokenRoutes from './users/token.routes.ts'
import * as userRoutes from './users/user.routes.ts'
import * as apiDocsRoutes from './web/api-docs.routes.tsx'
import * as assetRoutes from './web/assets.routes.ts'
import * as actionSecretRoutes from './actions/secret.routes.ts'
import * as actionVariableRoutes from './actions/variable.routes.ts'
import * as quotaRoutes from './quota/quota.routes.ts'
import * as signInRoutes from './web/sign-in.routes.tsx'

/** Every operation of the forge, in the order of the map of `src/`. */
export const allOperations = (): NamedOperation[] =>
  operationsOf(
    healthRoutes,
    metricsRoutes,
    cronRoutes,
    eventRoutes,
    adminJobRoutes,
    userRoutes,
    tokenRoutes,
    userSettingsRoutes,
    emailRoutes,
    keyRoutes,
    followRoutes,
    blockRoutes,
    adminUserRoutes,
    accountRoutes,
    versionRoutes,
    settingsRoutes,
    templateRoutes,
    markupRoutes,
    topicSearchRoutes,
    orgRoutes,
    orgMemberRoutes,
    orgBlockRoutes,
    teamRoutes,
    repoRoutes,
    repoListRoutes,
    forkRoutes,
    transferRoutes,
    generateRoutes,
    flagRoutes,
    deployKeyRoutes,
    collaborationRoutes,
    peopleRoutes,
    starRoutes,
    topicRoutes,
    watchRoutes,
    teamRepoRoutes,
    migrateRoutes,
    mirrorRoutes,
    avatarRoutes,
    orgAvatarRoutes,
    repoAvatarRoutes,
    branchProtectionRoutes,
    gitHookRoutes,
    languageRoutes,
    signingKeyRoutes,
    archiveRoutes,
    commitStatusRoutes,
    editorconfigRoutes,
    noteRoutes,
    rawRoutes,
    syncForkRoutes,
    branchRoutes,
    commitRoutes,
    contentRoutes,
    refRoutes,
    tagProtectionRoutes,
    tagRoutes,
    treeRoutes,
    issueCommentRoutes,
    issueRoutes,
    issueLabelRoutes,
    issueMilestoneRoutes,
    issueReactionRoutes,
    issuePinRoutes,
    issueSubscriptionRoutes,
    issueDependencyRoutes,
    issueTimeRoutes,
    issueAttachmentRoutes,
    orgLabelRoutes,
    actionSecretRoutes,
    actionVariableRoutes,
    pullRoutes,
    pullMergeRoutes,
    pullReviewRoutes,
    quotaRoutes,
    issueTemplateRoutes,
    gitHttpRoutes,
    goGetRoutes,
    apiDocsRoutes,
    assetRoutes,
    signInRoutes,
  )

/** Who hears of events; those of one event are told in this order. */
const allSubscribers = (): Subscriber<Ctx>[] => [
  measureRepository,
  maintainAfterChanges,
  dropUnseenWatches,
  endBlockedRelations,
  watchTeamRepos,
  removeRepoFiles,
  copyTemplateAvatar,
  removeReplacedAvatar,
  mailWelcome,
  removeArchivesOfRepo,
  countRepoLanguages,
  dropLabelsOfOldOwner,
  makeFirstLabels,
  copyTemplateLabels,
  removeAttachmentFile,
  removeAttachmentsOfRepo,
  ...pullSubscribers.all,
  readCommitMessages,
]

/** Where sealed texts are kept: each column is listed, so that all of them follow a change of the key. */
const resealSecrets = resealSecretsJob([
  { table: 'action_secret', column: 'sealed', purpose: secretPurpose },
  { table: 'mirror', column: 'sealed_credentials', purpose: mirrorPurpose },
])

/** Work that outlives requests. */
const allJobs = (): AnyJob<Ctx>[] => [resealSecrets, syncMirrorJob, maintainRepository, pullSubscribers.checkPullJob]

/** What the clock starts. */
const allSchedules = (config: Config): Schedule<Ctx>[] => [
  archiveCleanup(config),
  checkRepoStats(config),
  deletedBranchesCleanup(config),
  deleteMissingRepos(config),
  gitGcRepos(config),
  reinitMissingRepos(config),
  repoHealthCheck(config),
  updateMirrors(config),
  settleRefChanges,
  deleteExpiredSessions,
]

export interface AppOptions {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
  /** Another database than the configured one, opened already; the caller closes it. */
  readonly db?: Db
  /** Check replies against their schemas: in tests and development. */
  readonly validateReplies?: boolean
  readonly git?: Partial<GitOptions>
  /** Told of each answer. */
  readonly answered?: (facts: Answered) => void
}

/** The running application without its doors, as commands use it, and with them after `listen()`. */
export interface App extends AsyncDisposable {
  /** What everything in the application works with. */
  readonly services: Services
  readonly scheduler: Scheduler<Ctx>
  /** Only after `listen()`: commands enqueue work, and leave it to the server. */
  readonly workers: Workers
  /** Settles what a crash left behind, begins to work and opens the doors. Gives where the web server listens; the configuration then shows the real ports. */
  listen(): Promise<AddressInfo | string>
  /** Closes the doors, lets work end for a while, and ends everything. */
  close(): Promise<void>
}

/** How long requests and jobs may take to end when the program stops, in milliseconds. */
const stopDeadlineMs = 10_000

/** Opens everything below the doors: database, git, storage, queue. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, log } = options
  const clock = options.clock ?? systemClock
  await mkdir(config.paths.data, { recursive: true, mode: 0o700 })
  const db = options.db ?? openDatabase(databaseOptions(config))
  attachClock(db, clock)
  await migrate(db)
  const hub = createEventHub<Ctx>(allSubscribers())
  const live = attachEvents(db, hub)
  const keys = await loadInstanceKeys({
    secretKey: config.security.secretKey,
    oldSecretKeys: config.ingot.oldSecretKeys,
    keyFile: config.paths.secretKeyFile,
  })
  // Loaded when it is wanted: it costs a start its time and memory.
  const metrics = config.metrics.enabled
    ? (await import('./http/metrics.ts')).createMetrics({
        queue: () => getQueueStats(db),
        totals: () => countTotals(db),
        watchers: () => live.watcherCount,
      })
    : undefined
  const git = await startGit({
    ...gitOptions(config, log, options.git),
    onCommand: ({ name, ms, exitCode }) => metrics?.gitFinished({ command: name, ok: exitCode === 0, durationMs: ms }),
  })
  const tokenUse = new TokenUse(db, clock, log)
  // Each task says itself whether it is on, which it takes from [cron] unless its own section says otherwise.
  const scheduler = createScheduler<Ctx>({ db, schedules: allSchedules(config), enabled: true })
  const services: Mutable<Services> = {
    config,
    db,
    git,
    blobs: await openStores(config.storage),
    secrets: createSecrets(keys),
    images: createImages({ timeoutMs: config.ingot.imageTimeout, maxQueue: config.ingot.maxImageQueue }),
    mailer: await createMailer(mailerOptions(config), log),
    outgoing: { migrations: lazyOutgoing(migrationOptions(config)) },
    clock,
    log,
    live,
    tasks: scheduler,
    metrics,
    tokenUse,
    passwordChecks: new PasswordChecks(verifyPassword),
    signInAttempts: new SignInAttempts(clock),
    operations: allOperations,
  }
  let workers: Workers | undefined
  let server: ForgeServer | undefined
  let sshServer: SshServer | undefined

  async function close(): Promise<void> {
    await Promise.all([server?.close(stopDeadlineMs), sshServer?.close(stopDeadlineMs)])
    live.close()
    await workers?.stop(stopDeadlineMs)
    await tokenUse.close()
    await git.close()
    metrics?.close()
    await services.images.close()
    services.mailer.close()
    await services.outgoing.migrations.close()
    for (const store of Object.values(services.blobs)) store.close()
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
      // One process has an SQLite database to itself; others may share a PostgreSQL one.
      const isAlone = config.database.kind === 'sqlite3'
      await settleLeftovers(services, isAlone ? 0 : leftoverAgeSeconds)
      workers = startWorkers<Ctx>({
        db,
        jobs: [...allJobs(), ...hub.jobs],
        scheduler,
        createContext: () => ({ ...services }),
        log,
        isAlone,
        concurrency: config.ingot.jobWorkers,
        limits: {
          leaseMs: config.ingot.jobLease,
          idlePollMs: config.ingot.jobPollInterval,
          failedKeepDays: config.ingot.jobRetention / 86_400_000,
        },
        observe: (facts) => metrics?.jobFinished(facts),
      })
      if (keys.previous.length > 0) await requestReseal(services, resealSecrets)
      server = createServer({
        operations: allOperations(),
        admit: (call) => admit(services, call),
        siteUrl: () => services.config.server.rootUrl,
        subPath: config.server.subPath,
        trustedProxies: config.security.reverseProxyLimit > 0 ? trustedProxies(config) : [],
        maxBodyBytes: config.ingot.maxJsonBody,
        bodyIdleMs: config.ingot.requestTimeout,
        headersTimeoutMs: config.ingot.requestTimeout,
        maxConnections: config.ingot.maxConnections,
        gzip: config.server.enableGzip,
        cors: config.cors.enabled
          ? {
              allowDomains: config.cors.allowDomain,
              methods: config.cors.methods,
              headers: config.cors.headers,
              allowCredentials: config.cors.allowCredentials,
              maxAgeSeconds: Math.round(config.cors.maxAge / 1000),
            }
          : undefined,
        validateReplies: options.validateReplies ?? false,
        answered: (facts) => {
          metrics?.requestAnswered(facts)
          options.answered?.(facts)
        },
        defect: (error, call) =>
          log('error', 'a request failed', {
            error,
            requestId: call.id,
            method: call.method,
            path: call.url.split('?', 1)[0],
          }),
      })
      const { startSshServer, disableSsh } = config.server
      if (startSshServer && !disableSsh) {
        // Loaded when it is wanted: it costs a start its time and memory.
        sshServer = await (await import('./transport/ssh-server.ts')).startSshServer(services)
      }
      const { httpAddr, httpPort, protocol } = config.server
      const at = await server.listen(
        protocol === 'http+unix' ? { socketPath: httpAddr } : { host: httpAddr, port: httpPort },
      )
      services.config = withBoundPorts(config, {
        ...(typeof at === 'string' ? {} : { http: at.port }),
        ...(sshServer ? { ssh: sshServer.address.port } : {}),
      })
      return at
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** How mail goes out. */
const mailerOptions = (config: Config): MailerOptions => ({
  ...config.mailer,
  overrideHeaders: config.mailerOverrideHeader,
  maxConnections: config.ingot.maxMailConnections,
  timeoutMs: config.ingot.mailTimeout,
})

/** How repositories of other servers are reached (`[migrations]`). */
const migrationOptions = (config: Config): OutgoingOptions => ({
  rules: migrationHostRules(config.migrations),
  timeoutMs: config.ingot.outgoingTimeout,
  maxBodyBytes: config.ingot.maxOutgoingBody,
  maxConnections: config.ingot.maxOutgoingConnections,
  skipTlsVerify: config.migrations.skipTlsVerify,
})

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** Proxies that may say who the client is; `*` means all. */
function trustedProxies(config: Config): readonly string[] {
  const listed = config.security.reverseProxyTrustedProxies
  return listed.includes('*') ? ['0.0.0.0/0', '::/0'] : listed
}

/** The configured database, as the drivers want it. */
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

function gitOptions(config: Config, log: Log, more: Partial<GitOptions> = {}): GitOptions {
  return {
    repositoriesRoot: config.paths.repositories,
    ...(config.git.path === '' ? {} : { gitBinary: config.git.path }),
    log,
    ...more,
    limits: {
      transportProcesses: config.ingot.maxGitProcesses,
      pooledProcesses: config.ingot.maxGitReaders,
      waiting: config.ingot.maxGitQueue,
      ...(config.ingot.maxPushSize >= 0 ? { maxPackBytes: config.ingot.maxPushSize } : {}),
      ...more.limits,
    },
  }
}
