/**
 * What an honest client notices while eight attackers at once request what they stored, each another hostile input. Quiet turns
 * and turns under attack alternate, so that the load of the machine is the same in both.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { quantile } from '../../lib/api-client.mjs'
import { administrator } from '../../lib/forge.mjs'
import { gitDimensions } from './git.mjs'
import { worldsOf } from './world.mjs'

/** The page that each attacker requests, by the name of the dimension that it fills. */
const targets = {
  'changed words': '/pulls/1/files',
  'slow fences of a notebook': '/src/branch/main/slow.ipynb',
  'cells of a notebook': '/src/branch/main/cells.ipynb',
  'bytes of commit messages': '/commits/branch/main',
  'patterns of .gitattributes': '/pulls/1/files',
  'fields of an issue form': '/issues/new?template=.gitea%2Fissue_template%2Fa.yaml',
  'lines of code': '/blame/branch/main/lines.ts',
  'rows of a table file': '/src/branch/main/rows.csv',
}
/** Each dimension has this share of its limit: the pages are expensive, and filling them takes seconds. */
const filledShare = 0.3
const connectionsOfEach = 4
const turns = 6
/** Requests of each kind in one turn. */
const requestsInTurn = 10
/**
 * The longest delay that the attack may add to the usual request of a kind, in milliseconds. One step of rendering holds the main
 * thread for up to 100 ms, so a request that comes at any time waits for half of it, and again after each of its own waits.
 */
const maxDelayMs = 100

/** Requests pages from an address of its own for each attacker, until it is ended. */
const startAttackers = (port, attackers) =>
  new Worker(
    `
  const { request } = require('node:http')
  const { parentPort, workerData: { port, attackers, connections } } = require('node:worker_threads')
  let isOn = false
  let count = 0
  const send = (attacker, localAddress) => {
    if (!isOn) return
    const { path, cookie } = attacker
    const next = () => setTimeout(() => send(attacker, localAddress), 5)
    const headers = { accept: 'text/html', ...(cookie ? { cookie } : {}) }
    const target = path + (path.includes('?') ? '&' : '?') + 'n=' + ++count
    request({ port, host: '127.0.0.1', localAddress, path: target, headers }, (reply) => reply.resume().on('close', next))
      .on('error', next)
      .end()
  }
  parentPort.on('message', (on) => {
    isOn = on
    if (!on) return parentPort.postMessage(count)
    for (const [at, attacker] of attackers.entries()) {
      for (let each = 0; each < connections; each++) send(attacker, '127.0.0.' + (10 + at))
    }
  })
  `,
    { eval: true, workerData: { port, attackers, connections: connectionsOfEach } },
  )

/**
 * Prints a row for each kind of honest request.
 * @returns the kinds that the attack delayed by more than `maxDelayMs`
 */
export async function measureCrowd({ url, ask, folder }) {
  const { createWorld } = worldsOf({ url, ask, folder, measured: (_id, send) => send() })
  const attackers = []
  for (const [name, path] of Object.entries(targets)) {
    const dimension = gitDimensions.find((each) => each.name === name)
    const world = await createWorld(`crowd${attackers.length}`)
    await dimension.fill(world, Math.ceil(dimension.limit * filledShare))
    attackers.push({ path: `/${world.login}/r${path}`, cookie: world.cookie })
  }
  await ask('POST', '/user/repos', { name: 'honest', auto_init: true, default_branch: 'main' })
  const own = `/${administrator.login}/honest`
  const kinds = {
    'API: repository': `/api/v1/repos${own}`,
    'page: repository': own,
    'page: file': `${own}/src/branch/main/README.md`,
    'page: issues': `${own}/issues`,
    health: '/api/healthz',
  }
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { quiet: [], attacked: [] }]))
  const worker = startAttackers(Number(new URL(url).port), attackers)
  /** Starts or ends the attack. */
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
  const attack = (isOn) => worker.postMessage(isOn)
  try {
    for (let turn = -1; turn < turns; turn++) {
      const isAttacked = turn % 2 !== 0
      attack(isAttacked)
      await sleep(isAttacked ? 500 : 3000)
      for (const [kind, path] of Object.entries(kinds)) {
        for (let count = 0; count < requestsInTurn; count++) {
          const beganMs = performance.now()
          const reply = await fetch(url + path)
          await reply.arrayBuffer()
          if (!reply.ok) throw new Error(`${kind}: ${reply.status}`)
          // The first turn fills caches.
          if (turn >= 0) times[kind][isAttacked ? 'attacked' : 'quiet'].push(performance.now() - beganMs)
        }
      }
    }
  } finally {
    await worker.terminate()
  }
  const slow = []
  for (const [kind, { quiet, attacked }] of Object.entries(times)) {
    const [usualMs, ms, longestMs] = [quantile(quiet, 0.5), quantile(attacked, 0.5), Math.max(...attacked)]
    if (ms - usualMs > maxDelayMs) slow.push(kind)
    console.log(
      `${kind.padEnd(20)} quiet ${usualMs.toFixed(1)} ms   eight attackers ${ms.toFixed(1)} ms (${(ms / usualMs).toFixed(1)} ×), longest ${longestMs.toFixed(0)} ms`,
    )
  }
  return slow
}
