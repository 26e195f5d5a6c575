#!/usr/bin/env node
/**
 * Measures how fast webhook deliveries drain to a healthy receiver, and the time of concurrent reads.
 *
 *     npm run bench:webhooks [-- [--postgres] [--hooks 1] [--deliveries 1000]]
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { apiOf, quantile, timesUntil } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    hooks: { type: 'string', default: '1' },
    deliveries: { type: 'string', default: '1000' },
  },
})
const hookCount = Number(options.hooks)
const deliveryCount = Number(options.deliveries)
const readEveryMs = 10
const longestDrainMs = 120_000

const program = await buildForge()
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-webhooks',
  ...(database ? { database } : {}),
})

/** Number of received deliveries. The receiver runs in a separate thread, so that it does not delay the measured reads. */
const received = new Int32Array(new SharedArrayBuffer(4))
const receiver = new Worker(
  `const { createServer } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const server = createServer((request, response) =>
    request.resume().on('end', () => {
      Atomics.add(workerData, 0, 1)
      response.end('ok')
    }))
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
  { eval: true, workerData: received },
)
const [receiverPort] = await once(receiver, 'message')

async function until(count) {
  for (const beganMs = performance.now(); Atomics.load(received, 0) < count;) {
    if (performance.now() - beganMs > longestDrainMs) {
      throw new Error(`only ${Atomics.load(received, 0)} of ${count} deliveries arrived`)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

try {
  const ask = await apiOf(forge.url)
  const readUntil = (isOver) =>
    timesUntil(isOver, readEveryMs, () => ask('GET', `/repos/${administrator.login}/told/issues/1`))
  await ask('POST', '/user/repos', { name: 'told' })
  const hooks = `/repos/${administrator.login}/told/hooks`
  const ids = []
  const config = { url: `http://127.0.0.1:${receiverPort}/`, content_type: 'json', secret: 'bench' }
  for (let index = 0; index < hookCount; index++) {
    ids.push((await ask('POST', hooks, { type: 'gitea', active: true, events: ['issues_only'], config })).id)
  }
  const madeMs = []
  for (let index = 0; index < deliveryCount; index++) {
    const beganMs = performance.now()
    await ask('POST', `/repos/${administrator.login}/told/issues`, { title: `issue ${index}`, body: 'a text' })
    madeMs.push(performance.now() - beganMs)
  }
  await until(deliveryCount * hookCount)
  let isQuiet = false
  const quiet = readUntil(() => isQuiet)
  await new Promise((resolve) => setTimeout(resolve, 2000))
  isQuiet = true
  const quietMs = await quiet

  Atomics.store(received, 0, 0)
  let isOver = false
  const reading = readUntil(() => isOver)
  const beganMs = performance.now()
  for (const id of ids) await ask('POST', `${hooks}/${id}/deliveries/attempts`, { states: ['delivered'] })
  await until(deliveryCount * hookCount)
  const drainedMs = performance.now() - beganMs
  isOver = true
  const loadedMs = await reading
  const show = (ms) => `${ms.toFixed(1)} ms`
  process.stdout.write(
    [
      `${deliveryCount} deliveries to each of ${hookCount} webhooks${options.postgres ? ', PostgreSQL' : ''}`,
      `drained in ${show(drainedMs)}: ${Math.round((deliveryCount * hookCount * 1000) / drainedMs)} a second`,
      `one read meanwhile: median ${show(quantile(loadedMs, 0.5))}, 95 % ${show(quantile(loadedMs, 0.95))}`,
      `one read in quiet: median ${show(quantile(quietMs, 0.5))}, 95 % ${show(quantile(quietMs, 0.95))}`,
      `an issue with these webhooks: median ${show(quantile(madeMs, 0.5))}`,
      '',
    ].join('\n'),
  )
} finally {
  await receiver.terminate()
  await forge.stop()
  await database?.stop()
}
