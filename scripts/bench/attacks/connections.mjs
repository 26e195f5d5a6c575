/** What honest clients notice while one address attacks: reads, a clone and a push, as medians beside their usual time. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { quantile } from '../../lib/api-client.mjs'
import { administrator } from '../../lib/forge.mjs'

const { login } = administrator
const name = 'attacked'
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
const git = (...args) =>
  execFileSync('git', [...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Creates the repository: an incompressible file, and a branch whose tree names it 300 times. */
async function makeRepository({ ask, url, work }) {
  await ask('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
  git('clone', '-q', `${url.replace('//', `//${login}:${ask.token}@`)}/${login}/${name}.git`, work)
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

async function isRead(url, path, headers = {}) {
  const response = await fetch(`${url}/api/v1/repos/${login}/${name}${path}`, { headers })
  await response.arrayBuffer()
  return response.ok
}

/** A request of its own connection, which a new visitor needs. */
const connects = (url) =>
  new Promise((resolve) => {
    const sent = request(`${url}/api/healthz`, { agent: false }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode === 200))
    })
    sent.on('error', () => resolve(false)).end()
  })

let count = 0
/** The work of honest clients by name; each returns the median of its durations. */
const honest = ({ url, token, folder, work }) => ({
  read: () => medianOf(60, () => isRead(url, '')),
  'new connection': () => medianOf(20, () => connects(url)),
  commits: () => medianOf(30, () => isRead(url, '/commits?stat=true', { authorization: `token ${token}` })),
  clone: () =>
    medianOf(5, () => gitSucceeds('clone', '-q', `${url}/${login}/${name}.git`, join(folder, `clone-${++count}`))),
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
  '100 connections to one page': many(100, () => `GET /${login}/${name} HTTP/1.1\r\nhost: x\r\n\r\n`),
  '200 expensive reads': many(
    200,
    (i) => `GET /api/v1/repos/${login}/${name}/commits?stat=true&limit=${1 + (i % 50)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  ),
})

/** Opens connections, sends each its text and reads nothing; reopens closed connections until the attack changes. */
const startAttacker = (port) =>
  new Worker(
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

/** Prints a row for each attack. */
export async function measureConnections({ url, ask, folder }) {
  const work = join(folder, 'work')
  const attacker = startAttacker(Number(new URL(url).port))
  /** Starts an attack and ends the previous one. */
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
  const attack = (texts) => attacker.postMessage(texts)
  try {
    await makeRepository({ ask, url, work })
    const tip = git('-C', work, 'rev-parse', 'HEAD')
    const usual = {}
    for (const [title, texts] of Object.entries(attacks({ tip, token: ask.token }))) {
      attack(texts)
      await sleep(300)
      const row = []
      for (const [what, measure] of Object.entries(honest({ url, token: ask.token, folder, work }))) {
        const ms = await measure()
        usual[what] ??= ms
        row.push(`${what} ${ms.toFixed(1)} ms (${(ms / usual[what]).toFixed(2)} ×)`)
      }
      console.log(title.padEnd(40), row.join('   '))
      attack([])
      await sleep(1000)
    }
  } finally {
    await attacker.terminate()
  }
}
