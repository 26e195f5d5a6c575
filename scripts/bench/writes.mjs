#!/usr/bin/env node
/**
 * Measures writes: the processor time of an issue, a comment and a closed issue, as ratios to a bare HTTP answer of the same
 * run; and the time of durable issues, pushes and merges, by one writer and by many. The data folder is below the folder
 * for temporary files, which must be a real disk.
 *
 *     npm run bench:writes [-- [--postgres] [--writers 32] [--only-processor]]
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { processorMs } from '../lib/process-tree.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'
import { startYardstick } from '../lib/yardstick.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    writers: { type: 'string', default: '32' },
    'only-processor': { type: 'boolean', default: false },
  },
})
const writers = Number(options.writers)
const program = await buildForge()
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres({ durable: true }) : undefined
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-writes',
  ...(database ? { database } : {}),
})
const folder = mkdtempSync(join(tmpdir(), 'ingot-writes-'))

/** Runs an action `count` times with limited concurrency; prints the time of one and the number per second. */
async function measure(name, count, atOnce, run) {
  const taken = []
  let next = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) {
        const index = next++
        const start = performance.now()
        await run(index)
        taken.push(performance.now() - start)
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  const at = (share) => quantile(taken, share).toFixed(1).padStart(8)
  console.log(
    `${name.padEnd(36)} median ${at(0.5)} ms   95% ${at(0.95)} ms   ${(count / seconds).toFixed(1).padStart(8)} / s`,
  )
}

/** Requests of a measurement of processor time, sent by `clients` at once. */
const requests = 1600
const clients = 8

/** Runs an action `requests` times and returns the processor time of each, in µs, of several processes. */
async function processorUs(pids, run) {
  const sums = () => pids.map(processorMs)
  let next = 0
  const work = async (end) => {
    while (next < end) await run(next++)
  }
  const together = (end) => Promise.all(Array.from({ length: clients }, () => work(end)))
  // The engine compiles hot code during the first requests.
  await together(requests / 4)
  const before = sums()
  await together(requests / 4 + requests)
  return sums().map((ms, index) => ((ms - before[index]) / requests) * 1000)
}

/** Largest ratios of a write to a bare answer, with SQLite. */
const aims = { 'create an issue': 28, 'create a comment': 36, 'close an issue': 28 }

/** Prints the processor time of the writes that people make most. */
async function measureProcessor(ask, api) {
  const yardstick = await startYardstick()
  const [bare] = await processorUs([yardstick.pid], () => fetch(yardstick.url).then((reply) => reply.text()))
  yardstick.stop()
  console.log(`bare HTTP answer: ${bare.toFixed(0)} µs of processor time`)
  let number = 0
  const writes = {
    'create an issue': async () => {
      number = Math.max(number, (await ask('POST', `${api}/issues`, { title: 'an issue', body: 'text' })).number)
    },
    'create a comment': (index) => ask('POST', `${api}/issues/${1 + (index % 50)}/comments`, { body: `text ${index}` }),
    'close an issue': (index) => ask('PATCH', `${api}/issues/${number - index}`, { state: 'closed' }),
  }
  for (const [name, write] of Object.entries(writes)) {
    const [server, databaseServer] = await processorUs(database ? [forge.pid, database.pid] : [forge.pid], write)
    const ratio = server / bare
    const verdict = database ? '' : ratio <= aims[name] ? ` (aim ${aims[name]})` : ` ABOVE ${aims[name]}`
    const beside = databaseServer === undefined ? '' : `   PostgreSQL ${databaseServer.toFixed(0)} µs`
    console.log(
      `${name.padEnd(20)} ${server.toFixed(0).padStart(6)} µs ${ratio.toFixed(1).padStart(6)}×${verdict}${beside}`,
    )
  }
}

const git = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(said))))
  })

/** Measures the time of durable writes. */
async function measureTimes(ask, api) {
  const file = openSync(join(folder, 'yardstick'), 'w')
  const block = Buffer.alloc(4096)
  await measure('yardstick: one block and a sync', 100, 1, async (index) => {
    writeSync(file, block, 0, block.length, index * block.length)
    fdatasyncSync(file)
  })
  closeSync(file)
  const issue = (index) => ask('POST', `${api}/issues`, { title: `issue ${index}`, body: 'text' })
  await measure('warm-up', 50, 4, issue)
  await measure('issues, one writer', 150, 1, issue)
  await measure(`issues, ${writers} writers`, 1500, writers, issue)
  const remote = new URL(`${forge.url}/${administrator.login}/writes.git`)
  Object.assign(remote, { username: administrator.login, password: administrator.password })
  for (let clone = 0; clone < 4; clone++) spawnSync('git', ['clone', '-q', remote.href, join(folder, `c${clone}`)])
  const push = (clone) => async (index) => {
    const at = ['-C', join(folder, `c${clone}`), '-c', 'user.name=a', '-c', 'user.email=a@example.com']
    await git(...at, 'commit', '-q', '--allow-empty', '-m', `push ${index}`)
    await git(...at, 'push', '-q', remote.href, `HEAD:refs/heads/c${clone}`)
  }
  await measure('pushes, one writer', 20, 1, push(0))
  let turn = 0
  const free = [0, 1, 2, 3]
  await measure('pushes, 4 writers', 40, 4, async () => {
    const clone = free.pop()
    await push(clone)(`many ${turn++}`)
    free.push(clone)
  })
  const pulls = []
  for (let index = 0; index < 24; index++) {
    await ask('POST', `${api}/contents/topic-${index}`, { branch: 'main', new_branch: `topic-${index}`, content: '' })
    pulls.push(
      (await ask('POST', `${api}/pulls`, { base: 'main', head: `topic-${index}`, title: `topic ${index}` })).number,
    )
  }
  await measure('merges, one after the other', 24, 1, (index) =>
    ask('POST', `${api}/pulls/${pulls[index]}/merge`, { Do: 'merge' }),
  )
}

try {
  const ask = await apiOf(forge.url)
  await ask('POST', '/user/repos', { name: 'writes', auto_init: true, default_branch: 'main' })
  const api = `/repos/${administrator.login}/writes`
  await measureProcessor(ask, api)
  if (!options['only-processor']) await measureTimes(ask, api)
} finally {
  await forge.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
}
