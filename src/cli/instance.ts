import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Services } from '../access/context.ts'
import { whileAsked } from '../audit/asking.ts'
import { tlsOptions } from '../app-options.ts'
import { createApp } from '../app.ts'
import { ConfigError, type ConfigRemark } from '../config/config-error.ts'
import { loadConfig, type Config, type ConfigOverrides, type LoadedConfig } from '../config/load-config.ts'
import { CommandFailure, WarnedFailure } from './exit.ts'
import { createLog } from './log.ts'
import { explainStart } from './start.ts'

/** Options that say which instance a command is about. */
export interface InstanceOptions {
  readonly config?: string
  readonly data?: string
}

export const withInstanceOptions = (command: Command): Command =>
  command
    .option('--config <file>', 'settings file in the form of app.ini (or the variable INGOT_CONFIG)')
    .option('--data <folder>', 'folder of everything this instance keeps')

/** Reads the settings of an instance; throws ConfigError with all that is wrong with them. */
export const readInstance = (options: InstanceOptions, more: ConfigOverrides = {}): LoadedConfig =>
  loadConfig({
    overrides: {
      ...(options.config === undefined ? {} : { configFile: options.config }),
      ...(options.data === undefined ? {} : { dataFolder: options.data }),
      ...more,
    },
  })

/** Checks that the files of https can be used. Throws ConfigError. */
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
 * Refuses a folder in which no instance was ever served, instead of making one there: a mistyped `--data` would look like
 * an empty instance. Throws CommandFailure.
 */
export function checkDataFolder({ database, paths }: Config): void {
  const sign = database.kind === 'sqlite3' ? paths.database : paths.data
  if (existsSync(sign)) return
  throw new CommandFailure(
    `${paths.data} is no data folder: ${sign} is not there; --data names another, and \`ingot serve\` makes a new one`,
  )
}

/**
 * Does something with an instance, whether it is being served or not: the database, the storage and git are opened, but
 * no door, and work that is enqueued is left to the server.
 */
export async function withInstance(
  options: InstanceOptions,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  const { config, warnings } = readInstance(options)
  await withWarnings(warnings, async () => {
    checkDataFolder(config)
    const app = await explained(config, () => createApp({ config, log: createLog('warn') }))
    try {
      // What a command does was done by whoever may start it.
      await whileAsked({ address: '', requestId: '', operation: '', credential: 'command' }, () => work(app.services))
    } finally {
      await app.close()
    }
  })
}

/** Does the work of a command; when it fails, the doubtful settings are told with the failure. */
export async function withWarnings(warnings: readonly ConfigRemark[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw warnings.length === 0 || error instanceof WarnedFailure ? error : new WarnedFailure(warnings, error)
  }
}

/** Opens or starts something of an instance. Failures that people can put right say how. */
export async function explained<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw explainStart(error, config)
  }
}
