// Measures what honest people feel while others attack: usual times of a read, a clone and a push, and the same during each attack.
// usage: node scripts/bench-attacks.mjs --server URL --admin login:password
// The attackers come from 127.0.0.2, honest people from 127.0.0.1: the addresses of one Linux machine. They have a thread of their own,
// and begin anew whenever they are thrown out; honest reads are spread over the time of the attack.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const { values: o } = parseArgs({
  options: {
    server: { type: 'string', default: 'http://127.0.0.1:3000' },
    admin: { type: 'string', default: 'root:Passw0rd!' },
  },
})
const basic = `Basic ${Buffer.from(o.admin).toString('base64')}`
const [login] = o.admin.split(':')
const port = Number(new URL(o.server).port)
const folder = mkdtempSync(join(tmpdir(), 'attacks-'))
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']
const git = (...args) =>
  execFileSync('git', [...identity, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
/** How `api` signs in: with the password until there is a token. */
let authorization = basic
const api = async (method, path, body) => {
  const r = await fetch(`${o.server}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status}`)
  return r.json()
}
const token = `token ${(await api('POST', `/users/${login}/tokens`, { name: `attacks-${Date.now()}`, scopes: ['all'] })).sha1}`
authorization = token
const name = `attacks-${Date.now()}`
await api('POST', '/user/repos', { name, auto_init: true, default_branch: 'main' })
const remote = `http://${login}:${token.slice(6)}@127.0.0.1:${port}/${login}/${name}.git`
const work = join(folder, 'work')
git('clone', '-q', remote, work)
writeFileSync(join(work, 'random.bin'), randomBytes(8 << 20))
git('-C', work, 'add', '.')
git('-C', work, 'commit', '-q', '-m', 'large')
git('-C', work, 'push', '-q', 'origin', 'main')
const tip = git('-C', work, 'rev-parse', 'HEAD')
const blob = git('-C', work, 'rev-parse', 'HEAD:random.bin')
const tree = execFileSync('git', ['-C', work, 'mktree'], {
  input: Array.from({ length: 300 }, (_, i) => `100644 blob ${blob}\t${i}\n`).join(''),
  encoding: 'utf8',
}).trim()
git(
  '-C',
  work,
  'push',
  '-q',
  'origin',
  `${git('-C', work, 'commit-tree', '-m', 'again', '-p', 'HEAD', tree)}:refs/heads/again`,
)

const run = (args) =>
  new Promise((done) => {
    const from = performance.now()
    spawn('git', [...identity, ...args], { stdio: 'ignore' }).on('close', (code) =>
      done(code === 0 ? performance.now() - from : Infinity),
    )
  })
let count = 0
const median = async (work, times = 5) => {
  const all = []
  for (let i = 0; i < times; i++) all.push(await work())
  return all.sort((a, b) => a - b)[times >> 1]
}
const honest = {
  read: () =>
    median(async () => {
      const from = performance.now()
      const r = await fetch(`${o.server}/api/v1/repos/${login}/${name}`)
      await r.text()
      const took = performance.now() - from
      await new Promise((done) => setTimeout(done, 30))
      return r.ok ? took : Infinity
    }, 60),
  commits: () =>
    median(async () => {
      const from = performance.now()
      const r = await fetch(`${o.server}/api/v1/repos/${login}/${name}/commits?stat=true`, {
        headers: { authorization: token },
      })
      await r.text()
      const took = performance.now() - from
      await new Promise((done) => setTimeout(done, 30))
      return r.ok ? took : Infinity
    }, 30),
  clone: () => median(() => run(['clone', '-q', `${o.server}/${login}/${name}.git`, join(folder, `clone-${++count}`)])),
  push: () =>
    median(async () => {
      writeFileSync(join(work, 'small'), String(++count))
      git('-C', work, 'add', '.')
      git('-C', work, 'commit', '-q', '-m', `${count}`)
      return run(['-C', work, 'push', '-q', 'origin', 'main'])
    }),
}
/** Opens connections, sends each its text, reads nothing, and does so again when a connection is ended; until it is told to stop. */
const attacker = new Worker(
  `
  const { connect } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  const open = new Set()
  let round = 0
  const begin = (text, now) => {
    const socket = connect({ port: workerData, host: '127.0.0.1', localAddress: '127.0.0.2' })
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (now === round) setTimeout(() => now === round && begin(text, now), 50)
    })
    socket.pause()
    socket.write(text)
  }
  parentPort.on('message', (texts) => {
    round++
    for (const socket of open) socket.destroy()
    for (const text of texts) begin(text, round)
  })
  `,
  { eval: true, workerData: port },
)
/** Begins an attack, in place of the one before. */
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const begin = (texts) => attacker.postMessage(texts)
const packet = (text) => (text.length + 4).toString(16).padStart(4, '0') + text
const post = (service, body, length = body.length, more = '') =>
  `POST /${login}/${name}.git/git-${service} HTTP/1.1\r\nhost: x\r\n${more}git-protocol: version=2\r\ncontent-type: application/x-git-${service}-request\r\ncontent-length: ${length}\r\n\r\n${body}`
const many = (times, text) => Array.from({ length: times }, (_, i) => text(i))
const attacks = {
  nobody: [],
  '20 clones that read nothing': many(20, (i) =>
    post(
      'upload-pack',
      `${packet('command=fetch')}0001${packet('ofs-delta')}${packet(`want ${tip}`)}${packet(`deepen ${100 + i}`)}${packet('done')}0000`,
    ),
  ),
  '60 pushes of four bytes': many(60, () => post('receive-pack', '0095', 1000, `authorization: ${token}\r\n`)),
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
}
const usual = {}
for (const [attack, texts] of Object.entries(attacks)) {
  begin(texts)
  await new Promise((done) => setTimeout(done, 300))
  const row = []
  for (const [what, measure] of Object.entries(honest)) {
    const ms = await measure()
    if (attack === 'nobody') usual[what] = ms
    row.push(`${what} ${ms.toFixed(1)} ms${attack === 'nobody' ? '' : ` (${(ms / usual[what]).toFixed(2)} x)`}`)
  }
  console.log(attack.padEnd(40), row.join('   '))
  begin([])
  await new Promise((done) => setTimeout(done, 1000))
}
await attacker.terminate()
rmSync(folder, { recursive: true, force: true })
