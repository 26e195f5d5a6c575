#!/usr/bin/env node
/**
 * Replays the recorded exchanges of `test/conformance/` against a fresh server of each profile.
 *
 *     npm run conformance -- [FILTER…] [--profile NAME] [--dir FOLDER] [--server URL [--ssh HOST:PORT]] [--json FILE]
 *                            [--jobs N] [--quiet] [--postgres] [--baseline] [--record]
 *
 * A FILTER is a prefix of scenario names, for example `issues` or `issues/labels`. Without `--profile`, every profile with
 * matching scenarios runs. `--dir` names another folder of scenarios and expectations.
 * `--baseline` compares the number of passing steps per area with `test/conformance/baseline.json` and fails when one is
 * lower; a step that differs as `test/conformance/differences.json` declares counts as passing. An area that is lower is
 * replayed once before the run fails. `--record` replays twice and raises the baseline to what passed in both runs.
 * Both options take whole areas.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { areaOf, countByArea, inBoth, inEither } from './lib/conformance-counts.mjs'
import { administrator, buildForge, startForge } from './lib/forge.mjs'
import { ensureReady, fail, fromRoot, readJson, root, toolEnvironment } from './lib/project.mjs'

await ensureReady()
const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string' },
    dir: { type: 'string' },
    server: { type: 'string' },
    ssh: { type: 'string' },
    json: { type: 'string' },
    jobs: { type: 'string', default: '8' },
    diffs: { type: 'string', default: '6' },
    quiet: { type: 'boolean', short: 'q', default: false },
    postgres: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
if (options.baseline || options.record) {
  const partial = ['profile', 'dir', 'server'].filter((name) => options[name] !== undefined)
  if (partial.length > 0) fail(`--baseline and --record do not go with --${partial.join(' and --')}`)
  if (options.baseline && options.record) fail('either --baseline or --record')
  const parts = filters.filter((filter) => /\/./.test(filter))
  if (parts.length > 0) fail(`--baseline and --record take whole areas: ${parts.join(' ')} is a part of one`)
}
const jobs = Number(options.jobs)
if (!Number.isInteger(jobs) || jobs < 1) fail('--jobs is a whole number from 1')
if (options.server !== undefined && options.profile === undefined) options.profile = 'default'

/** How many failing steps of an area below its baseline are printed. */
const shownSteps = 20

const kit = fromRoot('test/conformance/run.mjs')
const recordFile = fromRoot('test/conformance/baseline.json')
const ownProfiles = options.dir === undefined ? [] : [resolve(options.dir, 'profiles')]
const profileFolder = [...ownProfiles, fromRoot('test/conformance/profiles')].find((folder) => existsSync(folder))
const profiles =
  options.profile === undefined
    ? readdirSync(profileFolder)
        .filter((name) => name.endsWith('.ini'))
        .map((name) => basename(name, '.ini'))
        .sort()
    : [options.profile]
const kitArguments = (profile, wanted) => [
  '--profile',
  profile,
  ...(options.dir === undefined ? [] : ['--dir', resolve(options.dir)]),
  ...wanted,
]

/**
 * Scenarios with webhooks of the whole instance. They receive events of all other scenarios, and their default webhooks
 * appear in the repositories of others, so each runs alone.
 */
const playedAlone = new Set(['admin/hooks', 'webhooks/admin-hooks', 'webhooks/default-hooks'])

/** The names of a profile's scenarios that match the filters. */
function scenariosOf(profile, wanted) {
  // The kit exits right after printing; output to a pipe could be cut off, output to a file is complete.
  const folder = mkdtempSync(join(tmpdir(), 'ingot-conformance-'))
  const listFile = join(folder, 'scenarios')
  const output = openSync(listFile, 'w')
  try {
    const list = spawnSync(process.execPath, [kit, '--list', ...kitArguments(profile, wanted)], {
      stdio: ['ignore', output, 'inherit'],
    })
    if (list.status !== 0) fail('the scenarios could not be listed')
    return readFileSync(listFile, 'utf8')
      .split('\n')
      .filter((name) => name !== '')
  } finally {
    closeSync(output)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs scenarios on one server: first those that can run together, then the others one by one. */
async function playOn(server, profile, names, atOnce) {
  const together = names.filter((name) => !playedAlone.has(name))
  const alone = names.filter((name) => playedAlone.has(name))
  return [
    ...(together.length > 0 ? await play(profile, server, together, atOnce) : []),
    ...(alone.length > 0 ? await play(profile, server, alone, 1) : []),
  ]
}

/** Runs the kit against a server. Returns its results, a list of scenarios with their steps. */
async function play(profile, { url, ssh }, wanted, atOnce) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-conformance-'))
  const resultFile = join(folder, 'result.json')
  try {
    const child = spawn(
      process.execPath,
      [
        kit,
        ...kitArguments(profile, wanted),
        '--server',
        url,
        '--admin',
        `${administrator.login}:${administrator.password}`,
        ...(ssh === undefined ? [] : ['--ssh', ssh]),
        '--differences',
        fromRoot('test/conformance/differences.json'),
        '--json',
        resultFile,
        '--jobs',
        String(atOnce),
        '--diffs',
        options.diffs,
        ...(options.quiet ? ['--quiet'] : []),
      ],
      { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: toolEnvironment() },
    )
    const status = await new Promise((done, failed) => {
      child.once('error', failed)
      child.once('exit', (code) => done(code))
    })
    if (!existsSync(resultFile)) fail(`the kit ended without results (status ${status})`)
    const results = JSON.parse(readFileSync(resultFile, 'utf8'))
    // The kit selects scenarios by prefix, so it may run more than these.
    const played = new Set(results.map(({ name }) => name))
    const unplayed = wanted.filter((name) => !played.has(name))
    if (unplayed.length > 0) fail(`the kit did not play ${unplayed.join(' ')}`)
    return results
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const program = options.server === undefined ? await buildForge() : undefined

/** Runs scenarios, each profile on its own server. Returns all results. */
async function playAll(wanted, atOnce) {
  const played = profiles
    .map((profile) => ({ profile, names: scenariosOf(profile, wanted) }))
    .filter(({ names }) => names.length > 0)
  if (played.length === 0) fail(`no scenario is named so: ${wanted.join(' ')}`)
  const results = []
  for (const { profile, names } of played) {
    if (program === undefined) {
      results.push(...(await playOn({ url: options.server, ssh: options.ssh }, profile, names, atOnce)))
      continue
    }
    const config = join(profileFolder, `${profile}.ini`)
    if (!existsSync(config)) fail(`there are no settings of a profile ${profile}`)
    let database
    if (options.postgres) database = await (await import('./postgres.mjs')).startPostgres()
    const forge = await startForge({ program, config, name: `conformance-${profile}`, database })
    console.log(`profile ${profile}: ${forge.url}, ready in ${Math.round(forge.startMs)} ms, log ${forge.logFile}`)
    try {
      results.push(...(await playOn(forge, profile, names, atOnce)))
    } finally {
      await forge.stop()
      await database?.stop()
    }
  }
  const isInParts = played.length > 1 || results.some(({ name }) => playedAlone.has(name))
  if (isInParts) console.log(`in all: ${totals(results)}`)
  return results
}

const sumOf = (results, key) => results.reduce((sum, result) => sum + result[key], 0)
const totals = (results) => `${sumOf(results, 'passed')} passed, ${sumOf(results, 'failed')} failed`

const results = await playAll(filters, jobs)
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1))

const recorded = existsSync(recordFile) ? readJson('test/conformance/baseline.json') : {}
const isPlayed = (area) => filters.length === 0 || filters.some((filter) => area === filter.replace(/\/$/, ''))
if (options.baseline) await checkBaseline()
else if (options.record) await record()
else process.exit(sumOf(results, 'failed') === 0 ? 0 : 1)

/** The number of steps per area that pass or differ as declared. */
function countHeld(played) {
  const counts = countByArea(played)
  for (const { scenario } of readJson('test/conformance/differences.json')) {
    const area = areaOf({ name: scenario })
    if (area in counts) counts[area] += 1
  }
  return counts
}

/** The areas with fewer steps than the baseline, with both numbers. */
function fallenAreas(played) {
  const counts = countHeld(played)
  return Object.entries(recorded)
    .filter(([area]) => isPlayed(area))
    .map(([area, before]) => ({ area, before, now: counts[area] ?? 0 }))
    .filter(({ now, before }) => now < before)
}

/** Fails when an area is below the baseline twice: a busy machine delays single steps. */
async function checkBaseline() {
  let played = results
  let fallen = fallenAreas(played)
  if (fallen.length > 0) {
    const areas = fallen.map(({ area }) => area)
    console.log(`\nonce more, with fewer at a time: ${areas.join(' ')}`)
    const again = await playAll(
      areas.map((area) => `${area}/`),
      Math.ceil(jobs / 4),
    )
    played = inEither(results, again)
    fallen = fallenAreas(played)
  }
  for (const { area, before, now } of fallen) {
    console.error(`${area}: ${now} steps pass or differ as declared, ${before} did before`)
    const failing = played
      .filter((result) => areaOf(result) === area)
      .flatMap((result) => result.steps.filter((step) => !step.ok).map((step) => `${result.name}: ${step.label}`))
    for (const line of failing.slice(0, shownSteps)) console.error(`  ✗ ${line}`)
    if (failing.length > shownSteps) console.error(`  … ${failing.length - shownSteps} more fail`)
  }
  if (fallen.length > 0) fail('conformance is below its baseline')
  console.log('conformance: no area is below its baseline')
}

/** Raises the baseline to the steps that passed in two runs, so that an unsteady step does not count. */
async function record() {
  const counts = countHeld(inBoth(results, await playAll(filters, jobs)))
  const areas = [...new Set([...Object.keys(recorded), ...Object.keys(counts)])].sort()
  const raised = Object.fromEntries(areas.map((area) => [area, Math.max(recorded[area] ?? 0, counts[area] ?? 0)]))
  for (const area of areas) {
    const [before, now] = [recorded[area] ?? 0, counts[area] ?? 0]
    if (now > before) console.log(`${area}: ${before} → ${now}`)
    else if (now < before && isPlayed(area)) console.log(`${area}: ${now} passed twice, ${before} stays`)
  }
  writeFileSync(recordFile, `${JSON.stringify(raised, null, 2)}\n`)
}
