#!/usr/bin/env node
/**
 * Runs the tests: bundles them, with the program and what it starts as processes of its own, and runs them in a few
 * processes at a time.
 *
 *     npm test [-- [--postgres] [--s3] [--statements] [--costs] [--jobs N] [FILTER…]]
 *
 * A FILTER is a part of a file's path, or else a part of a test's name, for example an operation id.
 * `--statements` runs those that depend most on the database (docs/decisions/0068-statements-on-postgresql.md).
 * `--postgres` runs them on a PostgreSQL server that is started for this run, `--s3` with an S3 service for files.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { parseArgs } from 'node:util'
import { BundleError, bundle, existingEntries, ownBuildFolder, programEntries, sideEntries } from './lib/bundle.mjs'
import { onInterrupt } from './lib/cleanup.mjs'
import { keptSources } from './lib/kept-sources.mjs'
import { ensureReady, fail, fromRoot, root, toolEnvironment } from './lib/project.mjs'
import { sourceTexts } from './lib/source-texts.mjs'
import { skipOptions } from './lib/stored-pack-tests.mjs'

await ensureReady()
const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    postgres: { type: 'boolean', default: false },
    s3: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    costs: { type: 'boolean', default: false },
  },
})
/**
 * More than cores, because a third of a run is waiting; more than this number take too much memory, 650 MB each. The server of
 * the database takes the share of two.
 */
const usualJobs = Math.min(6, availableParallelism() + 4) - (options.postgres ? 2 : 0)
const jobs = Number(options.jobs ?? usualJobs)
if (!Number.isInteger(jobs) || jobs < 1) fail('--jobs is a whole number from 1')

/**
 * A test that takes longer than this has hung. The longest takes 20 seconds on a quiet machine; a slow one that runs others
 * beside it takes ten times as long.
 */
const testTimeoutMs = 300_000

/** A whole run has this many processes one after the other per job: what ends late is small, and heaps stay small. */
const turns = 3

/** In CI, a whole run repeats at most this number of failed tests, each alone (docs/decisions/0049-repeated-tests.md). */
const runAgainLimit = process.env.CI === 'true' ? 3 : 0

/** A test that kills processes or cuts the power is never repeated: one failure is a defect. */
const foundOnce = /(crash|power|full-disk|leftovers)\.test\.ts/

/** Folders whose statements differ by database or depend on its locks and orders. */
const ofStatements = /^src\/(db|access|activity|events|feed|jobs)\/|\/(conditions|journal|lists|search)\//

/** Tests of the whole API and of all pages, which send every statement. */
const sendingAll = /^test\/(fuzz|pages-crawl|query-values|statements|text-order|traces|usage-walk|writes)\.test\.ts$/

const texts = new Map([...sourceTexts('src'), ...sourceTexts('test')])

const files = [...texts.keys()]
  .filter((path) => /\.test\.tsx?$/.test(path))
  .filter((path) => !options.statements || ofStatements.test(path) || sendingAll.test(path))
  .sort()

/** A pattern of regular expressions that matches each of the names. */
function patternOf(names) {
  return names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')
}

/** Groups of files that run with the same pattern of test names; without a pattern, all of their tests run. */
function selectGroups() {
  if (filters.length === 0) return [{ files, pattern: undefined }]
  const byPath = new Set()
  const byName = new Set()
  const names = []
  for (const filter of filters) {
    const matching = files.filter((path) => path.includes(filter.replace(/^\.\//, '')))
    for (const path of matching) byPath.add(path)
    if (matching.length > 0) continue
    const naming = files.filter((path) => texts.get(path).includes(filter))
    if (naming.length === 0) fail(`no test file has "${filter}" in its path or text`)
    names.push(filter)
    for (const path of naming) byName.add(path)
  }
  const pattern = patternOf(names)
  return [
    { files: [...byPath], pattern: undefined },
    { files: [...byName].filter((path) => !byPath.has(path)), pattern },
  ].filter((group) => group.files.length > 0)
}

/** How long each file took in earlier runs, in milliseconds; a record in `build/` that may be missing. */
const durationsFile = fromRoot('build', 'test-durations.json')
const durations = existsSync(durationsFile) ? JSON.parse(readFileSync(durationsFile, 'utf8')) : {}

/** A guess for files without a record: tests of much source take longer. */
const msPerByte = 0.3
const expectedMs = (path) => durations[path] ?? msPerByte * statSync(fromRoot(path)).size

/** Spreads files over processes that take about as long, the longest first, so that all jobs end together. */
function spread(paths, count) {
  const shards = Array.from({ length: Math.min(count, paths.length) }, () => ({ paths: [], ms: 0 }))
  const timed = paths.map((path) => ({ path, ms: expectedMs(path) }))
  for (const { path, ms } of timed.sort((a, b) => b.ms - a.ms)) {
    const lightest = shards.reduce((least, shard) => (shard.ms < least.ms ? shard : least))
    lightest.paths.push(path)
    lightest.ms += ms
  }
  return shards.sort((a, b) => b.ms - a.ms).map((shard) => shard.paths.sort())
}

/**
 * The entries of other processes and threads that tests can start: those that the program finds by `builtFile()`, and the
 * program itself where a file names it. `startsForge` says whether the tests use the application.
 */
function startedEntries(paths) {
  const found = new Set(paths)
  const entries = {}
  let startsForge = false
  for (const file of found) {
    // A text of a test may look like an import.
    const text = texts.get(file)
    if (text === undefined) continue
    if (file === 'src/lib/assets.ts') Object.assign(entries, existingEntries(sideEntries))
    if (file === 'src/app.ts') startsForge = true
    if (text.includes("builtFile('ingot.js')")) entries.ingot = programEntries.ingot
    for (const [, path] of text.matchAll(/(?:from|import|import\() ?'(\.[^']+\.tsx?)'/g)) {
      found.add(posix.join(posix.dirname(file), path))
    }
  }
  return { started: entries, startsForge }
}

/** Whether filters select the tests, so that each one is reported. */
const everyTest = filters.length > 0

const groups = selectGroups()
if (groups.every((group) => group.files.length === 0)) fail('there are no tests')
const processes = filters.length === 0 ? jobs * turns : jobs
const shards = groups.flatMap((group) =>
  spread(group.files, processes).map((paths) => ({ paths, pattern: group.pattern })),
)
const folder = ownBuildFolder('test')

const entries = {}
for (const [index, shard] of shards.entries()) {
  shard.name = `tests-${index + 1}`
  const entry = join(folder, `${shard.name}.entry.ts`)
  writeFileSync(entry, shard.paths.map((path) => `import ${JSON.stringify(fromRoot(path))}\n`).join(''))
  entries[shard.name] = entry.slice(root.length + 1)
}
let compileCache
try {
  const { started, startsForge } = startedEntries(shards.flatMap(({ paths }) => paths))
  if (startsForge) {
    // A forge needs nearly all sources.
    const kept = await keptSources(started)
    compileCache = kept.isNew && everyTest ? undefined : kept.compileCache
    await bundle(entries, folder, { keepsPackages: true, sources: kept.plugin })
  } else {
    await bundle({ ...entries, ...started }, folder, { keepsPackages: true })
  }
} catch (error) {
  if (error instanceof BundleError) fail(error.message)
  throw error
}

const temporaryFolder = mkdtempSync(join(tmpdir(), 'ingot-test-'))
process.on('exit', () => rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 3 }))
const environment = toolEnvironment({
  TMPDIR: temporaryFolder,
  // Personal settings must not reach the git commands in the tests.
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: join(temporaryFolder, 'gitconfig'),
  GIT_TERMINAL_PROMPT: '0',
})
writeFileSync(
  environment.GIT_CONFIG_GLOBAL,
  [
    '[user]\n\tname = Test Person\n\temail = test@example.com\n',
    '[init]\n\tdefaultBranch = main\n',
    '[advice]\n\tdetachedHead = false\n',
    // Each commit and fetch would start two more processes that find nothing to do.
    '[maintenance]\n\tauto = false\n',
  ].join(''),
)
for (const name of Object.keys(environment)) if (/^(INGOT|FORGEJO|GITEA)__/.test(name)) delete environment[name]

/** Runs the tests of a shard. A process in which most tests are passed over would be forced to exit before all are found. */
function runShard(shard, { waits = false } = {}) {
  const resultFile = join(folder, `${shard.name}.result.json`)
  rmSync(resultFile, { force: true })
  const flags = [
    // Tests make many short-lived objects; with the small default, a tenth of the time goes to collecting them.
    '--max-semi-space-size=32',
    `--import=${fromRoot('scripts/lib/test-hooks.mjs')}`,
    ...(waits ? [] : ['--test-force-exit']),
    `--test-timeout=${testTimeoutMs}`,
    `--test-reporter=${fromRoot('scripts/lib/test-reporter.mjs')}`,
    '--test-reporter-destination=stdout',
    ...skipOptions(),
    ...(shard.pattern === undefined ? [] : [`--test-name-pattern=/${shard.pattern}/`]),
  ]
  const child = spawn(process.execPath, [...flags, join(folder, `${shard.name}.js`)], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(waits ? { timeout: 3 * testTimeoutMs, killSignal: 'SIGKILL' } : {}),
    env: {
      ...environment,
      INGOT_TEST_RESULT: resultFile,
      INGOT_TEST_EVERY: everyTest ? '1' : '0',
      INGOT_TEST_COSTS: options.costs ? '1' : '0',
      INGOT_TEST_COMPILED: compileCache ?? '',
    },
  })
  running.add(child)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      running.delete(child)
      if (existsSync(resultFile)) return resolve(JSON.parse(readFileSync(resultFile, 'utf8')))
      const name = `the process of ${shard.paths.length} test files ended early (${signal ?? `status ${code}`})`
      resolve({ passed: 0, failed: 1, skipped: 0, failures: [{ name, place: shard.paths.join(' '), reason: '' }] })
    })
  })
}

const running = new Set()
onInterrupt(async () => {
  for (const child of running) child.kill('SIGKILL')
})
let database
let storage

const startedMs = performance.now()
const results = []
const unsteady = []

/** Runs the few failed tests of a whole run in CI once more, one process after the other, and moves what passes to `unsteady`. */
async function runFailuresAgain() {
  const failures = results.flatMap((result) => result.failures)
  if (everyTest || failures.length === 0 || failures.length > runAgainLimit) return
  if (failures.some((failure) => foundOnce.test(failure.place))) return
  for (const result of results.filter((each) => each.failed > 0)) {
    const names = result.failures.map((failure) => failure.name)
    const second = await runShard({ ...result.shard, pattern: `^(${patternOf(names)})$` }, { waits: true })
    if (second.failed > 0 || second.passed < names.length) continue
    unsteady.push(...result.failures)
    Object.assign(result, { passed: result.passed + result.failed, failed: 0, failures: [] })
  }
}
try {
  if (options.postgres) {
    const { startPostgres } = await import('./postgres.mjs')
    database = await startPostgres()
    environment.INGOT_TEST_DATABASE = database.url
  }
  if (options.s3) {
    const { default: S3rver } = await import('s3rver')
    storage = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(temporaryFolder, 's3'),
      configureBuckets: [{ name: 'forge', configs: [] }],
    })
    environment.INGOT_TEST_STORAGE = `127.0.0.1:${(await storage.run()).port}`
  }
  // No more than `jobs` processes run at a time.
  const queue = [...shards]
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let shard = queue.shift(); shard !== undefined; shard = queue.shift()) {
        results.push({ shard, ...(await runShard(shard)) })
      }
    }),
  )
  await runFailuresAgain()
} finally {
  await database?.stop()
  await storage?.close()
}

if (filters.length === 0) {
  const measured = Object.assign({}, durations, ...results.map((result) => result.durations))
  writeFileSync(durationsFile, JSON.stringify(measured))
}

const sum = (key) => results.reduce((total, result) => total + result[key], 0)
const failures = results.flatMap((result) => result.failures)
if (!everyTest) {
  const told = (failure) => `${failure.name}\n  ${failure.place}\n${failure.reason.replaceAll(/^(?=.)/gm, '    ')}`
  for (const failure of failures) console.log(`\n✗ ${told(failure)}`)
  for (const failure of unsteady) console.log(`\nUNSTEADY, failed and then passed by itself: ${told(failure)}`)
}
if (options.costs) {
  const costs = results.flatMap((result) => Object.entries(result.processorTimes ?? {})).sort((a, b) => b[1] - a[1])
  const line = (ms, name) => `${(ms / 1000).toFixed(2).padStart(8)}  ${name}`
  console.log('\nprocessor seconds, the first file of a process with its start:')
  for (const [path, ms] of costs) console.log(line(ms, path))
  const totalMs = costs.reduce((total, [, ms]) => total + ms, 0)
  console.log(line(totalMs, `${costs.length} files`))
}
const skipped = sum('skipped')
console.log(
  `\n${shards.flatMap((shard) => shard.paths).length} files, ${((performance.now() - startedMs) / 1000).toFixed(1)} s` +
    `${options.postgres ? ', PostgreSQL' : ''}${options.s3 ? ', S3' : ''}${skipped === 0 ? '' : `, ${skipped} skipped`}` +
    (unsteady.length === 0 ? '' : `, ${unsteady.length} unsteady`),
)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
if (everyTest && sum('passed') + sum('failed') + skipped === 0) fail('no test has such a name')
process.exit(sum('failed') === 0 ? 0 : 1)
