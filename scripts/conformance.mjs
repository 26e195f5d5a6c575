#!/usr/bin/env node
/**
 * Replays the recorded exchanges of `conformance/` against a freshly started server of each profile.
 *
 *     npm run conformance -- [FILTER…] [--profile NAME] [--dir FOLDER] [--server URL [--ssh HOST:PORT]] [--json FILE]
 *                            [--jobs N] [--quiet] [--postgres] [--ratchet] [--record]
 *
 * A FILTER is the beginning of a scenario's name, for example `issues` or `issues/labels`; without `--profile` every
 * profile that has such scenarios is played. `--dir` names another folder of scenarios and expectations.
 * `--ratchet` fails when an area passes fewer steps than `conformance.json` holds; `--record` raises what it holds.
 * Steps that are meant to differ are listed, with reasons, in `conformance-differences.json`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
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
    jobs: { type: 'string', default: '2' },
    diffs: { type: 'string', default: '6' },
    quiet: { type: 'boolean', short: 'q', default: false },
    postgres: { type: 'boolean', default: false },
    ratchet: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})
const isWhole = filters.length === 0 && options.profile === undefined && options.dir === undefined
if ((options.ratchet || options.record) && !isWhole) fail('--ratchet and --record need the whole run')
if (options.server !== undefined && options.profile === undefined) options.profile = 'default'

const kit = fromRoot('conformance/run.mjs')
const recordFile = fromRoot('conformance.json')
const profileFolder = [options.dir && resolve(options.dir, 'profiles'), fromRoot('conformance/profiles')].find(
  (folder) => folder && existsSync(folder),
)
const profiles =
  options.profile === undefined
    ? readdirSync(profileFolder)
        .filter((name) => name.endsWith('.ini'))
        .map((name) => basename(name, '.ini'))
        .sort()
    : [options.profile]
const kitArguments = (profile) => [
  '--profile',
  profile,
  ...(options.dir === undefined ? [] : ['--dir', resolve(options.dir)]),
  ...filters,
]

function hasScenarios(profile) {
  const list = spawnSync(process.execPath, [kit, '--list', ...kitArguments(profile)], { encoding: 'utf8' })
  if (list.status !== 0) fail(`the scenarios could not be listed:\n${list.stderr}`)
  return list.stdout.trim() !== ''
}

/** Runs the kit against a server. Gives its results, a list of scenarios with their steps. */
async function play(profile, { url, ssh }) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-conformance-'))
  const resultFile = join(folder, 'result.json')
  try {
    const child = spawn(
      process.execPath,
      [
        kit,
        ...kitArguments(profile),
        '--server',
        url,
        '--admin',
        `${administrator.login}:${administrator.password}`,
        ...(ssh === undefined ? [] : ['--ssh', ssh]),
        '--differences',
        fromRoot('conformance-differences.json'),
        '--json',
        resultFile,
        '--jobs',
        options.jobs,
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
    return JSON.parse(readFileSync(resultFile, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const played = profiles.filter(hasScenarios)
if (played.length === 0) fail(`no scenario is named so: ${filters.join(' ')}`)
const program = options.server === undefined ? await buildForge() : undefined
const results = []
for (const profile of played) {
  if (program === undefined) {
    results.push(...(await play(profile, { url: options.server, ssh: options.ssh })))
    continue
  }
  const config = join(profileFolder, `${profile}.ini`)
  if (!existsSync(config)) fail(`there are no settings of a profile ${profile}`)
  let database
  if (options.postgres) database = await (await import('./postgres.mjs')).startPostgres()
  const forge = await startForge({ program, config, name: `conformance-${profile}`, database })
  console.log(`profile ${profile}: ${forge.url}, ready in ${Math.round(forge.startMs)} ms, log ${forge.logFile}`)
  try {
    results.push(...(await play(profile, forge)))
  } finally {
    await forge.stop()
    await database?.stop()
  }
}
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1))

const passedByArea = {}
for (const result of results) {
  const area = result.name.split('/')[0]
  passedByArea[area] = (passedByArea[area] ?? 0) + result.passed
}
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
if (played.length > 1) console.log(`all profiles: ${passed} passed, ${failed} failed`)

const recorded = existsSync(recordFile) ? readJson('conformance.json') : {}
if (options.ratchet) {
  const fallen = Object.entries(recorded).filter(([area, count]) => (passedByArea[area] ?? 0) < count)
  for (const [area, count] of fallen)
    console.error(`${area}: ${passedByArea[area] ?? 0} steps pass, ${count} did before`)
  if (fallen.length > 0) fail('the conformance ratchet failed')
  console.log('conformance ratchet: no area fell')
}
if (options.record) {
  const areas = [...new Set([...Object.keys(recorded), ...Object.keys(passedByArea)])].sort()
  const raised = Object.fromEntries(areas.map((area) => [area, Math.max(recorded[area] ?? 0, passedByArea[area] ?? 0)]))
  writeFileSync(recordFile, `${JSON.stringify(raised, null, 2)}\n`)
}
process.exit(options.ratchet || options.record || failed === 0 ? 0 : 1)
