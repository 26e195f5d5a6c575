#!/usr/bin/env node
/**
 * Measures how fast deliveries of webhooks drain to a receiver that is well, and what reads take meanwhile.
 *
 *     npm run bench:webhooks [-- [--postgres] [--hooks 1] [--deliveries 1000]]
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { administrator, buildForge, startForge } from './lib/forge.mjs'
import { ensureReady, fromRoot } from './lib/project.mjs'

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
const database = options.postgres ? await (await import('./postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program,
  config: fromRoot('conformance/profiles/default.ini'),
  name: 'bench-webhooks',
  ...(database ? { database } : {}),
})

/** Ends the measurement; the server and the database are stopped all the same. */
function fail(text) {
  throw new Error(text)
}

let received = 0
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    received += 1
    response.end('ok')
  })
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')

const authorization = `Basic ${Buffer.from(`${administrator.login}:${administrator.password}`).toString('base64')}`
let token = authorization
async function ask(method, path, body) {
  const response = await fetch(`${forge.url}/api/v1${path}`, {
    method,
    headers: { authorization: token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) fail(`${method} ${path} answered ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

const sorted = (numbers) => numbers.toSorted((a, b) => a - b)
const quantile = (numbers, part) => sorted(numbers)[Math.floor(numbers.length * part)] ?? 0

/** What one read takes, in milliseconds, again and again until it is told to stop. */
async function readUntil(isOver) {
  const times = []
  while (!isOver()) {
    const beganMs = performance.now()
    await ask('GET', `/repos/${administrator.login}/told/issues/1`)
    times.push(performance.now() - beganMs)
    await new Promise((resolve) => setTimeout(resolve, readEveryMs))
  }
  return times
}

async function until(count) {
  for (const beganMs = performance.now(); received < count;) {
    if (performance.now() - beganMs > longestDrainMs) fail(`only ${received} of ${count} deliveries arrived`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A server answers before its first administrator is made. */
async function administratorIsThere() {
  for (const beganMs = performance.now(); performance.now() - beganMs < longestDrainMs;) {
    const { status } = await fetch(`${forge.url}/api/v1/user`, { headers: { authorization } })
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  fail('the administrator can not sign in')
}

try {
  await administratorIsThere()
  const made = await ask('POST', `/users/${administrator.login}/tokens`, { name: 'bench', scopes: ['all'] })
  token = `token ${made.sha1}`
  await ask('POST', '/user/repos', { name: 'told' })
  const hooks = `/repos/${administrator.login}/told/hooks`
  const ids = []
  const config = { url: `http://127.0.0.1:${receiver.address().port}/`, content_type: 'json', secret: 'bench' }
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

  received = 0
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
  receiver.closeAllConnections()
  receiver.close()
  await forge.stop()
  await database?.stop()
}
