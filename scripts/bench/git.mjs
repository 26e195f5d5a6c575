#!/usr/bin/env node
/**
 * Measures git at scale: eight concurrent clones beside one, a push into a repository with many references, a push of many
 * branches, and new repositories. Yardsticks of the same run: git on a local folder, and git's own server over HTTP.
 * `server` is the processor time of the server's process tree.
 *
 *     npm run bench:git [-- [--postgres] [--only clones,references,branches,repositories] [--rounds 3]
 *                           [--commits 20000] [--references 50000] [--branches 5000]]
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { synthesise } from './kit/synth.mjs'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { serveBareGit } from '../lib/bare-git-server.mjs'
import { onInterrupt } from '../lib/cleanup.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { processorMs } from '../lib/process-tree.mjs'
import { ensureReady, fail, fromRoot } from '../lib/project.mjs'

await ensureReady()
const parts = ['clones', 'references', 'branches', 'repositories']
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    only: { type: 'string', default: parts.join() },
    rounds: { type: 'string', default: '3' },
    commits: { type: 'string', default: '20000' },
    references: { type: 'string', default: '50000' },
    branches: { type: 'string', default: '5000' },
  },
})
const only = options.only.split(',')
if (only.some((name) => !parts.includes(name))) fail(`--only takes ${parts.join()}`)
const rounds = Number(options.rounds)
const atOnce = 8
/** Within this time the server drops kept fetches and finishes the jobs of a push. */
const restMs = 3000

const folder = mkdtempSync(join(tmpdir(), 'ingot-git-'))
const clean = onInterrupt(() => rmSync(folder, { recursive: true, force: true }))
const program = await buildForge()
const database = options.postgres ? await (await import('../postgres.mjs')).startPostgres() : undefined
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-git',
  ...(database ? { database } : {}),
  readableTraces: false,
})
const bare = await serveBareGit(folder)
let isMissed = false

const git = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_SSH_COMMAND: `ssh -F none -i ${join(folder, 'key')} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`,
        ...Object.fromEntries(
          ['AUTHOR', 'COMMITTER'].flatMap((who) => [
            [`GIT_${who}_NAME`, 'bench'],
            [`GIT_${who}_EMAIL`, 'bench@example.com'],
          ]),
        ),
      },
    })
    let said = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`git ${args.join(' ')}: ${said}`))))
  })

/** Median duration and server time of several rounds of a piece of work, both in milliseconds. */
async function measure(work, times = rounds) {
  const [taken, server] = [[], []]
  for (let round = 0; round < times; round += 1) {
    const [beganMs, before] = [performance.now(), processorMs(forge.pid)]
    await work(round)
    taken.push(performance.now() - beganMs)
    server.push(processorMs(forge.pid) - before)
  }
  return { ms: quantile(taken, 0.5), server: quantile(server, 0.5) }
}

/** Prints a row, with a figure beside its aim when it has one. */
function tell(name, { ms, server }, { figure, of, aim } = {}) {
  const cost = server > 0 ? `server ${server.toFixed(server < 100 ? 1 : 0)} ms` : ''
  const isOver = figure > aim
  if (isOver) isMissed = true
  const beside = figure === undefined ? '' : `${figure.toFixed(2)} ${of}`
  const judged = aim === undefined ? '' : ` (aim ${aim})${isOver ? '  MISSED' : ''}`
  console.log(`${name.padEnd(56)} ${ms.toFixed(0).padStart(7)} ms   ${cost.padEnd(18)} ${beside}${judged}`.trimEnd())
}

const rest = () => new Promise((resolve) => setTimeout(resolve, restMs))
const owner = administrator.login

/** Adopts a copy of a bare repository into the forge; returns its address with credentials. */
async function repositoryOf(ask, name, source) {
  cpSync(source, join(forge.data, 'repositories', owner, `${name}.git`), { recursive: true })
  await ask('POST', `/admin/unadopted/${owner}/${name}`)
  const remote = new URL(`${forge.url}/${owner}/${name}.git`)
  Object.assign(remote, { username: owner, password: ask.token })
  return remote.href
}

async function clones(ask) {
  const source = join(folder, 'synth.git')
  await synthesise(source, { commits: Number(options.commits) })
  const remote = await repositoryOf(ask, 'clones', source)
  await rest()
  let made = 0
  const clone = async (from) => {
    const to = join(folder, `clone-${made++}`)
    await git('clone', '--quiet', '--bare', '--no-local', from, to)
    rmSync(to, { recursive: true })
  }
  const all = (from) => () => Promise.all(Array.from({ length: atOnce }, () => clone(from)))
  const localOne = await measure(() => clone(source))
  const localAll = await measure(all(source), 1)
  tell('clone, in a folder', localOne)
  tell(`${atOnce} clones at once, in a folder`, localAll)
  const move = (round) => ask('POST', `/repos/${owner}/clones/branches`, { new_branch_name: `moved-${round}` })
  // A moved reference makes each round the first to request its pack.
  const one = await measure(() => clone(remote), 1)
  tell('clone', one, { figure: one.ms / localOne.ms, of: '× in a folder' })
  await move('once')
  await rest()
  const eight = await measure(all(remote), 1)
  tell(`${atOnce} clones at once`, eight, { figure: eight.ms / localAll.ms, of: '× in a folder', aim: 2 })
  tell(`${atOnce} clones at once, the server's part`, eight, { figure: eight.server / one.server, of: '× one', aim: 2 })
  await move('twice')
  await rest()
  const localShallow = await measure(() =>
    git('clone', '--quiet', '--depth=1', `file://${source}`, join(folder, `shallow-${made++}`)),
  )
  tell('shallow clone, in a folder', localShallow)
  const shallow = await measure(() => git('clone', '--quiet', '--depth=1', remote, join(folder, `shallow-${made++}`)))
  tell('shallow clone', shallow, { figure: shallow.ms / localShallow.ms, of: '× in a folder' })
}

/** A bare repository with a commit on `main`, `count` references, and a commit per hundred of them. */
async function manyReferences(path, count) {
  await git('init', '--quiet', '--bare', '--initial-branch=main', path)
  function* stream() {
    for (let index = 0; index < count; index += 1) {
      if (index % 100 === 0) {
        yield `commit refs/heads/main\nmark :${1 + index / 100}\ncommitter bench <bench@example.com> ${1_600_000_000 + index} +0000\ndata 1\nc\n`
        yield `M 100644 inline file-${index}\ndata 1\nx\n\n`
      }
      yield `reset refs/heads/topic/${index % 100}/branch-${index}\nfrom :${1 + Math.floor(index / 100)}\n\n`
    }
  }
  const child = spawn('git', ['-C', path, 'fast-import', '--quiet', '--force'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await pipeline(stream, child.stdin)
  if ((await ended) !== 0) throw new Error('git fast-import failed')
  await git('-C', path, 'pack-refs', '--all')
}

/** A work tree and its push targets: a folder, git's own server, the forge over HTTP and SSH. */
async function pushers(ask, name, source) {
  const work = join(folder, `${name}-work`)
  for (const kind of ['folder', 'http']) {
    await git('clone', '--quiet', '--mirror', '--no-local', source, join(folder, `${name}-${kind}.git`))
  }
  const forged = await repositoryOf(ask, name, source)
  await repositoryOf(ask, `${name}-ssh`, source)
  await git('clone', '--quiet', '--single-branch', source, work)
  await rest()
  return {
    work,
    folder: join(folder, `${name}-folder.git`),
    http: `${bare.url}/${name}-http.git`,
    forge: forged,
    ssh: `ssh://git@${forge.ssh}/${owner}/${name}-ssh.git`,
  }
}

async function references(ask) {
  const count = Number(options.references)
  const source = join(folder, 'references.git')
  await manyReferences(source, count)
  const at = await pushers(ask, 'references', source)
  let commits = 0
  const push = (remote) => async () => {
    await git('-C', at.work, 'commit', '--quiet', '--allow-empty', '--message', `c${commits++}`)
    await git('-C', at.work, 'push', '--quiet', remote, 'HEAD:refs/heads/main')
  }
  const local = await measure(push(at.folder), rounds + 2)
  tell(`push of a commit into ${count} references, in a folder`, local)
  tell('the same, of git over HTTP', await measure(push(at.http), rounds + 2))
  const forged = await measure(push(at.forge), rounds + 2)
  tell('the same, of the forge', forged, { figure: forged.ms / local.ms, of: '× in a folder', aim: 2 })
  const ssh = await measure(push(at.ssh), rounds + 2)
  tell('the same, of the forge over SSH', ssh, { figure: ssh.ms / local.ms, of: '× in a folder', aim: 2 })
  const again = await measure(() => git('-C', at.work, 'ls-remote', '--quiet', at.forge))
  tell('ls-remote', again)
}

async function branches(ask) {
  const count = Number(options.branches)
  const source = join(folder, 'branches.git')
  await manyReferences(source, 100)
  const at = await pushers(ask, 'branches', source)
  // A commit per branch, so that the objects are new too.
  const made = createWriteStream(join(folder, 'branches.import'))
  for (let index = 0; index < count; index += 1) {
    made.write(
      `commit refs/heads/new/branch-${index}\ncommitter bench <bench@example.com> ${1_700_000_000 + index} +0000\ndata 1\nn\nfrom refs/heads/main^0\n\n`,
    )
  }
  made.end()
  await new Promise((resolve) => made.once('close', resolve))
  await new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `git -C "$0" fast-import --quiet < "$1"`, at.work, made.path], {
      stdio: 'inherit',
    })
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error('git fast-import failed'))))
  })
  await git('-C', at.work, 'pack-refs', '--all')
  const push = (remote) => () => git('-C', at.work, 'push', '--quiet', remote, 'refs/heads/new/*:refs/heads/new/*')
  const local = await measure(push(at.folder), 1)
  tell(`push of ${count} branches, in a folder`, local)
  const ssh = await measure(push(at.ssh), 1)
  tell('the same, of the forge over SSH', ssh, { figure: ssh.ms / local.ms, of: '× in a folder', aim: 2 })
  await rest()
  const http = await measure(push(at.http), 1)
  tell('the same, of git over HTTP', http)
  const forged = await measure(push(at.forge), 1)
  tell('the same, of the forge', forged, { figure: forged.ms / http.ms, of: '× of git over HTTP', aim: 2 })
}

/** Processor time of new repositories, in milliseconds each. */
async function repositories(ask) {
  const count = 200
  const first = { auto_init: true, readme: 'Default', gitignores: 'Node', license: 'MIT' }
  const kinds = [
    { name: 'empty', body: {}, aim: 4 },
    { name: 'with first files', body: first, aim: 12 },
  ]
  for (const { name, body, aim } of kinds) {
    const make = async (prefix, times) => {
      for (let index = 0; index < times; index += 1) {
        await ask('POST', '/user/repos', { name: `${prefix}-${index}`, ...body })
      }
    }
    const prefix = name.replaceAll(' ', '-')
    await make(`${prefix}-warm`, count)
    await rest()
    const { ms, server } = await measure(() => make(prefix, count), 1)
    const each = { ms: ms / count, server: server / count }
    tell(`a new repository, ${name}`, each, { figure: each.server, of: 'ms of processor', aim })
  }
}

let status = 0
try {
  const ask = await apiOf(forge.url)
  execFileSync('sh', ['-c', 'ssh-keygen -q -t ed25519 -N "" -f "$0"', join(folder, 'key')])
  await ask('POST', '/user/keys', { title: 'bench', key: readFileSync(join(folder, 'key.pub'), 'utf8') })
  for (const [name, part] of Object.entries({ clones, references, branches, repositories })) {
    if (only.includes(name)) await part(ask)
  }
  if (isMissed) status = 1
} finally {
  await bare.close()
  await forge.stop()
  await database?.stop()
  clean()
}
process.exit(status)
