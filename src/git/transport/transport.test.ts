import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import { newGitKey } from '../git-key.ts'
import type { PushCheck, PushedUpdate } from '../git-service.ts'
import {
  movingIn,
  client,
  commitOn,
  newRepository,
  serveGit,
  someone,
  startTestGit,
  type TestGit,
} from '../git.test-support.ts'
import { zeroOid } from '../../lib/refs.ts'

async function clone(test: TestGit, url: string, ...args: string[]): Promise<string> {
  const folder = join(await test.folder('clone'), 'work')
  const result = await client(test.root, 'clone', ...args, url, folder)
  assert.equal(result.exitCode, 0, result.stderr)
  return folder
}

async function commitIn(folder: string, name: string, text: string | Buffer, message = `add ${name}`): Promise<Oid> {
  await writeFile(join(folder, name), text)
  await client(folder, 'add', '.')
  const result = await client(folder, 'commit', '-q', '-m', message)
  assert.equal(result.exitCode, 0, result.stderr + result.stdout)
  return (await client(folder, 'rev-parse', 'HEAD')).stdout.trim() as Oid
}

/** Descendants of a process, from the kernel. */
function descendants(): string[] {
  return execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' }).split('\n')
}

test('git transport: clone over protocol v0, v1 and v2, shallow, partial and single branch', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git, { 'README.md': '# hi\n', 'big.bin': 'x'.repeat(5000) })
  for (let index = 0; index < 5; index += 1) await commitOn(test.git, key, 'main', { [`f${index}`]: `${index}` })
  await using server = await serveGit(test.git)
  for (const version of ['0', '1', '2']) {
    const folder = await clone(test, server.url(key), '-c', `protocol.version=${version}`)
    assert.equal((await client(folder, 'rev-list', '--count', 'HEAD')).stdout.trim(), '6')
  }
  const shallow = await clone(test, server.url(key), '--depth', '2')
  assert.equal((await client(shallow, 'rev-list', '--count', 'HEAD')).stdout.trim(), '2')
  assert.equal((await client(shallow, 'fetch', '--unshallow')).exitCode, 0)
  const partial = await clone(test, server.url(key), '--filter=blob:none', '--no-checkout')
  assert.match((await client(partial, 'rev-list', '--objects', '--missing=print', 'HEAD')).stdout, /^\?/m)
})

test('git transport: checkPush sees quarantined objects and options; moveRefs gets exactly the accepted references', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const seen: {
    check?: PushCheck
    log?: string[]
    files?: string[]
    text?: string
    absent?: boolean
    recorded?: readonly PushedUpdate[]
  } = {}
  await using server = await serveGit(git, {
    async checkPush(push) {
      seen.check = push
      const { new: tip } = push.updates[0]!
      seen.log = (await git.log(push.quarantine, { from: [tip], not: [first] })).map((commit) => commit.message)
      const files = await git.diffFiles(push.quarantine, { base: first, head: tip })
      seen.files = files.map((file) => `${file.status} ${file.path}`)
      seen.text = (await git.readBlob(push.quarantine, files[0]!.newOid, { maxBytes: 100 })).content?.toString()
      seen.absent = (await git.objectInfo(key, tip)) === undefined
      return { ok: true, lines: ['looks good'] }
    },
    moveRefs(push) {
      seen.recorded = push.updates
      return movingIn(git, key)(push)
    },
    hints: async () => ['', 'Create a new pull request:', '  http://example.com/compare'],
  })
  const folder = await clone(test, server.url(key))
  const tip = await commitIn(folder, 'new.txt', 'fresh\n')
  const pushed = await client(
    folder,
    'push',
    '-o',
    'topic=one two',
    '-o',
    'x=ä\'"$HOME',
    'origin',
    'HEAD:refs/heads/feature',
  )
  assert.equal(pushed.exitCode, 0, pushed.stderr)
  assert.match(pushed.stderr, /remote: looks good/)
  assert.match(pushed.stderr, /remote: {3}http:\/\/example.com\/compare/)
  assert.deepEqual(seen.check?.updates, [{ ref: 'refs/heads/feature', old: zeroOid(), new: tip }])
  assert.deepEqual(seen.check?.pushOptions, ['topic=one two', 'x=ä\'"$HOME'])
  assert.deepEqual(seen.log, ['add new.txt\n'])
  assert.deepEqual(seen.files, ['added new.txt'])
  assert.equal(seen.text, 'fresh\n')
  assert.equal(seen.absent, true)
  assert.deepEqual(seen.recorded, [{ ref: 'refs/heads/feature', old: zeroOid(), new: tip }])
  assert.equal(await git.readRef(key, 'refs/heads/feature'), tip)
  assert.equal((await git.readCommit(key, tip)).message, 'add new.txt\n')
})

test('git transport: a shallow clone pushes what the server can complete, and atomic pushes move all or nothing', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  for (const name of ['a', 'b', 'c']) await commitOn(git, key, 'main', { [name]: name })
  await using server = await serveGit(git)
  const shallow = await clone(test, server.url(key), '--depth', '1')
  const tip = await commitIn(shallow, 'new.txt', 'fresh\n')
  assert.equal((await client(shallow, 'push', 'origin', 'HEAD:main')).exitCode, 0)
  assert.equal(await git.readRef(key, 'refs/heads/main'), tip)
  assert.equal(await git.countCommits(key, { from: [tip] }), 5)
  const other = await newRepository(git, { other: 'other' })
  const refused = await client(shallow, 'push', server.url(other), 'HEAD:refs/heads/shallow', 'HEAD:refs/heads/again')
  assert.match(refused.stderr, /shallow update not allowed/)
  assert.deepEqual(
    (await git.readRefs(other)).map(({ name }) => name),
    ['refs/heads/main'],
  )
  const whole = await clone(test, server.url(key))
  const next = await commitIn(whole, 'next.txt', 'next\n')
  await client(whole, 'branch', 'old', 'HEAD~2')
  const both = ['HEAD:refs/heads/one', 'old:refs/heads/main']
  const lease = await client(whole, 'push', '--atomic', '--force-with-lease=main:HEAD~3', 'origin', ...both)
  assert.match(lease.stderr, /stale info/)
  assert.equal(await git.readRef(key, 'refs/heads/one'), undefined)
  assert.equal((await client(whole, 'push', '--atomic', 'origin', 'HEAD:refs/heads/one', 'HEAD:main')).exitCode, 0)
  assert.equal(await git.readRef(key, 'refs/heads/one'), next)
})

test('git transport: a refused push leaves nothing, and a failing check refuses', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  let fail = false
  let recorded = 0
  await using server = await serveGit(git, {
    async checkPush() {
      if (fail) throw new Error('a defect')
      return { ok: false, lines: ['Ingot: branch is protected', 'bad\u0007 line\n'] }
    },
    async moveRefs() {
      recorded += 1
      return []
    },
  })
  const folder = await clone(test, server.url(key))
  const tip = await commitIn(folder, 'a.bin', randomBytes(100_000))
  const refused = await client(folder, 'push', 'origin', 'HEAD:main', 'HEAD:other')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /remote: Ingot: branch is protected/)
  assert.equal(refused.stderr.match(/pre-receive hook declined/g)?.length, 2)
  fail = true
  assert.match((await client(folder, 'push', 'origin', 'HEAD:other')).stderr, /remote: internal error/)
  assert.equal(await git.objectInfo(key, tip), undefined)
  assert.equal(await git.readRef(key, 'refs/heads/other'), undefined)
  assert.equal(recorded, 0)
  const objects = await readdir(join(test.root, key.slice(0, 2), `${key}.git`, 'objects'))
  assert.deepEqual(
    objects.filter((name) => name.startsWith('tmp_')),
    [],
  )
})

test('git transport: pull request references are fetched but not pushed; deletions, force, tags, many references', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  await git.updateRefs(key, [{ ref: 'refs/pull/1/head', old: zeroOid(), new: first }])
  const recorded: PushedUpdate[][] = []
  await using server = await serveGit(git, {
    moveRefs(push) {
      recorded.push([...push.updates])
      return movingIn(git, key)(push)
    },
  })
  const folder = await clone(test, server.url(key))
  assert.equal((await client(folder, 'fetch', 'origin', 'refs/pull/1/head')).exitCode, 0)
  await commitIn(folder, 'x', 'x')
  assert.match((await client(folder, 'push', 'origin', 'HEAD:refs/pull/1/head')).stderr, /hidden ref/)
  assert.equal((await client(folder, 'push', 'origin', 'HEAD:main')).exitCode, 0)
  await client(folder, 'commit', '--amend', '-q', '-m', 'other')
  assert.equal((await client(folder, 'push', 'origin', 'HEAD:main')).exitCode, 1)
  assert.equal((await client(folder, 'push', '--force', 'origin', 'HEAD:main')).exitCode, 0)
  await client(folder, 'tag', '-a', 'v1', '-m', 'one')
  const branches = Array.from({ length: 150 }, (_, index) => `HEAD:refs/heads/b${index}`)
  assert.equal((await client(folder, 'fetch', '-q', '.', ...branches)).exitCode, 0)
  const many = await client(folder, 'push', 'origin', '--all', '--follow-tags')
  assert.equal(many.exitCode, 0, many.stderr)
  assert.equal(recorded.at(-1)?.length, 151)
  assert.equal((await client(folder, 'push', 'origin', ':b1', ':refs/tags/v1')).exitCode, 0)
  assert.ok(recorded.at(-1)?.every((update) => /^0+$/.test(update.new)))
  assert.equal(await git.readRef(key, 'refs/heads/b1'), undefined)
})

test('git transport: references fetched aside are hidden and cannot be pushed', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const head = (await git.readHead(key)).oid!
  const fetched = 'refs/fetched/heads/main'
  await git.updateRefs(key, [{ ref: fetched, old: zeroOid(), new: head }])
  assert.deepEqual(await git.readRefs(key, 'refs/fetched/'), [{ name: fetched, oid: head }])
  assert.deepEqual(
    (await git.readRefs(key)).map((ref) => ref.name),
    ['refs/heads/main'],
  )
  await using server = await serveGit(git)
  const folder = await clone(test, server.url(key))
  for (const version of [0, 2]) {
    const listed = await client(folder, '-c', `protocol.version=${version}`, 'ls-remote', 'origin')
    assert.deepEqual([listed.exitCode, /refs\/heads\/main/.test(listed.stdout)], [0, true])
    assert.ok(!listed.stdout.includes('fetched'))
  }
  assert.equal((await client(folder, 'fetch', 'origin', fetched)).exitCode, 128)
  await commitIn(folder, 'x', 'x')
  assert.match((await client(folder, 'push', 'origin', `HEAD:${fetched}`)).stderr, /hidden ref/)
})

test('git transport: the topic handler decides each reference', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  let options: readonly string[] = []
  await using server = await serveGit(git, {
    async handleTopics({ updates, pushOptions }) {
      options = pushOptions
      return {
        outcomes: updates.map((update) =>
          update.ref.endsWith('good')
            ? {
                ref: update.ref,
                ok: true as const,
                reported: { ref: 'refs/pull/7/head', old: zeroOid(), new: update.new },
              }
            : { ref: update.ref, ok: false as const, message: 'unknown base' },
        ),
        lines: ['Visit the new pull request'],
      }
    },
  })
  const folder = await clone(test, server.url(key))
  await commitIn(folder, 'y', 'y')
  const pushed = await client(folder, 'push', '-o', 'topic=t', 'origin', 'HEAD:refs/for/main/good', 'HEAD:refs/for/bad')
  assert.equal(pushed.exitCode, 1)
  assert.match(pushed.stderr, /\[new reference\] +HEAD -> refs\/pull\/7\/head/)
  assert.match(pushed.stderr, /\[remote rejected\] HEAD -> refs\/for\/bad \(unknown base\)/)
  assert.match(pushed.stderr, /remote: Visit the new pull request/)
  assert.deepEqual(options, ['topic=t'])
})

test('git transport: names and options of a client cannot end the hook message', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const checks = new Array<PushCheck>()
  const callbacks = {
    async checkPush(push: PushCheck) {
      checks.push(push)
      return { ok: false as const, lines: ['no'] }
    },
    moveRefs: async () => [],
  }
  const push = async (commands: string[], options: string[] = []): Promise<string> => {
    const packet = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
    const capabilities = `report-status${options.length > 0 ? ' push-options' : ''}`
    const body =
      commands.map((line, index) => packet(index === 0 ? `${line}\0${capabilities}` : line)).join('') +
      '0000' +
      (options.length > 0 ? `${options.map(packet).join('')}0000` : '')
    const { output } = await git.receivePack(key, {
      stateless: true,
      body: Readable.from([Buffer.from(body)]),
      callbacks,
    })
    let text = ''
    for await (const chunk of output) text += String(chunk)
    return text
  }
  const zero = zeroOid()
  const deletion = (ref: string): string => `${first} ${zero} ${ref}`
  await push([deletion('refs/heads/main'), deletion('refs/heads/a\nend\nexit 0')])
  assert.equal(checks.length, 0)
  await push([deletion('refs/heads/main')], ['a\nend\nhook post-receive', 'b'])
  assert.deepEqual(
    checks.map((check) => [check.updates.map((update) => update.ref), check.pushOptions]),
    [[['refs/heads/main'], ['a\nend\nhook post-receive', 'b']]],
  )
  assert.equal(await git.readRef(key, 'refs/heads/main'), first)
})

test('git transport: a push is checked in the asynchronous context of its request, not of the one that started the broker', async () => {
  const asker = new AsyncLocalStorage<string>()
  await using test = await startTestGit()
  const { git } = test
  const key = await asker.run('first', () => newRepository(git))
  const { oid = zeroOid() } = await asker.run('first', () => git.readHead(key))
  const askers: (string | undefined)[] = []
  const callbacks = {
    async checkPush() {
      askers.push(asker.getStore())
      return { ok: false as const, lines: ['no'] }
    },
    moveRefs: async () => [],
  }
  const line = `${oid} ${zeroOid()} refs/heads/main\0report-status`
  const body = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
  await asker.run('second', async () => {
    const { output } = await git.receivePack(key, {
      stateless: true,
      body: Readable.from([Buffer.from(body)]),
      callbacks,
    })
    await output.resume().toArray()
  })
  assert.deepEqual(askers, ['second'])
})

test('git transport: a truncated or oversized pack is refused and leaves nothing', async () => {
  await using test = await startTestGit({ limits: { maxPackBytes: 50_000 } })
  const { git } = test
  const key = await newRepository(git)
  await using server = await serveGit(git)
  const folder = await clone(test, server.url(key))
  const tip = await commitIn(folder, 'large.bin', randomBytes(200_000))
  const tooLarge = await client(folder, 'push', 'origin', 'HEAD:main')
  assert.notEqual(tooLarge.exitCode, 0)
  assert.match(tooLarge.stderr, /exceeds|unpack/)
  assert.equal(await git.objectInfo(key, tip), undefined)
  const objects = await readdir(join(test.root, key.slice(0, 2), `${key}.git`, 'objects'))
  assert.deepEqual(
    objects.filter((name) => name.startsWith('tmp_objdir')),
    [],
  )
})

test('git transport: a disconnecting client ends its git and leaves no zombie', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  for (let index = 0; index < 12; index += 1) {
    await git.writeBlob(key, randomBytes(10))
    const tree = await git.writeTree(key, (await git.readHead(key)).oid, [
      { op: 'write', path: `b${index}`, content: randomBytes(1 << 20) },
    ])
    await git.readTree(key, tree)
    const { oid } = await git.writeCommit(key, {
      parents: [(await git.readHead(key)).oid!],
      tree,
      message: `${index}`,
      author: { name: 'a', email: 'a@a', unixSeconds: 1, offsetMinutes: 0 },
      committer: { name: 'a', email: 'a@a', unixSeconds: 1, offsetMinutes: 0 },
    })
    await git.updateRefs(key, [{ ref: 'refs/heads/main', old: undefined, new: oid }])
  }
  await using server = await serveGit(git)
  const head = (await git.readHead(key)).oid!
  const { hostname, port, pathname } = new URL(server.url(key))
  const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
  const command = `${packet('command=fetch')}${packet('object-format=sha1')}`
  const body = `${command}0001${packet(`want ${head}`)}${packet('done')}0000`
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${pathname}/git-upload-pack HTTP/1.1\r\nHost: x\r\nGit-Protocol: version=2\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
  await new Promise((resolve) => {
    socket.once('data', resolve)
  })
  socket.pause()
  await wait(200)
  assert.ok(
    descendants().some((line) => line.includes('upload-pack') && line.includes(key)),
    'git waits for the slow reader',
  )
  socket.destroy()
  let left: string[] = []
  for (let attempt = 0; attempt < 60; attempt += 1) {
    left = descendants().filter((line) => line.includes(key) && !line.includes('cat-file'))
    if (left.length === 0) break
    await wait(50)
  }
  assert.deepEqual(left, [])
})

test('git transport: archives and bundles', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, {
    'a.txt': 'a',
    'hidden.txt': 'h',
    '.gitattributes': 'hidden.txt export-ignore\n',
  })
  const commit = (await git.readHead(key)).oid!
  const read = async (format: 'zip' | 'tar' | 'tar.gz' | 'bundle'): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of await git.archive(key, { commit, format, prefix: 'name/' })) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }
  const folder = await test.folder('archives')
  await writeFile(join(folder, 'a.tar.gz'), await read('tar.gz'))
  const list = execFileSync('tar', ['tzf', 'a.tar.gz'], { cwd: folder, encoding: 'utf8' })
  assert.deepEqual(list.trim().split('\n').sort(), ['name/', 'name/.gitattributes', 'name/a.txt'])
  assert.equal((await read('zip')).subarray(0, 2).toString(), 'PK')
  await writeFile(join(folder, 'a.bundle'), await read('bundle'))
  const cloned = await client(folder, 'clone', 'a.bundle', 'b')
  assert.equal(cloned.exitCode, 0, cloned.stderr)
  assert.equal(await readFile(join(folder, 'b/a.txt'), 'utf8'), 'a')
  await assert.rejects(git.archive(key, { commit: '1'.repeat(40) as Oid, format: 'zip', prefix: '' }), {
    name: 'NotFound',
  })
})

test('git transport: the advertised capabilities are those of the contract', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const read = async (service: 'uploadPack' | 'receivePack', protocol?: string): Promise<string> => {
    const request = { stateless: true, advertise: true, protocol }
    const callbacks = { checkPush: async () => ({ ok: true as const }), moveRefs: async () => [] }
    const { output } =
      service === 'uploadPack'
        ? await git.uploadPack(key, request)
        : await git.receivePack(key, { ...request, callbacks })
    let text = ''
    for await (const chunk of output) text += String(chunk)
    return text
  }
  const v0 = await read('uploadPack')
  for (const name of [
    'multi_ack',
    'thin-pack',
    'side-band',
    'side-band-64k',
    'ofs-delta',
    'shallow',
    'deepen-since',
    'deepen-not',
    'deepen-relative',
    'no-progress',
    'include-tag',
    'multi_ack_detailed',
    'allow-tip-sha1-in-want',
    'allow-reachable-sha1-in-want',
    'no-done',
    'symref=HEAD:refs/heads/main',
    'filter',
  ]) {
    assert.ok(v0.includes(` ${name}`), name)
  }
  const v2 = await read('uploadPack', 'version=2')
  for (const line of [
    'ls-refs=unborn',
    'fetch=shallow wait-for-done filter',
    'server-option',
    'object-format=sha1',
    'object-info',
  ]) {
    assert.ok(v2.includes(line), line)
  }
  const receive = await read('receivePack')
  for (const name of [
    'report-status',
    'report-status-v2',
    'delete-refs',
    'side-band-64k',
    'quiet',
    'atomic',
    'ofs-delta',
    'push-options',
  ]) {
    assert.ok(receive.includes(name), name)
  }
  const empty = newGitKey()
  await git.create(empty, { defaultBranch: 'trunk' })
  assert.equal((await git.readHead(empty)).branch, 'trunk')
})

test("git transport: answers without a process equal git's answers", async () => {
  const names: string[] = []
  await using test = await startTestGit({ onCommand: ({ name }) => names.push(name) })
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const tagger = { name: 'T', email: 't@t', unixSeconds: 1, offsetMinutes: 0 }
  const tag = await git.writeTag(key, { name: 'v1', target: first, targetType: 'commit', tagger, message: 'one' })
  await git.updateRefs(key, [
    { ref: 'refs/tags/v1', old: undefined, new: tag },
    { ref: 'refs/tags/light', old: undefined, new: first },
    { ref: 'refs/heads/a/b', old: undefined, new: first },
    { ref: 'refs/pull/3/head', old: undefined, new: first },
  ])
  await using server = await serveGit(git)
  const empty = newGitKey()
  await git.create(empty, { defaultBranch: 'trunk' })
  const directory = (each: string): string => join(test.root, each.slice(0, 2), `${each}.git`)
  for (const each of [key, empty]) {
    for (const args of [['--symref'], ['--heads'], ['--tags'], ['--refs'], []]) {
      const ours = await client(test.root, 'ls-remote', ...args, server.url(each))
      const gits = await client(test.root, 'ls-remote', ...args, directory(each))
      assert.equal(ours.stdout, gits.stdout, args.join())
    }
  }
  assert.deepEqual(names.filter((name) => name === 'upload-pack').length, 1, 'only the probe')
  // A clone of an empty repository takes its branch name from the server.
  const folder = join(await test.folder('empty'), 'work')
  assert.equal(
    (await client(test.root, '-c', 'init.defaultBranch=other', 'clone', server.url(empty), folder)).exitCode,
    0,
  )
  assert.equal((await client(folder, 'symbolic-ref', 'HEAD')).stdout.trim(), 'refs/heads/trunk')
  const copy = join(await test.folder('copy'), 'work')
  assert.equal((await client(test.root, 'clone', server.url(key), copy)).exitCode, 0)
  names.length = 0
  // The list of references alone tells an up-to-date client.
  for (const args of [
    ['fetch'],
    ['fetch', '--tags', '--prune'],
    ['ls-remote', 'origin'],
    ['remote', 'show', 'origin'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await client(copy, ...args)).exitCode, 0, args.join(' '))
  }
  assert.deepEqual(names, [])
  const { output } = await git.receivePack(key, {
    stateless: true,
    advertise: true,
    callbacks: { checkPush: async () => ({ ok: true }), moveRefs: async () => [] },
  })
  let ours = ''
  for await (const chunk of output) ours += String(chunk)
  const settings = (await readdir(join(test.root, '.settings'))).find((name) => !name.startsWith('probe'))!
  const gits = execFileSync('git', ['receive-pack', '--stateless-rpc', '--advertise-refs', directory(key)], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(test.root, '.settings', settings, 'gitconfig'),
    },
  })
  assert.equal(ours, gits)
})

test('git transport: malformed and truncated requests are refused', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const ask = async (text: string): Promise<string> => {
    const { output } = await git.uploadPack(key, {
      stateless: true,
      protocol: 'version=2',
      body: Readable.from([Buffer.from(text)]),
    })
    let answer = ''
    for await (const chunk of output) answer += String(chunk)
    return answer
  }
  await assert.rejects(ask('0014command=ls-refs\nzzzz'), { name: 'BadRequest' })
  await assert.rejects(ask('0013command=ls-refs0018object-format=sha9990000'), { name: 'Invalid' })
  assert.equal(await ask('0000'), '')
  assert.equal(await ask(''), '')
  assert.match(await ask('0013command=ls-refs0000'), /HEAD/)
})

test('git transport: concurrent equal clones share one git, whatever their speed', async () => {
  const names: string[] = []
  await using test = await startTestGit({ onCommand: ({ name }) => names.push(name) })
  const { git } = test
  const key = newGitKey()
  await git.create(key)
  const { oid } = await git.writeCommit(key, {
    parents: [],
    tree: {
      base: undefined,
      changes: Array.from({ length: 12 }, (_, index) => ({
        op: 'write' as const,
        path: `f${index}`,
        content: randomBytes(1 << 20),
      })),
    },
    author: someone,
    committer: someone,
    message: 'large',
  })
  await git.updateRefs(key, [{ ref: 'refs/heads/main', old: undefined, new: oid }])
  const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
  const request = `${packet('command=fetch')}${packet('object-format=sha1')}0001${packet(`want ${oid}`)}`
  const body = `${request}${packet('no-progress')}${packet('done')}0000`
  const ask = async (): Promise<Readable> => {
    const fetch = { stateless: true, protocol: 'version=2', body: Readable.from([Buffer.from(body)]) }
    return (await git.uploadPack(key, fetch)).output
  }
  const read = async (stream: Readable, pauseMs: number): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer)
      if (pauseMs > 0) await wait(pauseMs)
    }
    return Buffer.concat(chunks)
  }
  const streams = await Promise.all([ask(), ask(), ask(), ask()])
  streams[3].on('error', () => undefined)
  streams[3].destroy()
  const [one, two, three] = await Promise.all(streams.slice(0, 3).map((stream, index) => read(stream, index % 2)))
  assert.ok(one !== undefined && two !== undefined && three !== undefined)
  assert.ok(one.length > 12 << 20 && one.equals(two) && one.equals(three))
  assert.equal(names.filter((name) => name === 'upload-pack').length, 1)
  for (let attempt = 0; (await readdir(join(test.root, '.spool'))).length > 0; attempt += 1) {
    assert.ok(attempt < 40, 'the spool file is removed')
    await wait(25)
  }
  const alone = await read(await ask(), 1)
  assert.ok(alone.length > 12 << 20)
  await using server = await serveGit(git)
  const folders = await Promise.all([1, 2, 3, 4].map(() => clone(test, server.url(key), '--bare')))
  for (const folder of folders) assert.equal((await client(folder, 'fsck')).exitCode, 0)
  const half = await ask()
  await new Promise((resolve) => {
    half.once('readable', resolve)
  })
  half.destroy()
})
