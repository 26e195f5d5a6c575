/** Starts a freshly built server on an empty data folder, for scripts that measure or check it from outside. */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { BundleError, bundle, existingEntries, ownBuildFolder, programEntries, warmUp } from './bundle.mjs'
import { onInterrupt } from './cleanup.mjs'
import { freePort } from './free-port.mjs'
import { engineFlags, fail, frugalMalloc, fromRoot, root, toolEnvironment } from './project.mjs'

/** The administrator that conformance and the client sessions expect. */
export const administrator = { login: 'root', password: 'Passw0rd!', email: 'root@example.com' }

const readyTimeoutMs = 60_000
const stopTimeoutMs = 15_000
const maxStarts = 3
const keptLogs = 20

/** Builds the program into a folder of this process, independent of `dist/` and other runs. */
export async function buildForge() {
  const { 'testing-kit': _testing, ...entries } = programEntries
  const existing = existingEntries(entries)
  if (existing.ingot === undefined) fail('src/main.ts does not exist yet: there is no server to start')
  const folder = ownBuildFolder('forge')
  try {
    await bundle(existing, folder)
  } catch (error) {
    if (error instanceof BundleError) fail(error.message)
    throw error
  }
  const program = join(folder, 'ingot.js')
  await warmUp(program)
  return program
}

/** The names of the log files that this script has opened. */
const ownLogs = new Set()

/** The log file of a server. Those of this script and the newest few are kept, because they explain a 500. */
function openLog(name) {
  const folder = fromRoot('build', 'logs')
  mkdirSync(folder, { recursive: true })
  const old = readdirSync(folder)
    .filter((file) => !ownLogs.has(file))
    .sort((a, b) => Number(a.split('.')[0]) - Number(b.split('.')[0]))
    .slice(0, -keptLogs)
  for (const file of old) rmSync(join(folder, file), { force: true })
  const file = `${Date.now()}.${name}.log`
  ownLogs.add(file)
  return join(folder, file)
}

/**
 * Starts the program with a settings file and waits until it is healthy. `readableTraces` maps stack traces to source
 * lines, which costs time and memory; `kept` is a data folder that is not removed; `preload` is a module that Node loads
 * before the program, with its variables `environment`; `ports` are those of the web and of SSH. Returns its address,
 * process id, log file, `ssh` (`host:port`, undefined when the profile serves none), the time to the first answer, `stop()`
 * and `kill()`.
 */
export async function startForge(options) {
  // Between the choice of a free port and its use, another program may take it.
  for (let attempt = 1; ; attempt += 1) {
    const { forge, problem } = await tryToStart(options)
    if (forge !== undefined) return forge
    if (attempt === maxStarts || !problem.includes('is in use by another program')) return fail(problem)
  }
}

async function tryToStart({
  program,
  config,
  name = 'forge',
  database,
  readableTraces = true,
  kept,
  preload,
  environment = {},
  ports,
}) {
  const data = kept ?? mkdtempSync(join(tmpdir(), 'ingot-forge-'))
  const [port, sshPort] = ports ?? [await freePort(), await freePort()]
  const settings = readFileSync(config, 'utf8')
  const isOn = (key) => new RegExp(`^\\s*${key}\\s*=\\s*true`, 'im').test(settings)
  const hasSsh = isOn('START_SSH_SERVER') && !isOn('DISABLE_SSH')
  const logFile = openLog(name)
  const log = openSync(logFile, 'a')
  const startedMs = performance.now()
  const child = spawn(
    process.execPath,
    [
      // As in production.
      ...engineFlags,
      ...(readableTraces ? ['--enable-source-maps'] : []),
      ...(preload === undefined ? [] : ['--import', preload]),
      program,
      'serve',
      '--config',
      config,
      '--data',
      data,
      '--port',
      String(port),
      ...(hasSsh ? ['--ssh-port', String(sshPort)] : []),
    ],
    {
      cwd: root,
      stdio: ['ignore', log, log],
      env: toolEnvironment({
        ...frugalMalloc,
        INGOT_ADMIN_LOGIN: administrator.login,
        INGOT_ADMIN_PASSWORD: administrator.password,
        INGOT_ADMIN_EMAIL: administrator.email,
        ...(database === undefined ? {} : databaseEnvironment(database)),
        ...environment,
      }),
    },
  )
  closeSync(log)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  const forge = {
    url,
    ssh: hasSsh ? `127.0.0.1:${sshPort}` : undefined,
    pid: child.pid,
    logFile: relative(root, logFile),
    data,
    startMs: 0,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: onInterrupt(async () => {
      if (isRunning()) {
        child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
        await ended
        clearTimeout(timer)
      }
      if (kept === undefined) rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }),
  }

  // A kept folder may need migrations first.
  const waitMs = kept === undefined ? readyTimeoutMs : 10 * readyTimeoutMs
  while (isRunning() && performance.now() - startedMs < waitMs) {
    const status = await fetch(`${url}/api/healthz`, { signal: AbortSignal.timeout(5000) }).then(
      (reply) => reply.body?.cancel().then(() => reply.status),
      () => undefined,
    )
    if (status === 200) {
      forge.startMs = performance.now() - startedMs
      return { forge }
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const reason = isRunning() ? `was not healthy within ${waitMs / 1000} s` : 'ended before it was healthy'
  await forge.stop()
  return { problem: `the server ${reason}:\n${readFileSync(logFile, 'utf8').split('\n').slice(-40).join('\n')}` }
}

/** The settings of a PostgreSQL database as environment variables, which override the file. */
function databaseEnvironment({ port, password, name = 'ingot' }) {
  return {
    INGOT__database__DB_TYPE: 'postgres',
    INGOT__database__HOST: `127.0.0.1:${port}`,
    INGOT__database__NAME: name,
    INGOT__database__USER: 'ingot',
    INGOT__database__PASSWD: password,
    INGOT__database__SSL_MODE: 'disable',
  }
}
