#!/usr/bin/env node
/**
 * Plays sessions of real clients against a freshly started server. `judges.json` lists the clients that must pass in CI,
 * with the checks of each that may fail and why. Most sessions are copies (`judges/`), our own are in `scripts/judges/`.
 *
 *     npm run judges -- [NAME…] [--server URL [--ssh HOST:PORT]] [--postgres]
 *
 * Without a NAME, those of `judges.json` are played.
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
  options: { server: { type: 'string' }, ssh: { type: 'string' }, postgres: { type: 'boolean', default: false } },
})
const judgeTimeoutMs = 5 * 60_000
const killAfterMs = 15_000

/** `{ "git-cli": { "mayFail": [{ "check": "name of a check", "why": "reason" }] } }` */
const expectations = readJson('judges.json')
const names = positionals.length > 0 ? positionals : Object.keys(expectations)
/** Where the session of a judge is written. */
const scriptOf = (name) =>
  [fromRoot('judges', name, 'run.sh'), fromRoot('scripts/judges', name, 'run.sh')].find((path) => existsSync(path))
for (const name of names) if (scriptOf(name) === undefined) fail(`there is no judge ${name}`)
for (const [name, { mayFail = [] }] of Object.entries(expectations)) {
  for (const { check, why } of mayFail) if (!check || !why) fail(`judges.json: ${name}: mayFail needs check and why`)
}
if (names.length === 0) {
  console.log('judges.json names no judge yet')
  process.exit(0)
}

/** Where clients are kept between runs. They are installed with the system's tools, not with the project's Node first. */
// What an outer `npm run` says of its settings would hide those of a client's own home.
const ownEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
const cache = process.env.JUDGE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ingot-judges')

/** Plays one judge. Gives its failed checks and whether it came to an end. */
function play(name, forge) {
  const [sshHost, sshPort] = (forge.ssh ?? '').split(':')
  const logFolder = fromRoot('build', 'judges', name)
  mkdirSync(logFolder, { recursive: true })
  mkdirSync(cache, { recursive: true })
  const child = spawn('bash', [scriptOf(name)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that a judge that hangs is ended with all it started.
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
      JUDGE_LIB: fromRoot('judges/lib.sh'),
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
      console.log(`ABORT ${name} has taken ${judgeTimeoutMs / 60_000} minutes`)
      output += `\nABORT\n`
      void end()
    }, judgeTimeoutMs),
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
      // A judge that is cut short counts one failure more than it names.
      const isComplete = !/^ABORT\b/m.test(output) && Number(counts?.[2]) === failed.length
      done({ passed: Number(counts?.[1] ?? 0), failed, isComplete })
    })
  })
}

/** Signals a judge and all that it started. It may have ended a moment ago. */
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
      config: fromRoot('conformance/profiles/default.ini'),
      name: `judge-${name}`,
      database,
    })
    console.log(`${forge.url}, log ${forge.logFile}, logs of checks in build/judges/${name}`)
  }
  try {
    const { passed, failed, isComplete } = await play(name, forge)
    const allowed = new Set((expectations[name]?.mayFail ?? []).map(({ check }) => check))
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
    ? 'did not come to an end'
    : `${passed} passed, ${failed.length} failed, ${failed.length - unexpected.length} of them allowed`
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name}: ${note}`)
  for (const check of healed) console.log(`     passes again, take it off judges.json: ${check}`)
}
process.exit(summary.every(({ unexpected, isComplete }) => isComplete && unexpected.length === 0) ? 0 : 1)
