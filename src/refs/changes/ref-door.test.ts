import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RefEffect } from '../../access/contributions/ref-effect.ts'
import type { Git } from '../../git/git.ts'
import { NotFound, Unavailable } from '../../lib/errors.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import { zeroOid } from '../../lib/refs.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { getOrCreateWiki } from '../../wiki/wiki-repository.service.ts'
import { codeOf, wikiOf } from '../git-repository.ts'
import { moveEach, moveRefs, type RefChange, type RefOrigin } from './ref-door.service.ts'

const zeros = '0'.repeat(40) as Oid
const ref = 'refs/heads/topic'

/** Makes a repository with two commits on its only branch. */
async function given(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/contents/more`, { content: '', message: 'more' })
  const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const [{ sha: newer }, { sha: older }] = (await forge.as('alice').get(`${repo.api}/commits`)).json
  const { user } = await forge.account('alice')
  const origin: RefOrigin = { doerId: user.id, via: 'api' }
  const recorded = async (): Promise<string | undefined> => {
    const branch = await forge.as('alice').get(`${repo.api}/branches/topic`)
    return branch.status === 404 ? undefined : branch.json.commit.id
  }
  return { row, origin, recorded, newer: newer as Oid, older: older as Oid }
}

/** The differences of rows, disk and lists. */
const problems = (forge: Forge) => examined(forge.services, { only: ['references', 'repositories'] })

const folderOf = (forge: Forge, key: GitKey): string =>
  join(forge.services.config.paths.repositories, key.slice(0, 2), `${key}.git`)

test('ref door: one of two concurrent changes succeeds, the other is stale', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const results = await Promise.all(
    [newer, older].map((oid) => moveRefs(forge.services, codeOf(row), [{ ref, old: zeros, new: oid }], origin)),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.equal(await recorded(), results[0]?.ok ? newer : older)
  assert.deepEqual(await problems(forge), [])
})

test('ref door: many concurrent changes there and back leave the disk as the rows say', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, newer, older } = await given(forge)
  const { services } = forge
  const wander = async (name: string): Promise<void> => {
    let old = zeros
    for (const next of [newer, older, zeros, older, newer, older]) {
      assert.deepEqual(await moveRefs(services, codeOf(row), [{ ref: name, old, new: next }], origin), { ok: true })
      old = next
      assert.equal((await services.git.readRef(row.git_key, name)) ?? zeros, next, 'a change is seen at once')
    }
  }
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => wander(`refs/heads/${name}`)))
  assert.deepEqual(await problems(forge), [])
})

test('ref door: after a kill between the change and its copy the next start shows the change, and nothing is left to do', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'ingot-door-'))
  try {
    let key: GitKey
    let made: Oid
    {
      await using forge = await startForge({ users: ['alice'], dataFolder })
      const { row, origin, newer } = await given(forge)
      key = row.git_key
      made = newer
      const killed: Git = Object.create(forge.services.git, { advance: { value: () => Promise.resolve() } })
      const change: RefChange = { ref, old: zeros, new: newer }
      assert.deepEqual(await moveRefs({ ...forge.services, git: killed }, codeOf(row), [change], origin), { ok: true })
      assert.equal((await killed.readCopy(key)).refs.length, 1)
    }
    await using forge = await startForge({ users: ['alice'], dataFolder })
    const { git } = forge.services
    assert.equal((await git.readCopy(key)).refs.length, 1)
    assert.equal(await git.readRef(key, ref), made)
    assert.equal((await git.readCopy(key)).refs.length, 2)
    assert.deepEqual(await problems(forge), [])
    const events = await forge.services.db
      .selectFrom('event')
      .select('data')
      .where('name', '=', 'refs.updated')
      .execute()
    assert.equal(events.filter(({ data }) => data.includes(ref)).length, 1)
  } finally {
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  }
})

test('ref door: a copy with another generation or a damaged one is compared and brought up, also back', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'ingot-door-'))
  try {
    for (const text of ['', 'x', '0\n', '99999\n']) {
      {
        await using forge = await startForge({ users: ['alice'], dataFolder })
        const [row] = await forge.services.db.selectFrom('repo').selectAll().execute()
        const { git_key: key } = row ?? (await given(forge)).row
        const head = (await forge.services.git.readRef(key, 'refs/heads/main')) as Oid
        await forge.services.git.updateRefs(key, [
          { ref: 'refs/heads/foreign/a', old: undefined, new: head },
          { ref: 'refs/heads/main', old: head, new: zeros },
        ])
        await writeFile(join(folderOf(forge, key), 'generation'), text)
      }
      await using forge = await startForge({ users: ['alice'], dataFolder })
      const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
      const names = (await forge.services.git.readRefs(row.git_key)).map(({ name }) => name)
      assert.deepEqual(names, ['refs/heads/main'], JSON.stringify(text))
      const present = await readFile(join(folderOf(forge, row.git_key), 'generation'), 'latin1')
      assert.equal(present, `${row.git_generation}\n`)
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  }
})

test('ref door: a change that cannot be copied is made, and the next reader copies it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer } = await given(forge)
  const obstacle = join(folderOf(forge, row.git_key), ref)
  await mkdir(obstacle, { recursive: true })
  await writeFile(join(obstacle, 'not-a-reference'), 'x')
  const change: RefChange = { ref, old: zeros, new: newer }
  assert.deepEqual(await moveRefs(forge.services, codeOf(row), [change], origin), { ok: true })
  assert.ok(forge.defects.length > 0)
  forge.defects.length = 0
  await assert.rejects(forge.services.git.readRefs(row.git_key))
  await rm(obstacle, { recursive: true })
  assert.equal(await recorded(), newer)
  assert.deepEqual(await problems(forge), [])
})

/** An effect that adds to the repository's description. */
const noting =
  (words: string): RefEffect =>
  async (tx, { repoId }) => {
    const { description } = await tx
      .selectFrom('repo')
      .select('description')
      .where('id', '=', repoId)
      .executeTakeFirstOrThrow()
    await tx
      .updateTable('repo')
      .set({ description: `${description}(${words})` })
      .where('id', '=', repoId)
      .execute()
  }

test('ref door: an effect is applied once with the change, and not when the change is refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const { services } = forge
  const described = async (): Promise<string> =>
    (await forge.as('alice').get(`/repos/alice/${row.name}`)).json.description
  const stale: RefChange = { ref: 'refs/heads/main', old: older, new: newer }
  const refused = await moveRefs(services, codeOf(row), [stale], origin, {
    effect: noting('refused'),
    before: (tx) => noting('undone')(tx, { repoId: row.id, moved: [], clock: services.clock }),
  })
  assert.equal(refused.ok, false)
  const change: RefChange = { ref, old: zeros, new: newer }
  const refusedChange = moveRefs(services, codeOf(row), [change], origin, {
    effect: noting('not asked for'),
    before: () => Promise.reject(new Unavailable('somebody objects')),
  })
  await assert.rejects(refusedChange, Unavailable)
  const failing = moveRefs(services, codeOf(row), [change], origin, {
    effect: () => Promise.reject(new Error('a defect')),
  })
  await assert.rejects(failing, /a defect/)
  assert.deepEqual([await described(), await recorded()], ['', undefined])
  assert.ok((await moveRefs(services, codeOf(row), [change], origin, { effect: noting('made') })).ok)
  assert.deepEqual([await described(), await recorded()], ['(made)', newer])
})

test('ref door: names that exclude each other, missing objects and branches that are no commits are refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, newer } = await given(forge)
  const { services } = forge
  const move = async (...changes: [name: string, old: Oid, next: Oid][]) => {
    const result = await moveRefs(
      services,
      codeOf(row),
      changes.map(([name, old, next]) => ({ ref: `refs/heads/${name}`, old, new: next })),
      origin,
    )
    return result.ok ? 'ok' : `${result.reason} ${result.ref}`
  }
  const blob = await services.git.writeBlob(row.git_key, Buffer.from('no commit'))
  assert.equal(await move(['a/b', zeros, newer]), 'ok')
  assert.equal(await move(['a', zeros, newer]), 'conflict refs/heads/a')
  assert.equal(await move(['a/b/c', zeros, newer]), 'conflict refs/heads/a/b/c')
  assert.equal(await move(['x', zeros, newer], ['x/y', zeros, newer]), 'conflict refs/heads/x/y')
  assert.equal(await move(['a/b', zeros, newer]), 'exists refs/heads/a/b')
  assert.equal(await move(['a-b', zeros, newer], ['a0', zeros, newer], ['a/c', zeros, newer]), 'ok')
  assert.equal(await move(['missing', zeros, 'f'.repeat(40) as Oid]), 'invalid refs/heads/missing')
  assert.equal(await move(['blob', zeros, blob]), 'invalid refs/heads/blob')
  assert.equal(await move(['..', zeros, newer]), 'invalid refs/heads/..')
  // What is deleted makes room.
  assert.equal(await move(['a', zeros, newer], ['a/b', newer, zeros], ['a/c', newer, zeros]), 'ok')
  assert.equal(await move(['a', newer, zeros], ['a/b', zeros, newer]), 'ok')
  const names = (await services.git.readRefs(row.git_key)).map(({ name }) => name.slice('refs/heads/'.length))
  assert.deepEqual(names, ['a-b', 'a/b', 'a0', 'main'])
  const refused = await moveEach(
    services,
    codeOf(row),
    ['main', 'a', 'free', 'a/b/c'].map((name) => ({ ref: `refs/heads/${name}`, old: zeros, new: newer })),
    origin,
  )
  assert.deepEqual(
    refused.map((each) => `${each.reason} ${each.ref}`),
    ['exists refs/heads/main', 'conflict refs/heads/a/b/c', 'conflict refs/heads/a'],
  )
  assert.equal(await services.git.readRef(row.git_key, 'refs/heads/free'), newer)
  assert.deepEqual(await problems(forge), [])
})

test("ref door: a change of a wiki's references does not touch the rows of the code", async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer } = await given(forge)
  const { services } = forge
  const wiki = wikiOf(row, await getOrCreateWiki(services, row))
  const person = { name: 'Alice', email: 'alice@example.com', unixSeconds: 1, offsetMinutes: 0 }
  const page = await services.git.writeCommit(wiki.gitKey, {
    parents: [],
    tree: { base: undefined, changes: [{ op: 'write', path: 'Home.md', content: Buffer.from('home') }] },
    author: person,
    committer: person,
    message: 'a page\n',
  })
  const main = 'refs/heads/main'
  const known = await services.db.selectFrom('event').select('id').where('name', '=', 'refs.updated').execute()
  for (const name of [main, ref]) {
    assert.ok((await moveRefs(services, wiki, [{ ref: name, old: zeros, new: page.oid }], origin)).ok)
  }
  const events = await services.db
    .selectFrom('event')
    .selectAll()
    .where('name', '=', 'refs.updated')
    .orderBy('id')
    .execute()
  const published = events
    .slice(known.length)
    .map(({ data }) => JSON.parse(data) as { kind: string; updates: RefChange[] })
  assert.deepEqual(
    published.map(({ kind, updates }) => [kind, updates.map((update) => update.ref)]),
    [
      ['wiki', [main]],
      ['wiki', [ref]],
    ],
  )
  assert.equal(await recorded(), undefined)
  assert.deepEqual(await problems(forge), [])
  // The key of a wiki that was deleted and made again is another one.
  const other = { ...wiki, gitKey: row.git_key }
  await assert.rejects(moveRefs(services, other, [{ ref: 'refs/heads/x', old: zeros, new: newer }], origin), NotFound)
})

test('ref door: a change with more references than one statement takes is recorded whole', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { services } = forge
  const repo = await forge.given.repo({ owner: 'alice', name: 'many', files: { a: 'a' } })
  const row = await services.db.selectFrom('repo').selectAll().where('name', '=', 'many').executeTakeFirstOrThrow()
  const head = (await services.git.readHead(row.git_key)).oid as Oid
  const old = zeroOid(row.object_format)
  const changes = Array.from({ length: 4200 }, (_, index) => ({ ref: `refs/heads/many/${index}`, old, new: head }))
  const origin: RefOrigin = { doerId: row.owner_id, via: 'push' }
  assert.deepEqual(await moveRefs(services, codeOf(row), changes, origin), { ok: true })
  const { headers } = await forge.as('alice').get(`${repo.api}/branches?limit=1`)
  assert.equal(headers.get('x-total-count'), '4201')
  // The follow-up work is bounded: it is not quadratic.
  await forge.settle()
})
