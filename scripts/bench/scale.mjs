#!/usr/bin/env node
/**
 * Asks a small instance and a large one the same, and compares what that costs the server and its database: 20,000
 * accounts, 100,000 repositories, 1,000,000 issues (half of them in one repository) and as many comments beside 60, 300,
 * 2,000 and 2,000. What is asked is in `lib/scale-requests.mjs`, what there is in `lib/scale-fill.mjs`. Fills are kept
 * below the folder for temporary files and used again; `--refill` makes them anew.
 *
 *     npm run bench -- --scale [--postgres] [--part 0.1] [--only ID,ID] [--quick] [--refill] [--json FILE]
 *
 * Prints `flat`, or what is not, with status 1.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bundle, ownBuildFolder } from '../lib/bundle.mjs'
import { buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fail, fromRoot } from '../lib/project.mjs'
import { askers, fillPostgres, fillSqlite, fillVersion, sizeOf, smallSize } from '../lib/scale-fill.mjs'
import { addressIn, findPlaces, requestsOf } from '../lib/scale-requests.mjs'

/** What is asked of every request: at most so many times the small instance's, or so much processor time. */
const bounds = { ratio: 3, ms: 10, wordsMs: 25, startMs: 1000, memoryMb: 250 }

await ensureReady()
const { values: options } = parseArgs({
  options: {
    scale: { type: 'boolean' },
    postgres: { type: 'boolean', default: false },
    part: { type: 'string', default: '1' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    refill: { type: 'boolean', default: false },
    json: { type: 'string', default: fromRoot('build', 'bench-scale.json') },
  },
})
const part = Number(options.part)
const kind = options.postgres ? 'postgres' : 'sqlite'
const config = fromRoot('test/conformance/profiles/default.ini')
const program = await buildForge()
const folder = ownBuildFolder('scale')
await bundle({ app: 'src/app.ts' }, folder)
const { allOperations } = await import(join(folder, 'app.js'))
const wanted = options.only?.split(',')
const requests = requestsOf(allOperations()).filter(
  (request) => (wanted === undefined || wanted.includes(request.operation)) && !(options.quick && request.isPair),
)

const kept = join(tmpdir(), 'ingot-scale')
mkdirSync(kept, { recursive: true })
const cluster = options.postgres
  ? await (await import('../postgres.mjs')).startPostgres({ kept: join(kept, 'postgres-cluster') })
  : undefined

/** Starts one of the two, which is filled when there is none. */
async function instance(name, size) {
  const data = join(kept, `${kind}-${name}-${fillVersion}`)
  const isFilled = join(data, 'filled')
  const databaseName = `ingot_${name.replaceAll(/\W/g, '_')}_${fillVersion}`
  const database = cluster && { ...cluster, name: databaseName }
  const start = () =>
    startForge({ program, config, name: `scale-${name}`, database, readableTraces: false, kept: data })
  if (options.refill || !existsSync(isFilled)) {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { recursive: true })
    if (cluster) await remakeDatabase(databaseName)
    const empty = await start()
    await empty.stop()
    const begun = performance.now()
    const say = (done, all) => {
      if (process.stderr.isTTY) process.stderr.write(`\rfilling ${name}: ${done} of ${all}`)
    }
    if (cluster) await fillPostgres(cluster.url.replace(/\/ingot$/, `/${databaseName}`), size, say)
    else await fillSqlite(join(data, 'ingot.db'), size, say)
    writeFileSync(isFilled, '')
    console.log(`filled ${name} in ${Math.round((performance.now() - begun) / 1000)} s`)
  }
  return { name, size, start, forge: await start() }
}

async function remakeDatabase(name) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  await client.query(`drop database if exists ${name}`)
  await client.query(`create database ${name}`)
  await client.end()
}

/** Processor time of a process's threads in milliseconds, as precise as the kernel has it. */
function cpuOf(pid) {
  let nanoseconds = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    }
  } catch {
    // A thread or process that ended meanwhile used next to nothing.
  }
  return nanoseconds / 1e6
}

/** The processes that answer a server: itself, its broker, and the database's that work for its connections. */
function processesOf({ name, forge }) {
  const parents = new Map()
  const found = [forge.pid]
  const database = `ingot_${name.replaceAll(/\W/g, '_')}_${fillVersion}`
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
      if (cluster && readFileSync(`/proc/${entry}/cmdline`, 'utf8').startsWith(`postgres: ingot ${database} `)) {
        found.push(Number(entry))
      }
    } catch {
      // It ended meanwhile.
    }
  }
  for (const [pid, parent] of parents) if (parent === forge.pid) found.push(pid)
  return found
}

const cpuByProcess = (server) => new Map(processesOf(server).map((pid) => [pid, cpuOf(pid)]))
const cpu = (server) =>
  cpuByProcess(server)
    .values()
    .reduce((sum, ms) => sum + ms, 0)

/** What was used since; undefined when a process ended meanwhile, as connections of the database do, and took along what it used. */
function cpuSince(server, before) {
  const now = cpuByProcess(server)
  if (before.entries().some(([pid, ms]) => !(now.get(pid) >= ms))) return undefined
  return now.entries().reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const ask = ({ forge }, path, token, body) =>
  new Promise((answered, failed) => {
    const { hostname, port } = new URL(forge.url)
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const sent = httpRequest(
      {
        agent,
        hostname,
        port,
        path,
        method: payload === undefined ? 'GET' : 'POST',
        headers: {
          ...(token === undefined ? {} : { authorization: `token ${token}` }),
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      (reply) => {
        let size = 0
        let text = ''
        reply.on('data', (piece) => {
          size += piece.length
          if (text.length < 300) text += piece
        })
        reply.on('end', () => answered({ status: reply.statusCode, size, text, headers: reply.headers }))
      },
    )
    sent.once('error', (error) => {
      // The server had closed the connection, which was idle while the other one was asked.
      if (sent.reusedSocket && error.code === 'ECONNRESET') answered(ask({ forge }, path, token, body))
      else failed(error)
    })
    sent.end(payload)
  })

/** Rounds until one is measured. */
const mostRounds = 20

/**
 * What one request costs: the least of some rounds, since whatever else the server does only adds to it. What follows from a
 * write, which may be told to thousands, is no part of it: it is over before the next one is asked.
 */
async function costOf(server, make, rounds, isWrite) {
  let reply = await make()
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds || (least === Number.POSITIVE_INFINITY && round < mostRounds); round++) {
    if (isWrite) await settle(server)
    const before = cpuByProcess(server)
    const times = isWrite || least > 50 ? 1 : 4
    for (let time = 0; time < times; time++) reply = await make()
    least = Math.min(least, (cpuSince(server, before) ?? Number.POSITIVE_INFINITY) / times)
    if (least > 200 && Number.isFinite(least)) break
  }
  return { ms: least, reply }
}

/** Waits until what follows from earlier requests is done, for a minute at most: a comment may be told to thousands. */
async function settle(server) {
  for (let second = 0, before = cpu(server); second < 60; second++) {
    await sleep(1000)
    const now = cpu(server)
    if (now - before < 20) return
    before = now
  }
}

const number = (value) => value.toFixed(value < 10 ? 2 : 0).padStart(8)
const line = ({ name, small: one, large: other, ratio, isFlat, status, text }) =>
  `${number(one)} ${number(other)} ${number(ratio)}  ${name}${status === undefined ? '' : `  ${status} ${text.slice(0, 160)}`}${isFlat ? '' : '  MISSED'}`

const results = []
/** How often both are asked before the large one is said to cost too much. */
const mostAttempts = 5
/** Asks both, and again as long as the large one seems to cost too much. */
async function compare(name, makeFor, { isWords = false, isRefused = false, isWrite = false } = {}) {
  let [first, second] = [undefined, undefined]
  let isFlat = false
  for (let attempt = 0; attempt < mostAttempts && !isFlat; attempt++) {
    const [one, other] = [
      await costOf(small, makeFor(small), 2 + attempt, isWrite),
      await costOf(large, makeFor(large), 2 + attempt, isWrite),
    ]
    if (first === undefined || one.ms < first.ms) first = one
    if (second === undefined || other.ms < second.ms) second = other
    // A longer answer may cost more: as much as its bytes did in the small instance, where there are some.
    const isMeasure = first.reply.size >= 1000
    const longer = isMeasure ? Math.max(1, second.reply.size / first.reply.size) : 1
    isFlat = second.ms <= Math.max(bounds.ratio * first.ms * longer, isWords ? bounds.wordsMs : bounds.ms)
    if (attempt > 0 && second.ms > 100) break
  }
  // What an ordinary account is refused costs nothing that grows.
  if (isRefused && first.reply.status === 403 && second.reply.status === 403) return
  const failed = [first, second].find(({ reply }) => reply.status >= 300)
  results.push({
    name,
    small: first.ms,
    large: second.ms,
    ratio: second.ms / first.ms,
    bytes: [first.reply.size, second.reply.size],
    isFlat: isFlat && failed === undefined,
    ...(failed === undefined ? {} : { status: failed.reply.status, text: failed.reply.text }),
  })
  // The whole takes long: what is missed is told at once.
  if (!results.at(-1).isFlat) console.log(line(results.at(-1)))
}

const deepPages = (total, limit) => {
  const last = Math.max(1, Math.ceil(total / limit))
  return { 'page 20': Math.min(20, last), 'middle page': Math.ceil(last / 2), 'last page': last }
}

const memoryOf = ({ forge }) =>
  processesOf({ name: 'no database', forge }).reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    0,
  )
const figures = { kind, part }
let small
let large
try {
  small = await instance('small', smallSize)
  large = await instance(`large-${part}`, sizeOf(part))
  const places = new Map()
  for (const server of [small, large]) places.set(server, await findPlaces(server.forge.url, server.size))
  const asWhom = { administrator: askers.administrator, person: askers.person }
  for (const request of requests) {
    for (const [who, token] of Object.entries(asWhom)) {
      if (who === 'person' && /^(admin|teamSearch)/.test(request.operation)) continue
      const addressOf = (server, page) => addressIn(places.get(server), request, page)
      const name = `${request.name} (${who})`
      const kindOf = { isWords: request.isWords, isRefused: who === 'person' }
      await compare(name, (server) => () => ask(server, addressOf(server), token), kindOf)
      const isDeep = request.isFirst || request.isSort || request.isDeepPair || (request.isFilter && !options.quick)
      if (!request.pages || !isDeep) continue
      const totals = new Map()
      for (const server of [small, large]) {
        const { headers } = await ask(server, addressOf(server, 1), token)
        totals.set(server, Number(headers['x-total-count'] ?? 0))
      }
      if (totals.get(large) <= 100) continue
      for (const which of Object.keys(deepPages(0, 1))) {
        const make = (server) => () => ask(server, addressOf(server, deepPages(totals.get(server), 30)[which]), token)
        await compare(`${name}, ${which}`, make, kindOf)
      }
    }
  }
  if (wanted === undefined) {
    let turn = 0
    const stamp = Date.now()
    const post = (path, body) => (server) => () => ask(server, `/api/v1${path}`, askers.administrator, body(++turn))
    const writes = {
      'create issue': post('/repos/org1/hot/issues', (i) => ({ title: `made ${stamp} ${i}`, body: 'text' })),
      'create comment': post('/repos/org1/hot/issues/7/comments', (i) => ({ body: `made ${stamp} ${i}` })),
      'create repository': post('/user/repos', (i) => ({ name: `made-${stamp}-${i}` })),
    }
    for (const [name, makeFor] of Object.entries(writes)) {
      await compare(name, makeFor, { isWrite: true })
    }
  }
  figures.memoryMb = memoryOf(large)
  figures.startMs = []
  for (const end of ['stop', 'kill']) {
    await large.forge[end]()
    large.forge = await large.start()
    figures.startMs.push(large.forge.startMs)
  }
} finally {
  await small?.forge.stop()
  await large?.forge.stop()
  await cluster?.stop()
  agent.destroy()
}

console.log(`\n${kind}, part ${part}: ms of processor per request, small and large, and their ratio`)
for (const result of results.toSorted((one, other) => one.large - other.large)) console.log(line(result))
console.log(
  `\nmemory after all of it ${Math.round(figures.memoryMb)} MB; started in ${figures.startMs.map(Math.round).join(' ms, after a crash in ')} ms`,
)
const missed = [
  ...results.filter(({ isFlat }) => !isFlat).map(({ name }) => name),
  ...(figures.memoryMb > bounds.memoryMb ? [`memory (at most ${bounds.memoryMb} MB)`] : []),
  ...(Math.max(...figures.startMs) > bounds.startMs ? [`start (at most ${bounds.startMs} ms)`] : []),
]
writeFileSync(resolve(options.json), `${JSON.stringify({ ...figures, results }, null, 1)}\n`)
console.log(
  missed.length === 0 ? `flat: ${results.length} requests` : `${missed.length} of ${results.length} are not flat`,
)
if (missed.length > 0) fail('not flat')
