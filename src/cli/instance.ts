import type { Command } from 'commander'
import type { Services } from '../access/context.ts'
import { createApp } from '../app.ts'
import { loadConfig, type ConfigOverrides, type LoadedConfig } from '../config/load-config.ts'
import { createLog } from './log.ts'

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

/**
 * Does something with an instance, whether it is being served or not: the database, the storage and git are opened, but
 * no door, and work that is enqueued is left to the server.
 */
export async function withInstance(
  options: InstanceOptions,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  const { config } = readInstance(options)
  const app = await createApp({ config, log: createLog('warn') })
  try {
    await work(app.services)
  } finally {
    await app.close()
  }
}
