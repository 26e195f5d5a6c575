import { Command } from 'commander'
import { createApp } from '../app.ts'
import { ConfigError } from '../config/config-error.ts'
import { loadConfig, type ConfigOverrides } from '../config/load-config.ts'
import { ensureFirstAdministrator } from '../users/first-admin.service.ts'
import { createLog } from './log.ts'

interface ServeOptions {
  readonly config?: string
  readonly data?: string
  readonly host?: string
  readonly port?: string
  readonly sshPort?: string
}

export const serveCommand = (): Command =>
  new Command('serve')
    .description('serve the forge until told to stop (the default)')
    .option('--config <file>', 'settings file in the form of app.ini')
    .option('--data <folder>', 'folder of everything this instance keeps')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port of the web server; 0 takes a free one')
    .option('--ssh-port <number>', 'port of the SSH server')
    .action(serve)

async function serve(options: ServeOptions): Promise<void> {
  const overrides: ConfigOverrides = {
    ...(options.config === undefined ? {} : { configFile: options.config }),
    ...(options.data === undefined ? {} : { dataFolder: options.data }),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.sshPort === undefined ? {} : { sshPort: options.sshPort }),
  }
  const { config, warnings } = readConfig(overrides)
  const log = createLog(config.log.level)
  for (const { where, section, key, reason } of warnings) log('warn', reason, { where, section, key })
  const app = await createApp({ config, log })
  const first = await ensureFirstAdministrator(app.services)
  await app.listen()
  const { rootUrl } = app.services.config.server
  const lines = [`Ingot serves ${rootUrl}`]
  if (first?.password) lines.push(`Administrator: ${first.login}`, `Password: ${first.password} (shown once)`)
  lines.push(`Push to: ${rootUrl}${first?.login ?? '<owner>'}/<repository>.git`)
  process.stdout.write(`${lines.join('\n')}\n`)
  await stopSignal()
  await app.close()
}

function readConfig(overrides: ConfigOverrides): ReturnType<typeof loadConfig> {
  try {
    return loadConfig({ overrides })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(78)
  }
}

/** Resolves at the first signal to stop; a second one ends the program at once. */
const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let told = false
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (told) process.exit(130)
        told = true
        resolve()
      })
    }
  })
