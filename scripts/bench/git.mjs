#!/usr/bin/env node
/**
 * Measures git at scale: eight concurrent clones beside one, a push into a repository with many references, a push of many
 * branches, new repositories, and repositories whose packs are in a storage. Yardsticks of the same run: git on a local
 * folder, git's own server over HTTP, and the same server with repositories on its disk. `server` is the processor time of the
 * server's process tree.
 *
 *     npm run bench:git [-- [--postgres] [--only clones,references,branches,repositories,blobs] [--rounds 3]
 *                           [--commits 20000] [--references 50000] [--branches 5000] [--megabytes 1024]]
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { synthesise } from './kit/synth.mjs'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { serveBareGit } from '../lib/bare-git-server.mjs'
import { onInterrupt } from '../lib/cleanup.mjs'
import { freePort } from '../lib/free-port.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { processorMs } from '../lib/process-tree.mjs'
import { ensureReady, fail, fromRoot } from '../lib/project.mjs'
import { s3Account, startS3 } from '../lib/s3-server.mjs'

await ensureReady()
const parts = ['clones', 'references', 'branches', 'repositories', 'blobs']
const { values: options } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    only: { type: 'string', default: parts.join() },
    rounds: { type: 'string', default: '3' },
    commits: { type: 'string', default: '20000' },
    references: { type: 'string', default: '50000' },
    branches: { type: 'string', default: '5000' },
    megabytes: { type: 'string', default: '1024' },
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
async function measure(work, times = rounds, { pid } = forge) {
  const [taken, server] = [[], []]
  for (let round = 0; round < times; round += 1) {
    const [beganMs, before] = [performance.now(), processorMs(pid)]
    await work(round)
    taken.push(performance.now() - beganMs)
    server.push(processorMs(pid) - before)
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

/** Starts the server on an empty folder with its packs in an S3 service. */
async function startWithStorage() {
  const port = await freePort()
  const s3 = await startS3(join(folder, 's3'), port)
  const settings = {
    repository__STORAGE: 'blobs',
    security__DISABLE_GIT_HOOKS: 'true',
    storage_0X2E_repositories__STORAGE_TYPE: 'minio',
    storage_0X2E_repositories__MINIO_ENDPOINT: `127.0.0.1:${port}`,
    storage_0X2E_repositories__MINIO_BUCKET: s3Account.bucket,
    storage_0X2E_repositories__MINIO_BUCKET_LOOKUP: 'path',
    storage_0X2E_repositories__MINIO_ACCESS_KEY_ID: s3Account.key,
    storage_0X2E_repositories__MINIO_SECRET_ACCESS_KEY: s3Account.secret,
  }
  const stored = await startForge({
    program,
    config: fromRoot('test/conformance/profiles/default.ini'),
    name: 'bench-git-storage',
    readableTraces: false,
    environment: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`INGOT__${key}`, value])),
  })
  return { ...stored, bucket: `http://127.0.0.1:${port}/${s3Account.bucket}`, s3 }
}

/** What a machine lacks that has never served the repositories. */
function removeCopies({ data }) {
  const root = join(data, 'repositories')
  for (const name of readdirSync(root)) {
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(join(root, name), { recursive: true })
  }
}

/** Copies every pack and index from the bucket to the disk, like a reader without a copy, and does nothing else. */
async function copyPacks({ bucket }, least) {
  const listed = await (await fetch(`${bucket}?list-type=2&prefix=repositories/`)).text()
  const objects = [...listed.matchAll(/<Key>([^<]+)<\/Key>.*?<Size>(\d+)<\/Size>/gs)].map(([, key, size]) => ({
    key,
    size,
  }))
  const large = objects.filter(({ size }) => Number(size) >= least)
  const packs = new Set(large.map(({ key }) => key.replace(/\.[a-z]+$/, '')))
  await Promise.all(
    objects
      .filter(({ key }) => packs.has(key.replace(/\.[a-z]+$/, '')))
      .map(async ({ key }, index) => {
        const { body } = await fetch(`${bucket}/${key}`)
        await pipeline(Readable.fromWeb(body), createWriteStream(join(folder, `copied-${index}`), { flush: true }))
      }),
  )
}

/** Makes a bare repository with files that do not shrink. */
async function largeRepository(path, megabytes) {
  const work = join(folder, 'large-work')
  mkdirSync(work)
  await git('init', '--quiet', '--initial-branch=main', work)
  for (let index = 0; index < megabytes; index += 16) writeFileSync(join(work, `${index}.bin`), randomBytes(16 << 20))
  await git('-C', work, '-c', 'core.compression=0', 'add', '.')
  await git('-C', work, 'commit', '--quiet', '--message', 'large files')
  await git('-C', work, 'push', '--quiet', path, 'HEAD:main')
  rmSync(work, { recursive: true })
}

async function blobs(ask) {
  const stored = await startWithStorage()
  try {
    const askStored = await apiOf(stored.url)
    const source = join(folder, 'stored.git')
    await synthesise(source, { commits: Number(options.commits) })
    const remoteOf = async (server, asks, name) => {
      await asks('POST', '/user/repos', { name, default_branch: 'main' })
      const remote = new URL(`${server.url}/${owner}/${name}.git`)
      Object.assign(remote, { username: owner, password: asks.token })
      return remote.href
    }
    const remotes = [await remoteOf(forge, ask, 'stored'), await remoteOf(stored, askStored, 'stored')]
    for (const remote of remotes) await git('-C', source, 'push', '--quiet', '--mirror', remote)
    await rest()

    let commits = 0
    const pushes = []
    for (const [index, server] of [forge, stored].entries()) {
      const work = join(folder, `stored-work-${index}`)
      await git('clone', '--quiet', '--depth=1', remotes[index], work)
      const push = async () => {
        writeFileSync(join(work, 'pushed'), `${commits++}\n`)
        await git('-C', work, 'add', 'pushed')
        await git('-C', work, 'commit', '--quiet', '--message', `c${commits}`)
        await git('-C', work, 'push', '--quiet', 'origin', 'HEAD:main')
      }
      pushes.push(await measure(push, rounds + 6, server))
    }
    tell('push, repositories on the disk', pushes[0])
    tell('push, packs in a storage', pushes[1], { figure: pushes[1].ms / pushes[0].ms, of: '× on the disk', aim: 3 })
    const api = `/repos/${owner}/stored`
    const read = (asks) => async () => {
      for (let index = 0; index < 50; index += 1) await asks('GET', `${api}/commits?limit=30&page=${1 + (index % 5)}`)
    }
    await read(ask)()
    await read(askStored)()
    const onDisk = await measure(read(ask), rounds + 2)
    const copy = await measure(read(askStored), rounds + 2, stored)
    tell('50 reads, repositories on the disk', onDisk)
    tell('50 reads, of a copy', copy, { figure: copy.ms / onDisk.ms, of: '× on the disk', aim: 1.25 })

    const clones = []
    for (const [index, server] of [forge, stored].entries()) {
      // A moved reference makes each round the first to request its pack.
      await rest()
      const clone = async (round) => {
        const to = join(folder, `stored-clone-${index}-${round}`)
        await git('clone', '--quiet', '--bare', '--no-local', remotes[index], to)
        rmSync(to, { recursive: true })
        await [ask, askStored][index]('POST', `${api}/branches`, { new_branch_name: `moved-${round}` })
      }
      clones.push(await measure(clone, rounds, server))
    }
    tell('clone, repositories on the disk', clones[0])
    tell('clone, of a copy', clones[1], { figure: clones[1].ms / clones[0].ms, of: '× on the disk' })
    await rest()
    const firstReads = [
      { name: 'one branch', work: () => askStored('GET', `${api}/branches/main`) },
      { name: 'a page of commits', work: () => askStored('GET', `${api}/commits?limit=30`) },
      { name: 'the files of the root', work: () => askStored('GET', `${api}/contents`) },
      { name: 'ls-remote', work: () => git('ls-remote', '--quiet', remotes[1]) },
      { name: 'clone', work: (round) => git('clone', '--quiet', '--bare', remotes[1], join(folder, `cold-${round}`)) },
      {
        name: 'shallow clone',
        work: (round) => git('clone', '--quiet', '--depth=1', remotes[1], join(folder, `cold-${round}`)),
      },
    ]
    const copied = await measure(() => copyPacks(stored, 1 << 20), rounds, stored)
    tell('copy of the packs', copied)
    for (const { name, work } of firstReads) {
      const times = []
      for (let round = 0; round < rounds; round += 1) {
        removeCopies(stored)
        times.push(await measure(() => work(`${name}-${round}`), 1, stored))
      }
      const first = times.toSorted((one, other) => one.ms - other.ms)[Math.floor(rounds / 2)]
      tell(`first read without a copy: ${name}`, first, {
        ...{ figure: first.ms / copied.ms, of: '× copy of the packs' },
        ...(name === 'one branch' ? { aim: 2 } : {}),
      })
    }

    const large = await remoteOf(stored, askStored, 'large')
    await largeRepository(large, Number(options.megabytes))
    await rest()
    const made = []
    for (let round = 0; round < rounds; round += 1) {
      await askStored('POST', '/orgs', { username: `forks-${round}` })
      made.push(
        await measure(
          () => askStored('POST', `/repos/${owner}/large/forks`, { organization: `forks-${round}` }),
          1,
          stored,
        ),
      )
    }
    const fork = made.toSorted((one, other) => one.ms - other.ms)[Math.floor(rounds / 2)]
    tell(`fork of ${options.megabytes} MB`, fork, { figure: fork.ms, of: 'ms', aim: 100 })
  } finally {
    await stored.stop()
    await stored.s3.stop()
  }
}

let status = 0
try {
  const ask = await apiOf(forge.url)
  execFileSync('sh', ['-c', 'ssh-keygen -q -t ed25519 -N "" -f "$0"', join(folder, 'key')])
  await ask('POST', '/user/keys', { title: 'bench', key: readFileSync(join(folder, 'key.pub'), 'utf8') })
  for (const [name, part] of Object.entries({ clones, references, branches, repositories, blobs })) {
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
