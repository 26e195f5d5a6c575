#!/usr/bin/env node
/**
 * Tests three replicas of the server: processes with a folder of their own each, on one PostgreSQL database and one bucket,
 * behind nginx, which gives requests to them in turn. Sessions of clients, recorded exchanges and races come first; then parts
 * fail while clients push, merge, upload and look at pages. Everything that was acknowledged must be there in the end, once.
 *
 *     npm run test:replicas [-- [PART…] [--minutes N] [--seed S]]      parts: starts, races, changes,
 *                                                                         streams, clients, conformance, faults
 *
 * Without `--minutes`, each fault comes once, some sessions are played, and recorded exchanges only when they are named. With
 * it, all of them are played, and faults come at random for that time. `--seed` repeats their order.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { administrator, buildForge } from './lib/forge.mjs'
import { ensureReady, fail, fromRoot, root } from './lib/project.mjs'
import { playChanges } from './lib/replica-changes.mjs'
import { clientOf, eventually } from './lib/replica-client.mjs'
import { faultsOf } from './lib/replica-faults.mjs'
import { startLoad } from './lib/replica-load.mjs'
import { playOnce } from './lib/replica-once.mjs'
import { playProxy } from './lib/replica-proxy.mjs'
import { playRaces } from './lib/replica-races.mjs'
import { startReplicas } from './lib/replica-set.mjs'
import { playStarts } from './lib/replica-starts.mjs'
import { playStreams } from './lib/replica-streams.mjs'
import { makeWorld } from './lib/replica-world.mjs'

await ensureReady()
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
})
const isLong = options.minutes !== undefined
const [minutes, seed] = [Number(options.minutes ?? 0), Number(options.seed)]
if (!(minutes >= 0) || !Number.isInteger(seed)) fail('--minutes and --seed are numbers')
const parts = ['starts', 'races', 'changes', 'streams', 'clients', 'conformance', 'faults']
const unknown = positionals.filter((part) => !parts.includes(part))
if (unknown.length > 0) fail(`there is no part ${unknown.join(' ')}; the parts are ${parts.join(', ')}`)
/** The short form has no room for recorded exchanges. */
const plays = (part) => (positionals.length === 0 ? isLong || part !== 'conformance' : positionals.includes(part))

/** What is played without `--minutes`. */
const someClients = ['git-cli', 'git-lfs']
const someScenarios = ['git', 'pulls/', 'releases', 'transport']

/** Scenarios about scripts of repositories, which have no place where copies are made again. */
const withScripts = new Set(['git/git-hooks', 'repositories/repo-git-hooks'])

const startedMs = performance.now()
const say = (text) => console.log(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${text}`)

/** Runs another script of the project against the replicas. Returns its exit code. */
function runScript(name, ...args) {
  const child = spawn(process.execPath, [fromRoot('scripts', name), ...args], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => child.once('exit', resolve))
}

async function playClients({ url, ssh }) {
  const names = isLong ? [] : someClients
  return (await runScript('clients.mjs', ...names, '--deployment', 'replicas', '--server', url, '--ssh', ssh)) === 0
    ? []
    : ['sessions of clients failed']
}

/** Replays recorded exchanges. Returns the steps that differ. */
async function playConformance({ url, ssh }, folder) {
  const file = join(folder, 'conformance.json')
  const wanted = isLong ? [] : someScenarios
  await runScript('conformance.mjs', ...wanted, '--quiet', '--json', file, '--server', url, '--ssh', ssh)
  return JSON.parse(readFileSync(file, 'utf8'))
    .filter(({ name }) => !withScripts.has(name))
    .flatMap(({ name, steps }) =>
      steps.filter(({ ok }) => !ok).map(({ label, diffs }) => `${name}: ${label}: ${diffs.join('; ').slice(0, 300)}`),
    )
}

async function makeToken(url) {
  const authorization = `Basic ${Buffer.from(`${administrator.login}:${administrator.password}`).toString('base64')}`
  const { json } = await clientOf(url)(
    'POST',
    `/users/${administrator.login}/tokens`,
    { name: `replicas ${Date.now()}`, scopes: ['all'] },
    { authorization },
  )
  if (json?.sha1 === undefined) throw new Error('the administrator has no token')
  return json.sha1
}

/** Plays faults under load and judges what is left. */
async function playFaults(set, token, work) {
  const faults = faultsOf(set, { seed, say })
  const load = await startLoad({ set, token, work, isCalm: faults.isCalm, say })
  await faults.rest()
  if (isLong) await faults.playAtRandom(minutes * 60_000, () => say(JSON.stringify(load.counts())))
  else await faults.playEach()
  await faults.rest()
  await load.stop()
  say(`under faults: ${JSON.stringify(load.counts())}`)
  const problems = await load.judge()
  say('everything acknowledged was looked up at each replica')
  load.close()
  return [...faults.problems, ...problems]
}

async function doctor(set) {
  const found = await Promise.all(
    set.replicas.map(async (replica) => {
      const { code, out, err } = await set.command(replica, 'doctor')
      return code === 0 ? [] : [`the doctor of replica ${replica.number} (${code}): ${out}${err}`]
    }),
  )
  say('the doctor has seen each replica')
  return found.flat()
}

/** Requests that failed by a defect, which the log has. */
function defects(set) {
  return set.replicas.flatMap(({ logs, number }) =>
    logs.flatMap((file) =>
      readFileSync(fromRoot(file), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"a request failed"'))
        .map((line) => `replica ${number}: ${line.slice(0, 1500)}`),
    ),
  )
}

const program = await buildForge()
const work = mkdtempSync(join(tmpdir(), 'ingot-replicas-work-'))
writeFileSync(
  join(work, 'gitconfig'),
  '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n',
)
const set = await startReplicas({ program, config: fromRoot('test/conformance/profiles/default.ini') })
const problems = []
try {
  say(`three replicas behind ${set.url}`)
  const token = await eventually('the administrator signs in', () => makeToken(set.url).catch(() => false))
  const world = makeWorld({ set, token, work })
  if (plays('starts')) {
    await playStarts({ set, world, say })
    await playProxy({ world, say })
  }
  if (plays('races')) {
    await playRaces({ set, token, work, say })
    await playOnce({ world, say })
  }
  if (plays('changes')) problems.push(...(await playChanges({ world, say })))
  if (plays('streams')) await playStreams({ set, world, say })
  if (plays('clients')) problems.push(...(await playClients(set)))
  if (plays('conformance')) problems.push(...(await playConformance(set, work)))
  if (plays('faults')) problems.push(...(await playFaults(set, token, work)))
  problems.push(...(await doctor(set)), ...defects(set))
} catch (error) {
  problems.push(error.stack)
} finally {
  await set.stop()
  rmSync(work, { recursive: true, force: true })
}
if (problems.length > 0) {
  fail(`${problems.slice(0, 30).join('\n')}\n${problems.length} problems (seed ${seed}); logs in build/logs`)
}
say('the replicas passed')
