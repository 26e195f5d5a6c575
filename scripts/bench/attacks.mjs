#!/usr/bin/env node
/**
 * Measures what honest clients notice during attacks: times of reads, a clone and a push, without and during each attack.
 * Then it sends expensive texts one by one and measures the longest concurrent read and the server's memory. It reports
 * texts that delay a read by more than 200 ms, and fails when a text ends the server or blocks it for 10 s.
 *
 *     npm run bench:attacks [-- --postgres] [--texts]
 *
 * `--texts` sends only the texts.
 *
 * Attackers use 127.0.0.2, honest clients 127.0.0.1. Attackers run in a separate thread and reconnect whenever the server
 * disconnects them; honest reads are spread over the attack.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { hostileTexts } from '../lib/hostile-texts.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: { postgres: { type: 'boolean', default: false }, texts: { type: 'boolean', default: false } },
})
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program: await buildForge(),
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-attacks',
  ...(database ? { database } : {}),
})
const port = Number(new URL(forge.url).port)
const { login } = administrator
const name = 'attacked'
const folder = mkdtempSync(join(tmpdir(), 'ingot-attacks-'))
const work = join(folder, 'work')
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
const git = (...args) =>
  execFileSync('git', [...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Creates the repository: an incompressible file, and a branch whose tree names it 300 times. */
async function makeRepository(ask) {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  git('clone', '-q', `http://${login}:${ask.token}@127.0.0.1:${port}/${login}/${name}.git`, work)
  writeFileSync(join(work, 'random.bin'), randomBytes(8 << 20))
  git('-C', work, 'add', '.')
  git('-C', work, 'commit', '-q', '-m', 'large')
  git('-C', work, 'push', '-q', 'origin', 'main')
  const blob = git('-C', work, 'rev-parse', 'HEAD:random.bin')
  const tree = execFileSync('git', ['-C', work, 'mktree'], {
    input: Array.from({ length: 300 }, (_, index) => `100644 blob ${blob}\t${index}\n`).join(''),
    encoding: 'utf8',
  }).trim()
  const again = git('-C', work, 'commit-tree', '-m', 'again', '-p', 'HEAD', tree)
  git('-C', work, 'push', '-q', 'origin', `${again}:refs/heads/again`)
}

/** The median duration of a piece of work in milliseconds; a failure counts as infinite. */
async function medianOf(times, work) {
  const taken = []
  for (let round = 0; round < times; round++) {
    const beganMs = performance.now()
    const isDone = await work()
    taken.push(isDone ? performance.now() - beganMs : Infinity)
    await sleep(30)
  }
  return quantile(taken, 0.5)
}

const gitSucceeds = (...args) =>
  new Promise((resolve) => {
    spawn('git', [...identity, ...args], { stdio: 'ignore' }).on('close', (code) => resolve(code === 0))
  })

async function isRead(path, headers = {}) {
  const response = await fetch(`${forge.url}/api/v1/repos/${login}/${name}${path}`, { headers })
  await response.arrayBuffer()
  return response.ok
}

let count = 0
/** The work of honest clients by name; each returns the median of its durations. */
const honest = (token) => ({
  read: () => medianOf(60, () => isRead('')),
  commits: () => medianOf(30, () => isRead('/commits?stat=true', { authorization: `token ${token}` })),
  clone: () =>
    medianOf(5, () =>
      gitSucceeds('clone', '-q', `${forge.url}/${login}/${name}.git`, join(folder, `clone-${++count}`)),
    ),
  push: async () => {
    const commits = Array.from({ length: 5 }, () => {
      writeFileSync(join(work, 'small'), String(++count))
      git('-C', work, 'add', '.')
      git('-C', work, 'commit', '-q', '-m', `${count}`)
      return git('-C', work, 'rev-parse', 'HEAD')
    })
    return medianOf(5, () => gitSucceeds('-C', work, 'push', '-q', 'origin', `${commits.shift()}:refs/heads/main`))
  },
})

/** Opens connections, sends each its text and reads nothing; reopens closed connections until the attack changes. */
const attacker = new Worker(
  `
  const { connect } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  const open = new Set()
  let round = 0
  const send = (text, now) => {
    const socket = connect({ port: workerData, host: '127.0.0.1', localAddress: '127.0.0.2' })
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (now === round) setTimeout(() => now === round && send(text, now), 50)
    })
    socket.pause()
    socket.write(text)
  }
  parentPort.on('message', (texts) => {
    round++
    for (const socket of open) socket.destroy()
    for (const text of texts) send(text, round)
  })
  `,
  { eval: true, workerData: port },
)
/** Starts an attack and ends the previous one. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
const attack = (texts) => attacker.postMessage(texts)
const packet = (text) => (text.length + 4).toString(16).padStart(4, '0') + text
const post = (service, body, length = body.length, more = '') =>
  `POST /${login}/${name}.git/git-${service} HTTP/1.1\r\nhost: x\r\n${more}git-protocol: version=2\r\ncontent-type: application/x-git-${service}-request\r\ncontent-length: ${length}\r\n\r\n${body}`
const many = (times, text) => Array.from({ length: times }, (_, i) => text(i))
/** What attackers send, by the name of the attack. */
const attacks = ({ tip, token }) => ({
  nobody: [],
  '20 clones that read nothing': many(20, (i) =>
    post(
      'upload-pack',
      `${packet('command=fetch')}0001${packet('ofs-delta')}${packet(`want ${tip}`)}${packet(`deepen ${100 + i}`)}${packet('done')}0000`,
    ),
  ),
  '60 pushes of four bytes': many(60, () => post('receive-pack', '0095', 1000, `authorization: token ${token}\r\n`)),
  '40 downloads that read nothing': many(
    40,
    () => `GET /${login}/${name}/raw/branch/main/random.bin HTTP/1.1\r\nhost: x\r\n\r\n`,
  ),
  '20 archives of a file named 300 times': many(
    20,
    (i) => `GET /api/v1/repos/${login}/${name}/archive/again.${i % 2 ? 'zip' : 'tar.gz'} HTTP/1.1\r\nhost: x\r\n\r\n`,
  ),
  '600 begun requests': many(600, () => post('upload-pack', '0', 1000)),
  '200 expensive reads': many(
    200,
    (i) => `GET /api/v1/repos/${login}/${name}/commits?stat=true&limit=${1 + (i % 50)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  ),
})

/** Longest wait for a read while a text is parsed, in milliseconds; beyond it the server hangs. */
const hangMs = 10_000
/** Longest wait for a read that does not count as a stall, in milliseconds. */
const maxWaitMs = 200

/** Memory of the server, in MiB. */
const serverMemory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${forge.pid}/status`, 'utf8'))?.[1]) / 1024

/** Reads repeatedly until a piece of work ends; returns the longest read and the peak memory. */
async function duringReads(work) {
  let isOver = false
  const working = work().finally(() => (isOver = true))
  let [longestMs, memory] = [0, 0]
  const read = async () => {
    const beganMs = performance.now()
    const path = `${forge.url}/api/v1/repos/${login}/${name}`
    await (await fetch(path, { signal: AbortSignal.timeout(hangMs) })).arrayBuffer()
    longestMs = Math.max(longestMs, performance.now() - beganMs)
    memory = Math.max(memory, serverMemory())
    await sleep(5)
  }
  while (!isOver) await read()
  await working
  // Jobs continue after the request that caused them.
  for (const endMs = performance.now() + 1000; performance.now() < endMs;) await read()
  return { longestMs, memory }
}

async function sendHostileTexts(ask) {
  const idle = await duringReads(() => sleep(1000))
  const slow = []
  console.log('nobody'.padEnd(60), `longest read ${idle.longestMs.toFixed(0)} ms, ${idle.memory.toFixed(0)} MiB`)
  for (const [title, send] of Object.entries(await hostileTexts(forge.url))) {
    const { longestMs, memory } = await duringReads(() => send(ask, login, `text-${++count}`))
    const isSlow = longestMs > maxWaitMs
    if (isSlow) slow.push(title)
    const row = `longest read ${longestMs.toFixed(0)} ms, ${memory.toFixed(0)} MiB${isSlow ? '  SLOW' : ''}`
    console.log(title.padEnd(60), row)
  }
  console.log(`${slow.length} texts kept a read waiting for more than ${maxWaitMs} ms`)
}

try {
  const ask = await apiOf(forge.url)
  await makeRepository(ask)
  const tip = git('-C', work, 'rev-parse', 'HEAD')
  const usual = {}
  for (const [title, texts] of options.texts ? [] : Object.entries(attacks({ tip, token: ask.token }))) {
    attack(texts)
    await sleep(300)
    const row = []
    for (const [what, measure] of Object.entries(honest(ask.token))) {
      const ms = await measure()
      usual[what] ??= ms
      row.push(`${what} ${ms.toFixed(1)} ms (${(ms / usual[what]).toFixed(2)} ×)`)
    }
    console.log(title.padEnd(40), row.join('   '))
    attack([])
    await sleep(1000)
  }
  await sendHostileTexts(ask)
} finally {
  await attacker.terminate()
  await forge.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
}
