import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Oid } from '../../lib/ids.ts'
import { newGitKey } from '../git-key.ts'
import type { PushedUpdate } from '../git-service.ts'
import {
  movingIn,
  client,
  commitOn,
  filesOf,
  newRepository,
  serveGit,
  someone,
  startTestGit,
} from '../git.test-support.ts'
import { SpareBrokers } from './broker-process.ts'
import { zeroOid } from '../../lib/refs.ts'
import { isValidBranchName, isValidRefName, isValidTagName } from '../../lib/ref-name.ts'
import { until } from '../../testing/until.ts'

/** Processes whose arguments or environment name a folder, without zombies. */
async function processesOf(folder: string): Promise<Array<{ pid: number; state: string; args: string }>> {
  const found: Array<{ pid: number; state: string; args: string }> = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const args = (await readFile(`/proc/${name}/cmdline`, 'utf8')).replaceAll('\0', ' ')
      const environment = await readFile(`/proc/${name}/environ`, 'utf8')
      const state = /^State:\s+(\S)/m.exec(await readFile(`/proc/${name}/status`, 'utf8'))?.[1] ?? '?'
      if (args.includes(folder) || environment.includes(`HOME=${folder}`)) {
        found.push({ pid: Number(name), state, args })
      }
    } catch {
      // The process ended or belongs to another user.
    }
  }
  return found
}

/** Children of a process, from the kernel. */
async function childrenOf(pid: number): Promise<Array<{ pid: number; state: string; name: string }>> {
  const found: Array<{ pid: number; state: string; name: string }> = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const match = /^(\d+) \((.*)\) (\S) (\d+)/.exec(text)
    if (match !== null && Number(match[4]) === pid) {
      found.push({ pid: Number(match[1]), state: match[3]!, name: match[2]! })
    }
  }
  return found
}

/** Children from before the test, such as brokers that forges of other tests left. */
let earlier: ReadonlySet<number> = new Set()

async function startOwnGit(options: Parameters<typeof startTestGit>[0] = {}): ReturnType<typeof startTestGit> {
  earlier = new Set((await childrenOf(process.pid)).map(({ pid }) => pid))
  return startTestGit(options)
}

/** The broker is the only child of this process that the test started. */
const newestBroker = async (): Promise<number | undefined> =>
  (await childrenOf(process.pid)).findLast((child) => child.state !== 'Z' && !earlier.has(child.pid))?.pid

async function brokerPid(): Promise<number> {
  const pid = await newestBroker()
  assert.ok(pid !== undefined)
  return pid
}

/** A git that sleeps forever in one subcommand. */
async function sleepingGit(folder: string, command: string): Promise<string> {
  const path = join(folder, 'sleeping-git')
  await writeFile(path, `#!/bin/sh\nfor a in "$@"; do [ "$a" = ${command} ] && sleep 1000; done\nexec git "$@"\n`)
  await chmod(path, 0o755)
  return path
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(tmpdir(), `ingot-broker-${randomBytes(6).toString('hex')}`)
  await mkdir(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

test('git broker: when it is killed, requests answer 503, children die, and the next request works', async () => {
  await withFolder(async (folder) => {
    await using test = await startOwnGit({ gitBinary: await sleepingGit(folder, 'blame'), limits: { waitMs: 5000 } })
    const { git } = test
    const key = await newRepository(git)
    const head = (await git.readHead(key)).oid!
    const pending = [git.blame(key, head, 'README.md'), git.blame(key, head, 'README.md')].map((promise) =>
      assert.rejects(promise, { name: 'Unavailable', status: 503 }),
    )
    const settings = join(test.root, '.settings')
    await until(
      async () => (await processesOf(settings)).filter((each) => each.args.includes('blame')).length >= 2,
      'git runs',
    )
    const broker = await brokerPid()
    // It sleeps when it has reported the commands that it started.
    await until(
      async () => (await childrenOf(process.pid)).some(({ pid, state }) => pid === broker && state === 'S'),
      'the broker is idle',
    )
    process.kill(broker, 'SIGKILL')
    await Promise.all(pending)
    assert.equal((await git.readCommit(key, head)).message, 'first\n')
    assert.equal(await git.countCommits(key, { from: [head] }), 1)
    await until(
      async () => !(await processesOf(settings)).some((each) => each.args.includes('blame')),
      'the old git is gone',
    )
    for (let round = 0; round < 3; round += 1) {
      const pid = await brokerPid()
      process.kill(pid, 'SIGKILL')
      // Requests before its end is noticed are under way and answer 503.
      await until(async () => ![pid, undefined].includes(await newestBroker()), 'there is another broker')
      assert.equal((await git.objectInfo(key, await git.writeBlob(key, Buffer.from(`round ${round}`))))?.type, 'blob')
    }
  })
})

test('git broker: it starts on demand and exits when idle, but not during a command', async () => {
  await withFolder(async (folder) => {
    await using test = await startOwnGit({
      gitBinary: await sleepingGit(folder, 'rev-list'),
      limits: { brokerIdleMs: 1500 },
    })
    const { git } = test
    const key = newGitKey()
    await git.create(key)
    const blobs = await Promise.all([1, 2, 3].map((each) => git.writeBlob(key, Buffer.alloc(100_000, each))))
    await git.remove(newGitKey())
    assert.equal(await newestBroker(), undefined, 'a new repository needs no broker')

    const read = (blob: Oid) => git.readBlob(key, blob, { maxBytes: 100_000 })
    assert.deepEqual(
      (await Promise.all(blobs.map(read))).map(({ sizeBytes }) => sizeBytes),
      [100_000, 100_000, 100_000],
    )
    const brokers = (await childrenOf(process.pid)).filter(({ pid: child }) => !earlier.has(child))
    assert.equal(brokers.length, 1, 'concurrent requests start one broker')

    const gone = new AbortController()
    const pending = assert.rejects(git.logOids(key, { from: blobs, signal: gone.signal }), { code: 'git_cancelled' })
    const settings = join(test.root, '.settings')
    await until(async () => (await processesOf(settings)).some((each) => each.args.includes('rev-list')), 'git runs')
    // On a busy machine the first broker may have ended before.
    const pid = await brokerPid()
    await sleep(2000)
    assert.equal(await newestBroker(), pid, 'the broker stays during a command')
    gone.abort()
    await pending

    await until(async () => (await newestBroker()) === undefined, 'it ends')
    await until(async () => (await processesOf(settings)).length === 0, 'its readers end with it')
    assert.equal((await read(blobs[0]!)).sizeBytes, 100_000)
    assert.notEqual(await brokerPid(), pid)
  })
})

test('git broker: a stuck command, a stuck reader and a full queue answer 503 within their deadlines', async () => {
  await withFolder(async (folder) => {
    await using test = await startOwnGit({
      gitBinary: await sleepingGit(folder, 'blame'),
      limits: { commandTimeoutMs: 300, readProcesses: 1, waiting: 1, waitMs: 10_000 },
    })
    const { git } = test
    const key = await newRepository(git)
    const head = (await git.readHead(key)).oid!
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => git.blame(key, head, 'README.md')))
    const codes = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'ok',
    )
    assert.deepEqual(codes.sort(), ['git_busy', 'git_timeout', 'git_timeout'])
    assert.equal(await git.countCommits(key, { from: [head] }), 1)
  })
  await withFolder(async (folder) => {
    await using test = await startOwnGit({
      gitBinary: await sleepingGit(folder, 'cat-file'),
      limits: { readTimeoutMs: 300 },
    })
    const { git } = test
    const key = newGitKey()
    await git.create(key)
    // Smaller objects are cached when they are written.
    const blob = await git.writeBlob(key, Buffer.alloc(100_000))
    await assert.rejects(git.readBlob(key, blob, { maxBytes: 100_000 }), { code: 'git_timeout', status: 503 })
  })
})

test('git broker: an abandoned request ends its command', async () => {
  await withFolder(async (folder) => {
    await using test = await startOwnGit({ gitBinary: await sleepingGit(folder, 'rev-list') })
    const { git } = test
    const key = await newRepository(git)
    const head = (await git.readHead(key)).oid!
    const gone = new AbortController()
    const pending = assert.rejects(git.logOids(key, { from: [head], signal: gone.signal }), { code: 'git_cancelled' })
    const settings = join(test.root, '.settings')
    await until(async () => (await processesOf(settings)).some((each) => each.args.includes('rev-list')), 'git runs')
    gone.abort()
    await pending
    await until(
      async () => (await processesOf(settings)).every((each) => !/rev-list|sleep/.test(each.args)),
      'git is gone',
    )
    assert.deepEqual(
      (await childrenOf(await brokerPid())).filter((child) => child.state === 'Z'),
      [],
    )
  })
})

test('git broker: the broker and its git end when the server is killed', async () => {
  await withFolder(async (folder) => {
    await using test = await startOwnGit()
    // A separate server that reports when its git runs and waits to be killed.
    const root = join(folder, 'repositories')
    const script = join(folder, 'server.mjs')
    await writeFile(
      script,
      `
      import { spawn } from 'node:child_process'
      const [broker, root] = process.argv.slice(2)
      const stdio = ['ignore', 'ignore', 'inherit', 'pipe', 'pipe']
      const child = spawn(process.execPath, [broker], { stdio, detached: true, env: {} })
      const frame = (id, value) => {
        const json = Buffer.from(JSON.stringify(value)); const head = Buffer.alloc(9)
        head.writeUInt32BE(json.length); head.writeUInt8(1, 4); head.writeUInt32BE(id, 5)
        child.stdio[3].write(Buffer.concat([head, json]))
      }
      frame(1, { op: 'settings', gitBinary: '/bin/sleep', environment: { HOME: root },
        slots: { read: 1, write: 1, transport: 1, maintenance: 1 }, waiting: 1, waitMs: 1000, pooledProcesses: 1,
        pooledIdleMs: 1000, readTimeoutMs: 1000, hookTimeoutMs: 1000, maxHookBytes: 1000 })
      frame(2, { op: 'run', name: 'x', kind: 'read', args: ['1000'], cwd: '/', input: false, timeoutMs: 100000 })
      setInterval(() => undefined, 1000)
    `,
    )
    await mkdir(root)
    const server = spawn(process.execPath, [script, test.brokerFile, root], { stdio: 'inherit' })
    await until(async () => (await processesOf(root)).some((each) => each.args.includes('sleep')), 'the child runs')
    server.kill('SIGKILL')
    await until(async () => (await processesOf(root)).length === 0, 'all are gone')
    assert.equal((await test.git.listKeys()[Symbol.asyncIterator]().next()).done, true)
  })
})

test('git push: references move once, whatever becomes of the hook that reports them', async () => {
  await using test = await startOwnGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const recorded: PushedUpdate[][] = []
  await using server = await serveGit(git, {
    moveRefs(push) {
      recorded.push([...push.updates])
      return movingIn(git, key)(push)
    },
  })
  const folder = join(await test.folder('clone'), 'work')
  await client(test.root, 'clone', server.url(key), folder)
  await writeFile(join(folder, 'x'), 'x')
  await client(folder, 'add', '.')
  await client(folder, 'commit', '-q', '-m', 'x')
  // Without its post-receive hook git reports nothing.
  const [version] = await readdir(join(test.root, '.settings'))
  const hook = join(test.root, '.settings', version!, 'hooks', 'post-receive')
  await writeFile(hook, '#!/bin/sh\nexit 0\n')
  assert.equal((await client(folder, 'push', 'origin', 'HEAD:main')).exitCode, 0)
  await until(async () => recorded.length === 1, 'recorded')
  const tip = (await client(folder, 'rev-parse', 'HEAD')).stdout.trim()
  assert.deepEqual(recorded, [[{ ref: 'refs/heads/main', old: first, new: tip }]])
  // git would skip a hook that is not executable, so pushes are refused.
  await chmod(hook, 0o644)
  await writeFile(join(folder, 'y'), 'y')
  await client(folder, 'add', '.')
  await client(folder, 'commit', '-q', '-m', 'y')
  assert.notEqual((await client(folder, 'push', 'origin', 'HEAD:main')).exitCode, 0)
  assert.equal(await git.readRef(key, 'refs/heads/main'), tip)
})

test('git repositories: creation, forks, shared objects, removal, sizes, keys and stale locks', async () => {
  await using test = await startOwnGit()
  const { git } = test
  const key = await newRepository(git, { a: 'a', b: 'b' })
  const head = (await git.readHead(key)).oid!
  await assert.rejects(git.create(key), { name: 'Conflict' })
  await commitOn(git, key, 'feature', { c: 'c' }, { parents: [head] })
  await git.updateRefs(key, [{ ref: 'refs/pull/1/head', old: zeroOid(), new: head }])
  const copy = newGitKey()
  await git.fork(key, copy)
  assert.deepEqual(
    (await git.readRefs(copy)).map((ref) => ref.name),
    ['refs/heads/feature', 'refs/heads/main'],
  )
  const single = newGitKey()
  await git.fork(key, single, { onlyBranch: 'feature' })
  assert.deepEqual(
    (await git.readRefs(single)).map((ref) => ref.name),
    ['refs/heads/feature'],
  )
  assert.ok(!(await readFile(join(test.root, copy.slice(0, 2), `${copy}.git`, 'config'), 'utf8')).includes(test.root))
  const fresh = await commitOn(git, copy, 'feature', { d: 'd' })
  await assert.rejects(git.readCommit(key, fresh), { name: 'NotFound' })
  await git.fetchObjects(copy, key, [fresh])
  assert.equal((await git.readCommit(key, fresh)).oid, fresh)
  assert.ok((await git.sizeBytes(key)) > 500)
  const keys: string[] = []
  for await (const each of git.listKeys()) keys.push(each)
  assert.deepEqual(keys.sort(), [key, copy, single].sort())
  const lock = join(test.root, key.slice(0, 2), `${key}.git`, 'refs/heads/main.lock')
  await writeFile(lock, '')
  await utimes(lock, 1, 1)
  assert.deepEqual(await git.maintain(key, ['leftovers', 'repack', 'commit-graph'], { force: true }), {
    done: ['leftovers', 'repack', 'commit-graph'],
  })
  await commitOn(git, key, 'main', { e: 'e' })
  assert.equal((await git.fsck(key)).ok, true)
  await git.remove(copy)
  await git.remove(copy)
  const half = join(test.root, key.slice(0, 2), `${key}.git.gone-${'0'.repeat(12)}`)
  await mkdir(half)
  assert.equal(await git.removeLeftovers(), 0)
  await utimes(half, 1, 1)
  assert.equal(await git.removeLeftovers(), 1)
  assert.equal(await git.exists(copy), false)
  await assert.rejects(git.readHead(copy), { name: 'NotFound' })
})

test('git maintenance: packs without a bitmap get one, once', async () => {
  await using test = await startOwnGit()
  const { git } = test
  const key = await newRepository(git)
  await commitOn(git, key, 'main', { big: randomBytes(3 << 20).toString('base64') })
  await git.maintain(key, ['repack'], { force: true })
  const packs = join(test.root, key.slice(0, 2), `${key}.git`, 'objects/pack')
  const bitmaps = async () => (await readdir(packs)).filter((name) => name.endsWith('.bitmap'))
  for (const name of await bitmaps()) await rm(join(packs, name))
  assert.deepEqual(await git.maintain(key, ['bitmap']), { done: ['bitmap'] })
  assert.deepEqual(await git.maintain(key, ['bitmap', 'repack']), { done: [] })
  assert.deepEqual(
    await bitmaps(),
    (await readdir(packs)).filter((name) => /^multi-pack-index-.*\.bitmap$/.test(name)),
  )
  for (const name of await bitmaps()) await rm(join(packs, name))
  assert.deepEqual(await git.maintain(key, ['repack']), { done: ['repack'] })
  assert.equal((await bitmaps()).length, 1)
  assert.deepEqual(await git.maintain(key, ['repack']), { done: [] })
})

test('git remotes: fetches and pushes over HTTP report moved references; bad addresses are refused', async () => {
  await using test = await startOwnGit()
  const { git } = test
  const source = await newRepository(git)
  await commitOn(git, source, 'side', { s: 's' })
  await using server = await serveGit(git)
  const key = newGitKey()
  await git.create(key)
  const options = {
    url: server.url(source),
    refspecs: ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'],
    prune: true,
  }
  const { updates } = await git.fetchRemote(key, options)
  assert.deepEqual(
    updates.map((update) => [update.ref, update.old]),
    [
      ['refs/heads/main', zeroOid()],
      ['refs/heads/side', zeroOid()],
    ],
  )
  await git.updateRefs(source, [{ ref: 'refs/heads/side', old: undefined, new: zeroOid() }])
  const second = await git.fetchRemote(key, options)
  assert.deepEqual(
    second.updates.map((update) => [update.ref, update.new]),
    [['refs/heads/side', zeroOid()]],
  )
  await commitOn(git, key, 'main', { more: 'm' })
  const pushed = await git.pushRemote(key, { url: server.url(source), refspecs: ['refs/heads/*:refs/heads/*'] })
  assert.ok(pushed.ok, pushed.report)
  assert.equal(await git.readRef(source, 'refs/heads/main'), await git.readRef(key, 'refs/heads/main'))
  for (const url of ['/etc', 'file:///etc', 'ext::sh -c true', '-u', 'https://x y']) {
    await assert.rejects(git.fetchRemote(key, { url, refspecs: [] }), { name: 'Invalid' }, url)
  }
  await assert.rejects(
    git.fetchRemote(key, {
      url: server.url(newGitKey()).replace('//', '//user:secret@'),
      refspecs: ['refs/heads/*:refs/heads/*'],
    }),
    (error: Error) => error.name === 'Invalid' && !error.message.includes('secret'),
  )
})

test('git formats: a SHA-256 repository works through all layers', async (t) => {
  await using test = await startOwnGit()
  const { git } = test
  const key = newGitKey()
  try {
    await git.create(key, { objectFormat: 'sha256' })
  } catch {
    return t.skip('this git makes no SHA-256 repositories')
  }
  assert.equal(await git.objectFormat(key), 'sha256')
  const { oid } = await git.writeCommit(key, {
    parents: [],
    tree: { base: undefined, changes: filesOf({ 'a/b': 'b' }) },
    author: someone,
    committer: someone,
    message: 'x',
  })
  assert.equal(oid.length, 64)
  assert.deepEqual(await git.updateRefs(key, [{ ref: 'refs/heads/main', old: zeroOid(oid), new: oid }]), { ok: true })
  assert.equal((await git.resolve(key, oid.slice(0, 8)))?.oid, oid)
  assert.equal((await git.findPath(key, oid, 'a/b'))?.type, 'blob')
  assert.deepEqual(
    (await git.diffFiles(key, { base: undefined, head: oid })).map((file) => file.path),
    ['a/b'],
  )
  assert.deepEqual(await git.fsck(key), { ok: true, problems: [] })
})

test('git reference names follow check-ref-format', async () => {
  const folder = '/'
  const names = [
    'main',
    'a/b',
    '-x',
    'a..b',
    'a b',
    'a~',
    'a^',
    'a:',
    'a?',
    'a*',
    'a[',
    'a\\',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a.',
    'a//b',
    '/a',
    'a/',
    '@',
    'a@{b',
    '{a}',
    'ü',
    'a\u007f',
    'a\tb',
    'x'.repeat(200),
    '',
    'a.b',
    '@x',
    'refs/heads/x',
  ]
  for (const name of names) {
    const ref = `refs/heads/${name}`
    const { exitCode } = await client(folder, 'check-ref-format', ref)
    // git accepts `refs/heads/@`; the contract does not.
    if (name !== '@') assert.equal(isValidRefName(ref), exitCode === 0, JSON.stringify(name))
    assert.equal(isValidBranchName(name), exitCode === 0 && name !== '@', JSON.stringify(name))
  }
  assert.equal(isValidRefName('HEAD'), false)
  assert.equal(isValidRefName('refs/heads'), false)
  assert.equal(isValidTagName('v1.0'), true)
})

test('git uploads: a stream carries one request after another, as over SSH', async () => {
  await using test = await startOwnGit()
  const { git } = test
  const key = await newRepository(git)
  const flush = Readable.from([Buffer.from('0000')])
  const { output, finished } = await git.uploadPack(key, { stateless: false, body: flush })
  let text = ''
  for await (const chunk of output) text += String(chunk)
  assert.match(text, /refs\/heads\/main/)
  assert.equal((await finished).exitCode, 0)
})

test('git broker: a closed layer leaves its idle broker to the next one, which its timer does not end', async () => {
  const spares = new SpareBrokers(1)
  const first = await startOwnGit({ spares, limits: { brokerIdleMs: 1500 } })
  await newRepository(first.git)
  const pid = await brokerPid()
  await first[Symbol.asyncDispose]()

  await using second = await startTestGit({ spares })
  const key = await newRepository(second.git)
  assert.equal(await brokerPid(), pid)
  await sleep(2000)
  assert.equal(await second.git.countCommits(key, { from: [(await second.git.readHead(key)).oid!] }), 1)
  assert.equal(await brokerPid(), pid)
})
