import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import { zeroOid } from '../../lib/refs.ts'
import { newRepository, startTestGit } from '../git.test-support.ts'
import type { GitOptions } from '../git-options.ts'
import type { NamedPack, RefSource } from '../git.ts'

/** A source whose state a test sets; it counts the questions. */
function givenSource() {
  const source = {
    present: 0,
    head: 'main',
    refs: new Map<string, Oid>(),
    isKnown: false,
    packs: [] as NamedPack[],
    questions: 0,
    generation: async () => {
      source.questions += 1
      return source.isKnown ? source.present : undefined
    },
    state: async () =>
      source.isKnown
        ? {
            generation: source.present,
            objectFormat: 'sha1' as const,
            head: source.head,
            refs: new Map(source.refs),
            packs: source.packs,
          }
        : undefined,
    findPacks: async () => new Map(source.packs.map(({ name }) => [name, { isReplaced: false }])),
  }
  return source satisfies RefSource
}

async function given(options: Partial<GitOptions> = {}) {
  const source = givenSource()
  const test = await startTestGit({ source, ...options })
  const { git } = test
  const key = await newRepository(git)
  const head = (await git.readHead(key)).oid as Oid
  source.isKnown = true
  source.refs.set('refs/heads/main', head)
  const folder = join(test.root, key.slice(0, 2), `${key}.git`)
  const names = async (): Promise<string[]> => (await git.readRefs(key)).map(({ name }) => name)
  return {
    test,
    source,
    git,
    key,
    head,
    folder,
    file: join(folder, 'generation'),
    lock: join(folder, 'generation.lock'),
    names,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

test('ref copy: a new repository is up to date, and one that was found so asks no more', async () => {
  await using it = await given()
  const { source, git, key, file, names } = it
  assert.deepEqual(await names(), ['refs/heads/main'])
  await git.resolve(key, 'main')
  await git.readHead(key)
  assert.equal(existsSync(file), false)
  assert.ok(source.questions <= 1)
})

test('ref copy: changes are copied in their order, together when they wait, and readers wait for them', async () => {
  await using it = await given()
  const { source, git, key, head, file } = it
  const step = (generation: number, ref: string, oid: Oid) =>
    git.advance(key, { generation, updates: [{ ref, new: oid }] })
  const ref = 'refs/heads/a'
  // The commits end in another order than their copies begin.
  const copied = [step(2, ref, zeroOid()), step(1, ref, head), step(4, ref, zeroOid()), step(3, ref, head)]
  source.present = 4
  assert.equal(await git.readRef(key, ref), undefined)
  assert.equal(readFileSync(file, 'latin1'), '4\n')
  await Promise.all(copied)
  void step(5, ref, head)
  assert.equal(await git.readRef(key, ref), head)
  await git.advance(key, { generation: 6, updates: [], head: 'a' })
  assert.equal((await git.readHead(key)).branch, 'a')
  assert.equal(readFileSync(file, 'latin1'), '6\n')
})

test('ref copy: a missing change and a newer copy are found, and the whole copy is compared', async () => {
  await using it = await given()
  const { source, git, key, head, file, names } = it
  source.refs.set('refs/tags/v1', head)
  source.refs.set('refs/heads/b', head)
  source.present = 3
  // The changes 1 and 2 were made by another process.
  await git.advance(key, { generation: 3, updates: [{ ref: 'refs/heads/b', new: head }] })
  assert.deepEqual(await names(), ['refs/heads/b', 'refs/heads/main', 'refs/tags/v1'])
  // The database was restored, and counts anew.
  writeFileSync(file, '9\n')
  source.refs.delete('refs/tags/v1')
  source.present = 4
  await git.advance(key, { generation: 4, updates: [] })
  assert.deepEqual(await names(), ['refs/heads/b', 'refs/heads/main'])
  assert.equal(readFileSync(file, 'latin1'), '4\n')
})

test('ref copy: where other processes change references, each request sees their changes', async () => {
  let request: object | undefined
  await using it = await given({ shared: true })
  const { source, head, names } = it
  Object.assign(source, { request: () => request })
  for (const isRequest of [true, false]) {
    request = isRequest ? {} : undefined
    const { length } = await names()
    source.refs.set(`refs/heads/z${source.present}`, head)
    source.present += 1
    request = isRequest ? {} : undefined
    assert.equal((await names()).length, length + 1)
    const questions = source.questions
    await names()
    // One request asks once.
    assert.equal(source.questions - questions, isRequest ? 0 : 1)
  }
})

test('ref copy: a lock of a dead process is removed, and one of a living process is waited for', async () => {
  for (const shared of [false, true]) {
    await using it = await given({ shared })
    const { source, git, key, head, lock, names } = it
    const dead = spawnSync('true').pid
    writeFileSync(lock, `${hostname()} ${dead} 1\n`)
    source.refs.set('refs/heads/a', head)
    source.present = 1
    await git.bringUp(key)
    assert.deepEqual(await names(), ['refs/heads/a', 'refs/heads/main'])
    // A process of an earlier start of this machine, such as the first one of a container.
    writeFileSync(lock, `${hostname()} ${process.pid} 1\n`)
    await git.bringUp(key)
    writeFileSync(lock, `${hostname()} ${process.ppid} 1\n`)
    let isDone = false
    const waiting = git.bringUp(key).then(() => (isDone = true))
    await git.objectInfo(key, head)
    assert.equal(isDone, false)
    writeFileSync(lock, `${hostname()} ${dead} 1\n`)
    await waiting
    assert.equal(existsSync(lock), false)
  }
})

test('ref copy: a reference whose object is missing is reported and stays, and the others are copied', async () => {
  const errors: string[] = []
  await using it = await given({ log: (level, message) => void (level === 'error' && errors.push(message)) })
  const { source, git, key, head, names } = it
  source.refs.set('refs/heads/lost', 'f'.repeat(40) as Oid)
  source.refs.set('refs/heads/there', head)
  source.present = 1
  await git.bringUp(key)
  assert.deepEqual(await names(), ['refs/heads/main', 'refs/heads/there'])
  assert.deepEqual(errors, ['the object of a reference is missing'])
})

test('ref copy: many changes are one file that git reads, without the loose files that would hide it', async () => {
  await using it = await given()
  const { source, git, key, head, folder } = it
  const run = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'latin1' }).trim()
  const next = run(
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit-tree',
    '-p',
    head,
    '-m',
    'n',
    `${head}^{tree}`,
  ) as Oid
  run('-c', 'user.name=a', '-c', 'user.email=a@b', 'tag', '-a', '-m', 't', 'made', head)
  const tag = run('rev-parse', 'made') as Oid
  run('update-ref', '-d', 'refs/tags/made')
  // A packed reference, loose ones that hide others, and names that are no ASCII.
  run('update-ref', 'refs/heads/gone/packed', head)
  run('update-ref', 'refs/heads/both', head)
  run('pack-refs', '--all')
  run('update-ref', 'refs/heads/both', next)
  run('update-ref', 'refs/heads/gone/loose', head)
  run('update-ref', 'refs/heads/stays', head)
  const many = Array.from({ length: 150 }, (_, index) => [`refs/heads/n/${index}`, head] as const)
  const set = new Map([
    ...many,
    ['refs/heads/both', head],
    ['refs/heads/gone', head],
    ['refs/heads/\u00fc\u{1f600}', next],
    ['refs/heads/\uffee', next],
    ['refs/tags/v1', tag],
  ] as const)
  const updates = [
    ...['refs/heads/gone/packed', 'refs/heads/gone/loose'].map((ref) => ({ ref, new: zeroOid() })),
    ...[...set].map(([ref, oid]) => ({ ref, new: oid })),
  ]
  // A dead process left git's lock.
  writeFileSync(join(folder, 'packed-refs.lock'), `${hostname()} ${spawnSync('true').pid} 1\n`)
  source.present = 1
  await git.advance(key, { generation: 1, updates })
  const expected = new Map([...set, ['refs/heads/main', head], ['refs/heads/stays', head]])
  const bytewise = [...expected].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  assert.deepEqual(
    (await git.readRefs(key)).map(({ name, oid }) => [name, oid]),
    bytewise,
  )
  const listed = Buffer.from(run('for-each-ref', '--format=%(refname) %(objectname)'), 'latin1').toString()
  assert.deepEqual(
    listed.split('\n').map((line) => line.split(' ')),
    bytewise,
  )
  assert.equal(run('rev-parse', 'refs/heads/n/149', 'v1^{commit}', 'refs/heads/both'), [head, head, head].join('\n'))
  assert.match(
    readFileSync(join(folder, 'packed-refs'), 'latin1'),
    new RegExp(`^${tag} refs/tags/v1\n\\^${head}$`, 'm'),
  )
  run('pack-refs', '--all')
  assert.deepEqual(run('fsck', '--strict', '--no-dangling'), '')
  // Another process of the program is writing the file.
  writeFileSync(join(folder, 'packed-refs.lock'), `${hostname()} ${process.ppid} 1\n`)
  assert.equal(await git.removeDead(key), 0)
})
