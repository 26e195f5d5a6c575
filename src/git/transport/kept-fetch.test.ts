import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { releaseChunk, isFleeting } from '../../lib/fleeting.ts'
import type { Oid } from '../../lib/ids.ts'
import { packetLine } from '../../testing/clone.ts'
import { type GitKey, newGitKey } from '../git-key.ts'
import { commitOn, someone, startTestGit } from '../git.test-support.ts'
import type { Git } from '../git.ts'
import type { GitLimits } from '../git-options.ts'
import { type KeepLimits, SharedFetches } from './shared-fetch.ts'

const mebibyte = 1 << 20

/** The git layer with a repository, and a counter of the processes that served fetches. */
async function startCounted(limits: Partial<GitLimits> = {}) {
  let started = 0
  const tested = await startTestGit({
    limits,
    onCommand: ({ name }) => {
      if (name === 'upload-pack') started += 1
    },
  })
  const { git } = tested
  const key = newGitKey()
  await git.create(key)
  const { oid } = await git.writeCommit(key, {
    parents: [],
    tree: { base: undefined, changes: [{ op: 'write', path: 'large', content: randomBytes(6 * mebibyte) }] },
    author: someone,
    committer: someone,
    message: 'large',
  })
  await git.updateRefs(key, [{ ref: 'refs/heads/main', old: undefined, new: oid }])
  return { git, key, oid, started: () => started, [Symbol.asyncDispose]: () => tested[Symbol.asyncDispose]() }
}

async function ask(git: Git, key: GitKey, want: Oid): Promise<Readable> {
  const request = `${packetLine('command=fetch')}${packetLine('object-format=sha1')}0001${packetLine(`want ${want}`)}`
  const body = `${request}${packetLine('no-progress')}${packetLine('done')}0000`
  const fetch = { stateless: true, protocol: 'version=2', body: Readable.from([Buffer.from(body)]) }
  return (await git.uploadPack(key, fetch)).output
}

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Reads like the server, which frees each piece after sending it. */
async function readAndGiveBack(stream: Readable): Promise<Buffer> {
  assert.ok(isFleeting(stream))
  const copies: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    copies.push(Buffer.from(chunk))
    releaseChunk(chunk)
  }
  return Buffer.concat(copies)
}

async function until(isSo: () => boolean): Promise<void> {
  for (let attempt = 0; !isSo(); attempt += 1) {
    assert.ok(attempt < 400, isSo.toString())
    await wait(25)
  }
}

test('git transport: repeated clones pack at most twice until a reference moves', async () => {
  await using counted = await startCounted()
  const { git, key, oid, started } = counted
  assert.ok((await readAll(await ask(git, key, oid))).length > 6 * mebibyte)
  const first = await readAll(await ask(git, key, oid))
  for (let index = 0; index < 3; index += 1) assert.ok((await readAll(await ask(git, key, oid))).equals(first))
  assert.equal(started(), 2)

  // A reader that reads nothing delays no other reader.
  const slow = await ask(git, key, oid)
  const others = await Promise.all([1, 2, 3].map(async () => readAll(await ask(git, key, oid))))
  for (const other of others) assert.ok(other.equals(first))
  assert.equal(started(), 2)

  // Freed pieces belong to one reader.
  const [given, kept] = await Promise.all([
    readAndGiveBack(await ask(git, key, oid)),
    readAll(await ask(git, key, oid)),
  ])
  assert.deepEqual([given.equals(first), kept.equals(first)], [true, true])
  assert.equal(started(), 2)

  const next = await commitOn(git, key, 'main', { 'more.txt': 'more' })
  const after = await readAll(await ask(git, key, next))
  assert.ok(!after.equals(first))
  assert.equal(started(), 3)
  // It started before and is read to its end, although no other client may join.
  assert.ok((await readAll(slow)).equals(first))
  await git.updateRefs(key, [{ ref: 'refs/heads/main', old: next, new: oid }])
  await git.updateRefs(key, [{ ref: 'refs/tags/t', old: undefined, new: oid }])
  await readAll(await ask(git, key, oid))
  assert.equal(started(), 4, 'a tag is a reference too')
})

test('git transport: kept packs stay within their limit, and larger ones are still sent', async () => {
  await using counted = await startCounted({ keptFetchBytes: 4 * mebibyte })
  const { git, key, oid, started } = counted
  // A client that comes before the second pack is found too long may share it.
  for (let count = 0; started() < 5; count += 1) {
    assert.ok(count < 400)
    assert.ok((await readAll(await ask(git, key, oid))).length > 6 * mebibyte)
  }
})

/** Fetches with generated output. */
function madeUp(limits: Partial<KeepLimits>, folder: string) {
  const fetches = new SharedFetches(folder, {
    maxBytes: 10 * mebibyte,
    idleMs: 600_000,
    longestMs: 600_000,
    ...limits,
  })
  let started = 0
  const read = async (request: string, bytes = 4 * mebibyte): Promise<number> => {
    const content = Buffer.alloc(bytes, request)
    const { output } = await fetches.join({
      question: { repository: 'one', refs: 'same', request },
      share: undefined,
      start: async () => {
        started += 1
        return {
          output: Readable.from([content.subarray(0, bytes / 2), content.subarray(bytes / 2)]),
          finished: Promise.resolve({ exitCode: 0, stderr: '' }),
        }
      },
      signal: undefined,
    })
    assert.ok((await readAll(output)).equals(content))
    return started
  }
  return { fetches, read }
}

test('shared fetches: the least recently used pack is evicted', async () => {
  await using tested = await startTestGit()
  const { fetches, read } = madeUp({}, await tested.folder('spool'))
  for (const request of ['a', 'a', 'b', 'b']) await read(request)
  await until(() => fetches.keptBytes === 8 * mebibyte)
  assert.equal(await read('a'), 4)
  await read('c', 5 * mebibyte)
  assert.equal(await read('c', 5 * mebibyte), 6)
  await until(() => fetches.keptBytes === 9 * mebibyte)
  assert.equal(await read('a'), 6)
  assert.equal(await read('c', 5 * mebibyte), 6)
  assert.equal(await read('b'), 7)
  fetches.close()
  assert.equal(fetches.keptBytes, 0)
})

test('shared fetches: an unused pack is dropped, and a used one after its longest lifetime', async () => {
  await using tested = await startTestGit()
  const idle = madeUp({ idleMs: 300 }, await tested.folder('idle'))
  await idle.read('a')
  await idle.read('a')
  await until(() => idle.fetches.keptBytes === 0)
  const busy = madeUp({ longestMs: 200 }, await tested.folder('busy'))
  await busy.read('a')
  await busy.read('a')
  for (let attempt = 0; (await busy.read('a')) === 2; attempt += 1) {
    assert.ok(attempt < 400)
    await wait(10)
  }
  busy.fetches.close()
})
