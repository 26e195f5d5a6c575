#!/usr/bin/env node
/**
 * Measures the signed index of a Debian repository: the time from the end of an upload or deletion to the last byte of
 * `InRelease`, and the first index after a start.
 *
 *     npm run bench:packages [-- [--postgres] [--packages 10000] [--changes 20]]
 */
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    packages: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '20' },
  },
})
const packages = Number(options.packages)
const changes = Number(options.changes)
const uploadsAtOnce = 8

const program = await buildForge()
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres({ durable: true }) : undefined
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-packages',
  ...(database ? { database } : {}),
})
const authorization = `Basic ${Buffer.from(`${administrator.login}:${administrator.password}`).toString('base64')}`
const base = `${forge.url}/api/packages/${administrator.login}/debian`

async function ask(method, path, body) {
  const response = await fetch(`${base}/${path}`, { method, headers: { authorization }, ...(body ? { body } : {}) })
  const content = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${content.toString()}`)
  return content
}

/** A tar archive of one file. */
function tarOf(name, content) {
  const head = Buffer.alloc(512)
  head.write(name)
  head.write('0000644\0', 100)
  head.write('0000000\0'.repeat(2), 108)
  head.write(`${content.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0        0`, 124)
  head.write('ustar\u000000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, content, Buffer.alloc(((512 - (content.length % 512)) % 512) + 1024)])
}

/** A package with a description of usual length. */
function debOf(number) {
  const depends = Array.from(
    { length: 8 },
    (_, index) => `lib${(number * 7 + index * 13) % 997} (>= ${index}.${number % 50})`,
  )
  const control = `Package: tool-${number}\nVersion: 1.0-${number % 9}\nArchitecture: amd64\nMaintainer: Somebody <somebody@example.com>\nInstalled-Size: ${number}\nDepends: ${depends.join(', ')}\nSection: utils\nPriority: optional\nHomepage: https://example.com/tool-${number}\nDescription: tool number ${number}\n It does what the others do, and ${number} things more.\n`
  const member = (name, content) =>
    Buffer.concat([
      Buffer.from(
        `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
      ),
      content,
      Buffer.alloc(content.length % 2, 10),
    ])
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    member('debian-binary', Buffer.from('2.0\n')),
    member('control.tar.gz', gzipSync(tarOf('./control', Buffer.from(control)))),
  ])
}

const upload = (number) => ask('PUT', 'pool/stable/main/upload', debOf(number))
const index = () => ask('GET', 'dists/stable/InRelease')

async function timed(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Changes the repository and prints the time until its index is current. */
async function follow(name, change) {
  const times = []
  for (let round = 0; round < changes; round += 1) {
    await change(round)
    times.push(await timed(index))
  }
  times.sort((one, other) => one - other)
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(0).padStart(8)
  console.log(`${name.padEnd(44)}${at(0.5)} ms   longest ${at(1)} ms`)
}

try {
  let next = 0
  const taken = await timed(() =>
    Promise.all(
      Array.from({ length: uploadsAtOnce }, async () => {
        while (next < packages) await upload(next++)
      }),
    ),
  )
  console.log(`${packages} packages uploaded`.padEnd(44) + `${((packages * 1000) / taken).toFixed(0).padStart(8)} / s`)
  console.log('the first index'.padEnd(44) + `${(await timed(index)).toFixed(0).padStart(8)} ms`)
  await follow('the index after an upload', (round) => upload(packages + round))
  await follow('the index after a deletion', (round) =>
    ask('DELETE', `pool/stable/main/tool-${round * 97}/1.0-${(round * 97) % 9}/amd64`),
  )
  console.log('unchanged'.padEnd(44) + `${(await timed(index)).toFixed(0).padStart(8)} ms`)
} finally {
  await forge.stop()
  await database?.stop()
}
