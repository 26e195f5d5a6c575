#!/usr/bin/env node
/**
 * Measures registries: upload and download of a large file with the server's memory, the document of an npm package with
 * many versions, and the list of an owner with many packages.
 *
 *     npm run bench:registries [-- [--megabytes 500] [--versions 1000] [--listed 100000]]
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '500' },
    versions: { type: 'string', default: '1000' },
    listed: { type: 'string', default: '100000' },
  },
})
const [megabytes, versions, listed] = [options.megabytes, options.versions, options.listed].map(Number)
const chunkBytes = 1 << 20
const rounds = 21

const program = await buildForge()
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-registries',
  readableTraces: false,
})
const { default: Sqlite } = await import('better-sqlite3')

/** Memory of the server's process, in MB. */
const memory = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${forge.pid}/status`, 'utf8'))?.[1]) / 1024

const chunk = createHash('shake256', { outputLength: chunkBytes }).update('ingot').digest()
const content = () =>
  Readable.from(
    (function* chunks() {
      for (let index = 0; index < megabytes; index += 1) yield chunk
    })(),
  )

/** The duration of a piece of work in milliseconds, and the server's peak memory. */
async function watched(work) {
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, memory())), 20)
  const beganMs = performance.now()
  try {
    await work()
    return { ms: performance.now() - beganMs, most }
  } finally {
    clearInterval(timer)
  }
}

/** The median of several durations, in milliseconds. */
async function median(work) {
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const beganMs = performance.now()
    await work()
    times.push(performance.now() - beganMs)
  }
  return quantile(times, 0.5)
}

async function expectOk(response) {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`)
  return response
}

try {
  const api = await apiOf(forge.url)
  const headers = { authorization: `token ${api.token}` }
  const owner = administrator.login
  const base = `${forge.url}/api/packages/${owner}`

  const [source, copy] = [join(forge.data, 'source'), join(forge.data, 'copy')]
  await pipeline(content(), createWriteStream(source))
  const copied = await watched(() => pipeline(createReadStream(source), createWriteStream(copy, { flush: true })))
  for (const path of [source, copy]) rmSync(path)

  const file = `${base}/generic/large/1/file`
  await new Promise((resolve) => setTimeout(resolve, 15_000))
  const idle = memory()
  const sent = await watched(async () => {
    await expectOk(await fetch(file, { method: 'PUT', headers, body: Readable.toWeb(content()), duplex: 'half' }))
  })
  const fetched = await watched(async () => {
    const { body } = await expectOk(await fetch(file, { headers }))
    for await (const _ of body ?? []);
  })
  const rate = (ms) => `${(megabytes / (ms / 1000)).toFixed(0)} MB/s`
  const told = ({ ms, most }) =>
    `${rate(ms)}, ${((100 * copied.ms) / ms).toFixed(0)} % of a copy, ${(most - idle).toFixed(0)} MB above idle`
  console.log(`a copy of ${megabytes} MB by streams of Node: ${rate(copied.ms)}; idle: ${idle.toFixed(0)} MB`)
  console.log(`in:  ${told(sent)}`)
  console.log(`out: ${told(fetched)}`)

  const archive = Buffer.from('archive').toString('base64')
  for (let number = 0; number < versions; number += 1) {
    const version = `1.${number}.0`
    const about = { name: 'tool', version, description: 'one of many', dependencies: { a: '^1', b: '^2' }, dist: {} }
    const document = {
      name: 'tool',
      'dist-tags': { latest: version },
      versions: { [version]: about },
      _attachments: { [`tool-${version}.tgz`]: { data: archive, length: 7 } },
    }
    await expectOk(
      await fetch(`${base}/npm/tool`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(document),
      }),
    )
  }
  const read = async () => (await expectOk(await fetch(`${base}/npm/tool`, { headers }))).arrayBuffer()
  const firstMs = (await watched(read)).ms
  const warmMs = await median(read)
  console.log(
    `npm document of ${versions} versions: ${warmMs.toFixed(1)} ms warm, ${firstMs.toFixed(0)} ms the first time`,
  )

  const page = (path) => median(() => api('GET', path))
  const list = `/packages/${owner}?limit=50`
  const fewMs = await page(list)
  const database = new Sqlite(join(forge.data, 'ingot.db'))
  database.pragma('busy_timeout = 10000')
  const { id } = database.prepare('select id from "user" where lower_name = ?').get(owner)
  database.transaction(() => {
    const parent = database.prepare(
      `insert into package (owner_id, repo_id, type, name, lower_name, created_unix) values (?, null, 'generic', ?, ?, 1)`,
    )
    const version = database.prepare(
      `insert into package_version (package_id, owner_id, type, version, lower_version, creator_id, download_count, created_unix, is_internal) values (?, ?, 'generic', ?, ?, ?, 0, ?, 0)`,
    )
    for (let number = 0; number < listed / 100; number += 1) {
      const { lastInsertRowid } = parent.run(id, `many-${number}`, `many-${number}`)
      for (let each = 0; each < 100; each += 1) version.run(lastInsertRowid, id, `${each}`, `${each}`, id, number)
    }
    database.prepare('update package_revision set revision = revision + 1 where owner_id = ?').run(id)
  })()
  database.close()
  const manyMs = await page(list)
  const lastMs = await page(`${list}&page=${Math.floor(listed / 50)}`)
  console.log(
    `a page of 50 of an owner's versions: ${fewMs.toFixed(1)} ms of ${versions}, ${manyMs.toFixed(1)} ms of ${listed}, ${lastMs.toFixed(1)} ms the last of them`,
  )
} finally {
  await forge.stop()
}
