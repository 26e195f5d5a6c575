#!/usr/bin/env node
/**
 * Measures a fresh server with `scripts/bench/kit/bench.mjs` and prints its figures as ratios to the yardsticks of the
 * same run; only ratios can be compared between runs.
 *
 *     npm run bench [-- [--json FILE] [--postgres] [--only NAME,NAME] [--seconds N] …]     other options go to the kit
 *     npm run bench -- --scale …     a large instance, see `scale.mjs`
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { memoryOf } from '../lib/process-tree.mjs'
import { ensureReady, fail, fromRoot, toolEnvironment } from '../lib/project.mjs'

await ensureReady()
if (process.argv.includes('--scale')) {
  await import('./scale.mjs')
  process.exit()
}
const { values: options } = parseArgs({
  options: {
    json: { type: 'string', default: fromRoot('build', 'bench.json') },
    postgres: { type: 'boolean', default: false },
    only: { type: 'string' },
    seconds: { type: 'string' },
    concurrency: { type: 'string' },
    issues: { type: 'string' },
    synth: { type: 'string' },
  },
})
const program = await buildForge()
let database
if (options.postgres) database = await (await import('../postgres.mjs')).startPostgres()
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench',
  database,
  // As in production.
  readableTraces: false,
})
console.log(`${forge.url}, ready in ${Math.round(forge.startMs)} ms, log ${forge.logFile}`)
const jsonFile = resolve(options.json)

/** Longer than the server waits before it counts as idle. */
const restMs = 25_000

/** Prints the memory of each process of the server. */
function tellMemory(when) {
  const all = memoryOf(forge.pid)
  const total = all.reduce((sum, { rssMb }) => sum + rssMb, 0)
  const parts = all.map(({ name, rssMb, ownMb }) => `${name} ${rssMb.toFixed(0)} (${ownMb.toFixed(0)} of its own)`)
  console.log(`memory ${when}: ${total.toFixed(0)} MB: ${parts.join(', ')}`)
}

mkdirSync(fromRoot('build'), { recursive: true })
let status
try {
  const passedOn = ['only', 'seconds', 'concurrency', 'issues', 'synth'].flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, options[name]],
  )
  const child = spawn(
    process.execPath,
    [
      fromRoot('scripts/bench/kit/bench.mjs'),
      '--server',
      forge.url,
      '--admin',
      `${administrator.login}:${administrator.password}`,
      '--pid',
      String(forge.pid),
      '--json',
      jsonFile,
      ...passedOn,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], env: toolEnvironment() },
  )
  status = await new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', (code) => done(code))
  })
  tellMemory('right after it')
  await new Promise((resolve) => setTimeout(resolve, restMs))
  tellMemory(`${restMs / 1000} s later`)
} finally {
  await forge.stop()
  await database?.stop()
}
if (status !== 0) fail(`the benchmark ended with status ${status}`)

const rows = JSON.parse(readFileSync(jsonFile, 'utf8'))
const cpuYardstick = rows['yardstick: bare HTTP, 2 KB JSON']?.['cpu µs/req']
const timeYardsticks = {
  clone: rows['yardstick: local clone --no-local']?.['median ms'],
  push: rows['yardstick: local push, 1 commit']?.['median ms'],
}

/** Aims of reads, at rest and after a commit: [SQLite, PostgreSQL]. PostgreSQL's own time is not included. */
const readBounds = {
  'read: version': [4, 4],
  'read: authenticated user': [4, 4],
  'read: repository': [3, 4],
  'read: one issue': [4, 5],
  'read: issues, page of 50': [15, 12],
  'read: file contents': [5, 5],
  'read: commits, page of 30': [12, 15],
  'read: commits with stat': [12, 15],
  'read: tree, recursive': [100, 100],
  'read: compare two tags': [200, 200],
  'read: directory of 2000': [30, 30],
}
/** Aims of other rows: [kind of ratio, largest ratio]. The rest has no aim. */
const bounds = {
  ...Object.fromEntries(
    Object.entries(readBounds).flatMap(([name, each]) => {
      const bound = ['cpu', each[options.postgres ? 1 : 0]]
      return [
        [name, bound],
        [`${name}, after a commit`, bound],
      ]
    }),
  ),
  'git: clone, 20k commits': ['clone', 1.15],
  'git: push, 1 commit': ['push', 2],
}

const ratios = {}
for (const [name, row] of Object.entries(rows)) {
  if (name.startsWith('yardstick')) continue
  const [kind, largest] = bounds[name] ?? [row['cpu µs/req'] === undefined ? undefined : 'cpu', undefined]
  const ratio = kind === 'cpu' ? row['cpu µs/req'] / cpuYardstick : row['median ms'] / timeYardsticks[kind]
  if (Number.isFinite(ratio)) ratios[name] = { ratio: Math.round(ratio * 100) / 100, of: kind, largest }
}

console.log(`\nready in ${Math.round(forge.startMs)} ms (aim: 700)`)
if (rows['idle memory']) console.log(`idle memory ${Math.round(rows['idle memory']['rss MB'])} MB (aim: 140)`)
console.log(
  `\n${options.postgres ? 'PostgreSQL' : 'SQLite'}: ratios to the yardsticks (cpu: server CPU per request to the bare HTTP server; clone, push: time to the local one)`,
)
for (const [name, { ratio, of, largest }] of Object.entries(ratios)) {
  const bound = largest === undefined ? '' : `  aim ${largest}${ratio > largest ? '  MISSED' : ''}`
  console.log(`  ${name.padEnd(34)} ${of.padEnd(6)} ${ratio.toFixed(2).padStart(8)}${bound}`)
}
writeFileSync(jsonFile, `${JSON.stringify({ startMs: Math.round(forge.startMs), ratios, rows }, null, 1)}\n`)
console.log(`\nwritten to ${jsonFile}`)
