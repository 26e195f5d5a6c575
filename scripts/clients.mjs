#!/usr/bin/env node
/**
 * Runs sessions of real clients against a freshly started server. `test/clients/expectations.json` lists the clients that
 * must pass in CI, with the checks of each that may fail and why. The sessions in `test/clients/own/` belong to this
 * project; the others are copies.
 *
 *     npm run clients -- [NAME…] [--server URL [--ssh HOST:PORT] [--deployment NAME]] [--postgres]
 *
 * Without a NAME, every client of `test/clients/expectations.json` runs that is not `byName`.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { onInterrupt } from './lib/cleanup.mjs'
import { administrator, buildForge, startForge } from './lib/forge.mjs'
import { ensureReady, fail, fromRoot, readJson, root } from './lib/project.mjs'

await ensureReady()
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    server: { type: 'string' },
    ssh: { type: 'string' },
    deployment: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
})
const sessionTimeoutMs = 5 * 60_000
const killAfterMs = 15_000

/**
 * `{ "git-cli": { "byName": false, "mayFail": [{ "check": "name of a check", "why": "reason", "deployment": "replicas" }] } }`:
 * a check with a deployment may fail only there.
 */
const expectations = readJson('test/clients/expectations.json')
const names =
  positionals.length > 0 ? positionals : Object.keys(expectations).filter((name) => expectations[name].byName !== true)
/** The script of a client's session. */
const scriptOf = (name) =>
  [fromRoot('test/clients', name, 'run.sh'), fromRoot('test/clients/own', name, 'run.sh')].find((path) =>
    existsSync(path),
  )
for (const name of names) if (scriptOf(name) === undefined) fail(`there is no client session ${name}`)
for (const [name, { mayFail = [] }] of Object.entries(expectations)) {
  if (mayFail.some(({ check, why }) => !check || !why)) {
    fail(`test/clients/expectations.json: ${name}: mayFail needs check and why`)
  }
}
if (names.length === 0) {
  console.log('test/clients/expectations.json names no client')
  process.exit(0)
}

// The npm settings of an outer `npm run` would override those of a client's own home.
const ownEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
/** Installed clients are kept here between runs. */
const cache = process.env.JUDGE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ingot-clients')

/** Runs one session. Returns its failed checks and whether the session is complete. */
function play(name, forge) {
  const [sshHost, sshPort] = (forge.ssh ?? '').split(':')
  const logFolder = fromRoot('build', 'clients', name)
  mkdirSync(logFolder, { recursive: true })
  mkdirSync(cache, { recursive: true })
  const child = spawn('bash', [scriptOf(name)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // An own process group, so that a session that hangs ends with all its processes.
    detached: true,
    env: {
      ...ownEnvironment,
      PATH: process.env.PATH.split(':')
        .filter((folder) => !folder.startsWith(fromRoot('node_modules')))
        .join(':'),
      BASE_URL: forge.url,
      ADMIN_USER: administrator.login,
      ADMIN_PASSWORD: administrator.password,
      JUDGE_CACHE: cache,
      JUDGE_LIB: fromRoot('test/clients/lib.sh'),
      JUDGE_LOG_DIR: logFolder,
      ...(sshHost === '' ? {} : { SSH_HOST: sshHost, SSH_PORT: sshPort }),
    },
  })
  const closed = new Promise((done) => child.once('close', done))
  const timers = []
  let isOver = false
  const end = onInterrupt(async () => {
    if (isOver) return
    signalGroup(child, 'SIGTERM')
    timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs))
    await closed
  })
  timers.push(
    setTimeout(() => {
      console.log(`ABORT ${name} has taken ${sessionTimeoutMs / 60_000} minutes`)
      output += `\nABORT\n`
      void end()
    }, sessionTimeoutMs),
  )
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text)
    output += text
  })
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', () => {
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      const failed = [...output.matchAll(/^FAIL (.+?)(?: :: .*)?$/gm)].map((match) => match[1])
      const counts = /^(\d+) passed, (\d+) failed/m.exec(output)
      // A session that is cut short counts one failure more than it prints.
      const isComplete = !/^ABORT\b/m.test(output) && Number(counts?.[2]) === failed.length
      done({ passed: Number(counts?.[1] ?? 0), failed, isComplete })
    })
  })
}

/** Signals a session and all its processes. The session may have ended already. */
function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

const program = options.server === undefined ? await buildForge() : undefined
const summary = []
for (const name of names) {
  console.log(`\n== ${name}`)
  let forge = { url: options.server, ssh: options.ssh }
  let database
  if (program !== undefined) {
    if (options.postgres) database = await (await import('./postgres.mjs')).startPostgres()
    forge = await startForge({
      program,
      config: fromRoot('test/conformance/profiles/default.ini'),
      name: `client-${name}`,
      database,
    })
    console.log(`${forge.url}, log ${forge.logFile}, logs of checks in build/clients/${name}`)
  }
  try {
    const { passed, failed, isComplete } = await play(name, forge)
    const excuses = expectations[name]?.mayFail ?? []
    const isHere = ({ deployment }) => deployment === undefined || deployment === options.deployment
    const allowed = new Set(excuses.filter(isHere).map(({ check }) => check))
    const unexpected = failed.filter((check) => !allowed.has(check))
    const healed = [...allowed].filter((check) => !failed.includes(check))
    summary.push({ name, unexpected, isComplete, passed, failed, healed })
  } finally {
    await forge.stop?.()
    await database?.stop()
  }
}

console.log('')
for (const { name, unexpected, isComplete, passed, failed, healed } of summary) {
  const isGood = isComplete && unexpected.length === 0
  const note = !isComplete
    ? 'did not complete'
    : `${passed} passed, ${failed.length} failed, ${failed.length - unexpected.length} of them allowed`
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name}: ${note}`)
  for (const check of healed) console.log(`     passes again, remove it from test/clients/expectations.json: ${check}`)
}
process.exit(summary.every(({ unexpected, isComplete }) => isComplete && unexpected.length === 0) ? 0 : 1)
