#!/usr/bin/env node
/**
 * Measures `ingot backup`, `backup verify` and `restore` of an instance of many repositories and issues beside `tar` of its data
 * folder, and what a request takes while a backup runs.
 *
 *     npm run bench:backup [-- [--repositories 1000] [--issues 100000]]
 *
 * It fails when the median of a kind of request takes more than 1.5 times as long during the backup.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { engineFlags, ensureReady, fail, fromRoot, toolEnvironment } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: { repositories: { type: 'string', default: '1000' }, issues: { type: 'string', default: '100000' } },
})
const [repositories, issues] = [Number(options.repositories), Number(options.issues)]
/** Every tenth repository has a file of random bytes. */
const largeEvery = 10
const largeBytes = 500_000
const atOnce = 4
const maxRatio = 1.5
/** Pause of the honest client between two requests, in milliseconds. */
const pauseMs = 20

const config = fromRoot('test/conformance/profiles/default.ini')
const program = await buildForge()
const work = mkdtempSync(join(tmpdir(), 'ingot-bench-backup-'))
const [data, backup] = [join(work, 'data'), join(work, 'backup')]
mkdirSync(data)

const megabytes = (path) => {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size / 1e6
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size / 1e6, 0)
}

/** Runs a program to its end. Returns its seconds and its last line. */
function timed(command, args, folder = work) {
  const beganMs = performance.now()
  const child = spawn(command, args, { cwd: folder, env: toolEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      if (code !== 0) fail(`${command} ${args.join(' ')} ended with ${code}: ${out}`)
      resolve({ seconds: (performance.now() - beganMs) / 1000, out: out.trim() })
    })
  })
}
const ingot = (...args) => timed(process.execPath, [...engineFlags, program, ...args])
const place = (folder) => ['--config', config, '--data', folder]

const start = () => startForge({ program, config, name: 'bench-backup', kept: data, readableTraces: false })

/** Does the work for each number up to `count`, a few at a time. */
async function forEachNumber(count, act) {
  let next = 0
  const worker = async () => {
    for (let number = next++; number < count; number = next++) await act(number)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function makeRepositories() {
  const forge = await start()
  try {
    const ask = await apiOf(forge.url)
    await forEachNumber(repositories, async (number) => {
      const name = `r${number}`
      await ask('POST', '/user/repos', { name, auto_init: true })
      if (number % largeEvery !== 0) return
      const content = randomBytes(largeBytes).toString('base64')
      await ask('POST', `/repos/${administrator.login}/${name}/contents/large.bin`, { message: 'large', content })
    })
    await ask('POST', `/repos/${administrator.login}/r0/issues`, { title: 'first', body: 'the first issue' })
  } finally {
    await forge.stop()
  }
}

/** Adds issues to the repositories by turns, as copies of the first one with texts of their own. */
function makeIssues() {
  const db = new Sqlite(join(data, 'ingot.db'))
  const columns = db.pragma('table_info(issue)').map(({ name }) => name)
  const own = {
    id: 'i + 1',
    repo_id: `1 + i % ${repositories}`,
    index: `2 + i / ${repositories}`,
    title: `'Issue ' || i || ' about word' || (i * 11 % 3000)`,
    content: `'Text ' || i || ': ' || hex(randomblob(100 + i % 400))`,
  }
  db.exec(
    `insert into issue (${columns.map((name) => `"${name}"`).join(', ')})
     with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${issues})
     select ${columns.map((name) => own[name] ?? `issue."${name}"`).join(', ')} from numbers, issue where issue.id = 1`,
  )
  db.close()
}

/** Requests each kind in turn until the work ends, or for a while. Returns the medians in milliseconds. */
async function requestTimes(forge, isOver) {
  const own = `/${administrator.login}/r0`
  const kinds = {
    'page of a repository': own,
    'list of issues': `${own}/issues`,
    'API: issues': `/api/v1/repos${own}/issues?limit=20`,
  }
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))
  while (!isOver()) {
    for (const [kind, path] of Object.entries(kinds)) {
      const beganMs = performance.now()
      const reply = await fetch(forge.url + path)
      await reply.arrayBuffer()
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}`)
      times[kind].push(performance.now() - beganMs)
      await sleep(pauseMs)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([kind, all]) => [kind, quantile(all, 0.5)]))
}

const after = (ms) => {
  const endMs = performance.now() + ms
  return () => performance.now() > endMs
}
const row = (what, seconds, size) =>
  console.log(
    `${what.padEnd(46)} ${seconds.toFixed(1).padStart(7)} s ${size === undefined ? '' : `${size.toFixed(0).padStart(6)} MB`}`,
  )

const slow = []
try {
  await makeRepositories()
  makeIssues()
  console.log(`${repositories} repositories, ${issues} issues, data folder of ${megabytes(data).toFixed(0)} MB`)
  const archive = join(work, 'data.tar')
  const tar = await timed('tar', ['cf', archive, '-C', work, 'data'])
  row('tar of the data folder', tar.seconds, megabytes(archive))
  rmSync(archive)
  const packed = `${archive}.gz`
  const gzip = await timed('tar', ['czf', packed, '-C', work, 'data'])
  row('tar of the data folder, gzip', gzip.seconds, megabytes(packed))
  rmSync(packed)

  const forge = await start()
  try {
    const ask = await apiOf(forge.url)
    await requestTimes(forge, after(3000))
    const quiet = await requestTimes(forge, after(5000))
    let isOver = false
    const running = ingot('backup', backup, ...place(data)).finally(() => (isOver = true))
    const busy = await requestTimes(forge, () => isOver)
    const first = await running
    row('backup while requests come', first.seconds, megabytes(backup))
    for (const [kind, ms] of Object.entries(busy)) {
      const ratio = ms / quiet[kind]
      if (ratio > maxRatio) slow.push(kind)
      console.log(
        `  ${kind}: ${quiet[kind].toFixed(1)} ms, during the backup ${ms.toFixed(1)} ms (${ratio.toFixed(2)} ×)`,
      )
    }
    const second = await ingot('backup', backup, ...place(data))
    row('second backup, unchanged', second.seconds)
    await ask('POST', `/repos/${administrator.login}/r1/issues`, { title: 'one more' })
    const third = await ingot('backup', backup, ...place(data))
    row('third backup, one issue more', third.seconds)
    console.log(`  ${third.out.split('\n')[0]}`)
  } finally {
    await forge.stop()
  }
  row('backup verify', (await ingot('backup', 'verify', backup)).seconds)
  const target = join(work, 'target')
  mkdirSync(target)
  if (existsSync(join(data, 'secret.key'))) cpSync(join(data, 'secret.key'), join(target, 'secret.key'))
  row('restore into SQLite', (await ingot('restore', backup, ...place(target))).seconds, megabytes(target))
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 })
}
if (slow.length > 0) fail(`a backup makes these requests more than ${maxRatio} times as long: ${slow.join(', ')}`)
