#!/usr/bin/env node
/**
 * Measures what others notice during attacks, in four parts:
 *
 * - `connections`: times of reads, a clone and a push of honest clients during attacks of one address;
 * - `crowd`: times of an honest client while eight attackers at once request eight hostile inputs, beside its quiet times. It
 *   fails when the median of a kind takes 100 ms more;
 * - `texts`: the longest read meanwhile, and the memory, for each hostile text. It fails when a text ends the server;
 * - `dimensions`: fills each dimension of stored text to its limit and requests every page and every read. It fails when
 *   a request holds the main thread for more than 200 ms of processor time, takes 64 MB, or answers more than 4 MB. Times are
 *   those of a reference speed: fixed work in the server's main thread measures how much slower the machine is.
 *
 *     npm run bench:attacks [-- --postgres] [--part dimensions] [--only NAME,NAME] [--reads ID,ID] [--quick] [--table FILE]
 *
 * `--only` measures the dimensions whose name contains NAME, `--reads` the operations whose id contains ID; `--quick` fills a twentieth of each limit, and skips the
 * other parts; `--table` writes the table of `docs/performance.md`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { apiOf } from '../lib/api-client.mjs'
import { bundle, ownBuildFolder } from '../lib/bundle.mjs'
import { buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fail, fromRoot } from '../lib/project.mjs'
import { measureConnections } from './attacks/connections.mjs'
import { measureCrowd } from './attacks/crowd.mjs'
import { measureDimensions } from './attacks/dimensions.mjs'
import { measureHostileTexts } from './attacks/hostile.mjs'
import { openMeter } from './attacks/meter.mjs'
import { Report, limits, lineOf, tableOf } from './attacks/report.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    part: { type: 'string' },
    only: { type: 'string' },
    reads: { type: 'string' },
    quick: { type: 'boolean', default: false },
    table: { type: 'string' },
  },
})
const parts =
  options.part?.split(',') ??
  (options.only || options.quick ? ['dimensions'] : ['connections', 'crowd', 'texts', 'dimensions'])
const shownRows = 60
const program = await buildForge()
const built = ownBuildFolder('attacks')
await bundle({ app: 'src/app.ts' }, built)
const { allOperations } = await import(join(built, 'app.js'))
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const folder = mkdtempSync(join(tmpdir(), 'ingot-attacks-'))
const socket = join(folder, 'probe')
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-attacks',
  preload: fromRoot('scripts/bench/attacks/probe.mjs'),
  environment: { INGOT_BENCH_PROBE: socket },
  ...(database ? { database } : {}),
})
const report = new Report()
let ended
let speed
let slow = []
try {
  const ask = await apiOf(forge.url)
  if (parts.includes('connections')) await measureConnections({ url: forge.url, ask, folder })
  if (parts.includes('crowd')) slow = await measureCrowd({ url: forge.url, ask, folder })
  if (parts.includes('texts')) await measureHostileTexts({ forge, ask })
  if (parts.includes('dimensions')) {
    const meter = await openMeter(forge.pid, socket)
    console.log(meter.speed())
    const { only, reads: ids, quick } = options
    ended = await measureDimensions({
      url: forge.url,
      ask,
      folder,
      meter,
      report,
      operations: allOperations(),
      only,
      ids,
      quick,
    })
    speed = meter.speed()
    meter.close()
  }
} finally {
  await forge.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
}

if (ended !== undefined) {
  console.log(
    `\n${report.requests} requests; processor time of the main thread (longest hold), memory, reply; ${speed}`,
  )
  for (const row of report.rows().slice(0, shownRows)) console.log(lineOf(row))
  if (options.only === undefined && options.reads === undefined) {
    console.log(`\nnever answered with success: ${ended.unreached.join(', ')}`)
  }
  if (options.table) writeFileSync(options.table, `${tableOf(report, speed)}\n`)
  const above = report.above()
  const { cpuMs, memoryMb, replyMb } = limits
  if (ended.failed.length > 0) fail(`not measured:\n  ${ended.failed.join('\n  ')}`)
  if (above.length > 0) fail(`${above.length} requests are above ${cpuMs} ms, ${memoryMb} MB or ${replyMb} MB`)
}
if (slow.length > 0) fail(`eight attackers slow these requests down: ${slow.join(', ')}`)
