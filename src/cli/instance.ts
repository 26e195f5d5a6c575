import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Services } from '../access/context.ts'
import type { IdentityMode } from '../admin/identity/identity.service.ts'
import { begunRestore, namedRepositories } from '../admin/identity/marked-storages.ts'
import { withOrigin } from '../audit/request-origin.ts'
import { tlsOptions } from '../app-options.ts'
import { createApp } from '../app.ts'
import { ConfigError, type ConfigRemark } from '../config/config-error.ts'
import { loadConfig, type Config, type ConfigOverrides, type LoadedConfig } from '../config/load-config.ts'
import { withinTime } from '../lib/within-time.ts'
import { openBlobs } from '../storage/open-blobs.ts'
import { CommandFailure, WarnedFailure } from './exit.ts'
import { createLog } from './log.ts'
import { explainStart } from './start.ts'

/** Options that select the instance. */
export interface InstanceOptions {
  readonly config?: string
  readonly data?: string
}

export const withInstanceOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'settings file in the form of app.ini (environment variable: INGOT_CONFIG)')
    .option('--data <folder>', 'data folder of the instance')

/** Returns the settings of the instance. Throws ConfigError with all of their errors. */
export const readInstance = (options: InstanceOptions, more: ConfigOverrides = {}): LoadedConfig =>
  loadConfig({
    overrides: {
      ...(options.config === undefined ? {} : { configFile: options.config }),
      ...(options.data === undefined ? {} : { dataFolder: options.data }),
      ...more,
    },
  })

/** Checks certificate and key when the server uses https. Throws ConfigError. */
export async function checkCertificate({ config, settings }: LoadedConfig): Promise<void> {
  if (config.server.protocol !== 'https') return
  const { CertificateProblem, readCertificate } = await import('../http/tls.ts')
  try {
    await readCertificate(tlsOptions(config))
  } catch (error) {
    if (!(error instanceof CertificateProblem)) throw error
    const { key, message } = error
    const where = settings.find((each) => each.section === 'server' && each.key === key)?.origin ?? ''
    throw new ConfigError([{ where, section: 'server', key, reason: message }])
  }
}

/**
 * Throws CommandFailure when the data folder holds no instance. Creating one would hide a mistyped `--data`.
 */
export function checkDataFolder({ database, paths }: Config): void {
  const sign = database.kind === 'sqlite3' ? paths.database : paths.data
  if (existsSync(sign)) return
  throw new CommandFailure(
    `${paths.data} is not a data folder: ${sign} does not exist; name another with --data, or create one with \`ingot serve\``,
  )
}

/** Time for a storage to answer, in milliseconds. */
const answerMs = 5000

/**
 * Refuses a place into which a backup is being restored, before a start or a command makes rows there.
 * @throws CommandFailure
 */
export async function refuseBegunRestore(config: Config): Promise<void> {
  const repositories = await namedRepositories(config, openBlobs)
  // The start says whether a bucket is away, and goes on without it.
  const mark = await withinTime(repositories.read(), answerMs).catch(() => undefined)
  const problem = mark === undefined ? undefined : begunRestore(repositories.where, mark)
  if (problem !== undefined) throw new CommandFailure(problem)
}

/**
 * Opens database, storage and git of an instance for `work`, whether a server runs or not. Jobs that `work` enqueues wait
 * for the server.
 */
export async function withInstance(
  options: InstanceOptions,
  work: (services: Services) => Promise<void>,
  identity?: IdentityMode,
): Promise<void> {
  const { config, warnings } = readInstance(options)
  await withWarnings(warnings, async () => {
    checkDataFolder(config)
    const app = await explained(config, async () => {
      await refuseBegunRestore(config)
      return createApp({ config, log: createLog('warn'), ...(identity ? { identity } : {}) })
    })
    try {
      // The audit log names the command as the actor.
      await withOrigin({ address: '', requestId: '', operation: '', credential: 'command' }, () => work(app.services))
    } finally {
      await app.close()
    }
  })
}

/** Runs `work`. When it fails, the failure carries the warnings about the settings. */
export async function withWarnings(warnings: readonly ConfigRemark[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw warnings.length === 0 || error instanceof WarnedFailure ? error : new WarnedFailure(warnings, error)
  }
}

/** Runs `work`, which opens or starts an instance. A failure that an administrator can fix says how. */
export async function explained<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw explainStart(error, config)
  }
}
