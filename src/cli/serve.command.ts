import { Command } from 'commander'
import { createApp } from '../app.ts'
import { formatRemark } from '../config/config-error.ts'
import type { Config } from '../config/load-config.ts'
import type { Log } from '../lib/log.ts'
import { lockFolder, type FolderLock } from '../db/folder-lock.ts'
import { trimDatabase } from '../db/open.ts'
import { ensureFirstAdministrator } from '../users/first-admin.service.ts'
import { explained, readInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { CommandFailure } from './exit.ts'
import { createLog } from './log.ts'
import { checkStart } from './start-checks.ts'
import { makeFolders } from './start.ts'
import type { Terminal } from './terminal.ts'
import { closeToOthers } from '../site/private-paths.service.ts'
import { trimMemoryWhenQuiet } from './trim-memory.ts'

interface ServeOptions extends InstanceOptions {
  readonly host?: string
  readonly port?: string
  readonly sshPort?: string
}

export const serveCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('serve'))
    .description('start the server (the default command)')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port of the web server; 0 chooses a free one')
    .option('--ssh-port <number>', 'port of the SSH server')
    .action((options: ServeOptions) => serve(terminal, options))

const logsAnswers = (level: string): boolean => level === 'debug' || level === 'trace'

async function serve(terminal: Terminal, options: ServeOptions): Promise<void> {
  const loaded = readInstance(options, {
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.sshPort === undefined ? {} : { sshPort: options.sshPort }),
  })
  const { config, warnings, idle } = loaded
  const log = createLog(config.log.level)
  for (const warning of warnings) log('warn', formatRemark(warning))
  if (idle.length > 0) {
    const settings = idle.map(({ section, key }) => `[${section}] ${key}`)
    log('warn', 'settings without effect in this release; `ingot config check` shows where they are set', {
      settings,
    })
  }
  const { startSshServer, disableSsh } = config.server
  // Port 0 requests no particular port.
  if (Number(options.sshPort ?? 0) !== 0 && (!startSshServer || disableSsh)) {
    throw new CommandFailure(
      '--ssh-port needs the SSH server; set [server].START_SSH_SERVER = true, or omit the option',
    )
  }
  await checkStart(loaded)
  const logDefect = (error: unknown) => log('error', 'the program ends because of a defect', { error })
  process.on('uncaughtExceptionMonitor', logDefect)
  const stopSignal = terminal.stopSignal()
  let lock: FolderLock | undefined
  try {
    await explained(config, async () => {
      makeFolders(config)
      // Several processes may serve one PostgreSQL database; an SQLite one belongs to a single process.
      if (config.database.kind === 'sqlite3') lock = lockFolder(config.paths.data)
      for (const { path, mode } of await closeToOthers(config)) {
        const text =
          'other users of this machine can read the data; have the owner of the path remove their permissions'
        log('warn', text, { path, mode: mode.toString(8) })
      }
    })
    await serveUntil(stopSignal, terminal, config, log)
  } finally {
    lock?.release()
    process.off('uncaughtExceptionMonitor', logDefect)
  }
}

/** Starts the server and serves until the signal. A signal during the wait for the database ends the start. */
async function serveUntil(stopSignal: Promise<string>, terminal: Terminal, config: Config, log: Log): Promise<void> {
  const stop = new AbortController()
  void stopSignal.then(() => stop.abort())
  const app = await explained(config, () =>
    createApp({
      config,
      log,
      signal: stop.signal,
      // Queries are not logged, because they may contain tokens.
      ...(logsAnswers(config.log.level)
        ? { answered: ({ url, ...facts }) => log('debug', 'answered', { ...facts, path: url.split('?', 1)[0] }) }
        : {}),
    }),
  ).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
    return undefined
  })
  if (!app) return
  try {
    // An administrator from the settings exists before the first request.
    const given = config.firstAdmin && (await ensureFirstAdministrator(app.services))
    await explained(config, () => app.listen())
    // Programs that renew certificates send SIGHUP; without https it stops the server, as when a terminal is closed.
    if (config.server.protocol === 'https') terminal.onHangUp(() => void app.renewCertificate())
    // The generated password is printed once, so the account is created only after the server listens.
    const first = given ?? (await ensureFirstAdministrator(app.services))
    if (first?.password) terminal.out(`Administrator: ${first.login}\nPassword: ${first.password} (shown once)\n`)
    const { rootUrl } = app.services.config.server
    terminal.out(`Ingot serves ${rootUrl}\nPush to: ${rootUrl}${first?.login ?? '<owner>'}/<repository>.git\n`)
    trimMemoryWhenQuiet(() => trimDatabase(app.services.db))
    const signal = await stopSignal
    log('info', 'stopping; a second signal stops at once', { signal })
  } finally {
    await app.close()
  }
}
