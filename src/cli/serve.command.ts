import { Command } from 'commander'
import { createApp } from '../app.ts'
import type { Config } from '../config/load-config.ts'
import { formatRemark } from '../config/config-error.ts'
import { lockFolder } from '../db/folder-lock.ts'
import type { Log } from '../lib/log.ts'
import { ensureFirstAdministrator, type FirstAdministrator } from '../users/first-admin.service.ts'
import { readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { createLog } from './log.ts'

interface ServeOptions extends InstanceOptions {
  readonly host?: string
  readonly port?: string
  readonly sshPort?: string
}

export const serveCommand = (): Command =>
  withInstanceOptions(new Command('serve'))
    .description('serve the forge until told to stop (the default)')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port of the web server; 0 takes a free one')
    .option('--ssh-port <number>', 'port of the SSH server')
    .action(serve)

async function serve(options: ServeOptions): Promise<void> {
  const { config, warnings } = readInstance(options, {
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.sshPort === undefined ? {} : { sshPort: options.sshPort }),
  })
  const log = createLog(config.log.level)
  for (const warning of warnings) log('warn', formatRemark(warning))
  process.on('uncaughtExceptionMonitor', (error) => log('error', 'the program ends by a defect', { error }))
  const stop = stopSignal(log)
  // Several processes may serve one PostgreSQL database; an SQLite one belongs to a single process.
  const lock = config.database.kind === 'sqlite3' ? lockFolder(config.paths.data) : undefined
  try {
    const app = await createApp({ config, log })
    try {
      const first = await ensureFirstAdministrator(app.services)
      await app.listen()
      process.stdout.write(greeting(app.services.config, first))
      await stop
    } finally {
      await app.close()
    }
  } finally {
    lock?.release()
  }
}

function greeting({ server }: Config, first: FirstAdministrator | undefined): string {
  const lines = [`Ingot serves ${server.rootUrl}`]
  if (first?.password) lines.push(`Administrator: ${first.login}`, `Password: ${first.password} (shown once)`)
  lines.push(`Push to: ${server.rootUrl}${first?.login ?? '<owner>'}/<repository>.git`, '')
  return lines.join('\n')
}

/** Conventional exit codes of programs that a signal ended. */
const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Resolves at the first signal to stop; a second one ends the program at once. */
const stopSignal = (log: Log): Promise<void> =>
  new Promise((resolve) => {
    let isTold = false
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isTold) process.exit(signalCodes[signal])
        isTold = true
        log('info', 'stopping; a second signal stops at once', { signal })
        resolve()
      })
    }
  })
