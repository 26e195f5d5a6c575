#!/usr/bin/env node
/**
 * Measures durable writes: issues, pushes and merges, by one writer and by many. The data folder is below the folder for
 * temporary files, which must be a real disk.
 *
 *     npm run bench:writes [-- [--postgres] [--writers 32]]
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, writers: { type: 'string', default: '32' } },
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

const git = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(said))))
  })

try {
  const file = openSync(join(folder, 'yardstick'), 'w')
  const block = Buffer.alloc(4096)
  await measure('yardstick: one block and a sync', 100, 1, async (index) => {
    writeSync(file, block, 0, block.length, index * block.length)
    fdatasyncSync(file)
  })
  closeSync(file)
  const ask = await apiOf(forge.url)
  await ask('POST', '/user/repos', { name: 'writes', auto_init: true, default_branch: 'main' })
  const api = `/repos/${administrator.login}/writes`
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
} finally {
  await forge.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
}
