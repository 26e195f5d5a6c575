#!/usr/bin/env node
/**
 * Measures how long a client on a new connection waits while another address keeps many connections busy with one page:
 * the health check and the page itself, 50 times each, without attackers and for each number of them.
 *
 *     npm run bench:connections [-- --postgres] [--program FILE] [--tries N] [--connections 20,100,500]
 *
 * Attackers use 127.0.0.2 and run in a separate thread, honest clients use 127.0.0.1.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    program: { type: 'string' },
    tries: { type: 'string', default: '50' },
    connections: { type: 'string', default: '20,100,500' },
  },
})
const tries = Number(options.tries)
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program: options.program ?? (await buildForge()),
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-connections',
  ...(database ? { database } : {}),
})
const port = Number(new URL(forge.url).port)
const page = `/${administrator.login}/attacked`

/**
 * Keeps connections busy: `kept` sends the next request when the answer has ended, `closed` opens a connection for each
 * request, `unread` sends 50 requests at once and reads nothing.
 */
const attacker = new Worker(
  `
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, page } } = require('node:worker_threads')
  const open = new Set()
  let [round, answers] = [0, 0]
  const begin = (kind, now) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    open.add(socket)
    const text = 'GET ' + page + ' HTTP/1.1\\r\\nhost: x\\r\\n' + (kind === 'closed' ? 'connection: close\\r\\n' : '') + '\\r\\n'
    let missing = -1
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      if (kind === 'closed') answers++
      if (now === round) setImmediate(() => now === round && begin(kind, now))
    })
    socket.write(kind === 'unread' ? text.repeat(50) : text)
    if (kind === 'unread') return socket.pause()
    socket.on('data', (chunk) => {
      if (kind === 'closed') return
      if (missing < 0) {
        const head = chunk.toString('latin1')
        const length = /content-length: (\\d+)/i.exec(head)
        if (length === null) return socket.destroy()
        missing = Number(length[1]) + head.indexOf('\\r\\n\\r\\n') + 4
      }
      missing -= chunk.length
      if (missing > 0) return
      missing = -1
      answers++
      socket.write(text)
    })
  }
  parentPort.on('message', ({ kind, count }) => {
    parentPort.postMessage(answers)
    answers = 0
    round++
    for (const socket of open) socket.destroy()
    for (let each = 0; each < count; each++) begin(kind, round)
  })
  `,
  { eval: true, workerData: { port, page } },
)
/** Starts an attack, ends the previous one and returns the number of its answers. */
const attack = (kind, count) =>
  new Promise((resolve) => {
    attacker.once('message', resolve)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
    attacker.postMessage({ kind, count })
  })

/** Returns the duration of a request over a new connection, in milliseconds. */
const readAnew = (path) =>
  new Promise((resolve, reject) => {
    const beganMs = performance.now()
    request({ port, host: '127.0.0.1', localAddress: '127.0.0.1', path, agent: false }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - beganMs)
        else reject(new Error(`${path}: ${response.statusCode}`))
      })
    })
      .once('error', reject)
      .end()
  })

/** Processor time of the server, in milliseconds. */
function usedMs() {
  const fields = readFileSync(`/proc/${forge.pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function row(path) {
  const taken = []
  for (let each = 0; each < tries; each++) {
    taken.push(await readAnew(path))
    await sleep(20)
  }
  return `${quantile(taken, 0.5).toFixed(0)} ms, longest ${Math.max(...taken).toFixed(0)} ms`
}

try {
  const ask = await apiOf(forge.url)
  await ask('POST', '/user/repos', { name: 'attacked', auto_init: true, default_branch: 'main' })
  const counts = options.connections.split(',').map(Number)
  const attacks = [['kept', 0], ...['kept', 'closed', 'unread'].flatMap((kind) => counts.map((count) => [kind, count]))]
  for (const [kind, count] of attacks) {
    await attack(kind, count)
    const [beganMs, beforeMs] = [performance.now(), usedMs()]
    // Without a pause: connections that wait to be accepted are part of the attack.
    const [health, own] = [await row('/api/healthz'), await row(page)]
    const tookMs = performance.now() - beganMs
    const processor = Math.round(((usedMs() - beforeMs) / tookMs) * 100)
    const perSecond = Math.round(((await attack('kept', 0)) / tookMs) * 1000)
    const title = `${count} connections, ${kind}`
    console.log(
      title.padEnd(24),
      `health ${health}`.padEnd(36),
      `page ${own}`.padEnd(36),
      `${perSecond} answers/s, ${processor} % of a processor`,
    )
    await sleep(1000)
  }
} finally {
  await attacker.terminate()
  await forge.stop()
  await database?.stop()
}
