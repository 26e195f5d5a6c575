import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Services } from '../../access/context.ts'
import { collectEffects, refEffect, type RefEffect } from '../../access/contributions/ref-effect.ts'
import { contributionsOf } from '../../access/feature.ts'
import { transaction } from '../../db/database.ts'
import type { Git } from '../../git/git.ts'
import { Unavailable } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { zeroOid } from '../../lib/refs.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { getOrCreateWiki } from '../../wiki/wiki-repository.service.ts'
import { codeOf, wikiOf } from '../git-repository.ts'
import { settleLeftovers } from './leftovers.service.ts'
import { moveRefs, openJournal, settle, type RefChange, type RefOrigin } from './ref-door.service.ts'

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

test('ref door: one of two concurrent changes succeeds, the other is stale', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const results = await Promise.all(
    [newer, older].map((oid) => moveRefs(forge.services, codeOf(row), [{ ref, old: zeros, new: oid }], origin)),
  )
  assert.equal(results.filter(({ ok }) => ok).length, 1)
  assert.equal(await recorded(), results[0]?.ok ? newer : older)
  assert.deepEqual(await forge.services.db.selectFrom('ref_journal').selectAll().execute(), [])
})

test('ref door: a reference that moved there and back before an older change is recorded as it is', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const late: RefChange = { ref, old: zeros, new: newer }
  const journal = await openJournal(forge.services, codeOf(row), [late], origin)
  assert.ok((await moveRefs(forge.services, codeOf(row), [{ ref, old: zeros, new: older }], origin)).ok)
  assert.ok((await moveRefs(forge.services, codeOf(row), [{ ref, old: older, new: zeros }], origin)).ok)
  assert.equal(await recorded(), undefined)
  assert.ok((await forge.services.git.updateRefs(row.git_key, [late])).ok)
  await settle(forge.services, journal, [late])
  assert.equal(await recorded(), newer)
})

test('ref door: an entry left by a crash is settled by the state of git, and recorded once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer, older } = await given(forge)
  const made: RefChange = { ref, old: zeros, new: newer }
  const unmade: RefChange = { ref: 'refs/heads/never', old: zeros, new: older }
  const journal = await openJournal(forge.services, codeOf(row), [made, unmade], origin)
  await forge.services.git.updateRefs(row.git_key, [made])
  assert.equal(await recorded(), undefined)
  assert.equal(await settleLeftovers(forge.services, 'all'), 1)
  assert.equal(await recorded(), newer)
  assert.equal(await settleLeftovers(forge.services, 'all'), 0)
  // The late process finds the entry gone and records nothing.
  await settle(forge.services, journal, [unmade])
  const names = await forge.services.db.selectFrom('branch').select('name').where('is_deleted', '=', false).execute()
  assert.deepEqual(names.map(({ name }) => name).sort(), ['main', 'topic'])
})

test('ref door: a change made while the broker died is recorded soon after', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer } = await given(forge)
  const { git } = forge.services
  const cutOff: Git = Object.create(git, {
    updateRefs: {
      value: async (...given: Parameters<Git['updateRefs']>) => {
        assert.deepEqual(await git.updateRefs(...given), { ok: true })
        throw new Unavailable('the git broker ended', 'git_unavailable')
      },
    },
  })
  const change: RefChange = { ref, old: zeros, new: newer }
  await assert.rejects(moveRefs({ ...forge.services, git: cutOff }, codeOf(row), [change], origin), Unavailable)
  assert.equal(await recorded(), undefined)
  forge.clock.advance(1000)
  await forge.settle()
  assert.equal(await recorded(), newer)
  assert.deepEqual(await forge.services.db.selectFrom('ref_journal').selectAll().execute(), [])
})

/** An effect that counts its applications in the repository's description. */
const noting = refEffect({
  name: 'testNote',
  data: Type.Object({ words: Type.String() }),
  about: ({ words }) => words,
  async apply(tx, { words }, { repoId }) {
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
  },
})

const withEffects = (services: Services, ...effects: readonly RefEffect[]): Services => ({
  ...services,
  parts: { ...contributionsOf(services), refEffects: collectEffects(effects) },
})

test('ref door: an effect is applied once with the change, and not when git refuses', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, newer, older } = await given(forge)
  const services = withEffects(forge.services, noting)
  const described = async (): Promise<string> =>
    (await forge.as('alice').get(`/repos/alice/${row.name}`)).json.description
  const stale: RefChange = { ref: 'refs/heads/main', old: older, new: newer }
  const refused = await moveRefs(services, codeOf(row), [stale], origin, { effect: noting.plan({ words: 'refused' }) })
  assert.equal(refused.ok, false)
  const moved = moveRefs(services, codeOf(row), [{ ref, old: zeros, new: newer }], origin, {
    effect: noting.plan({ words: 'not asked for' }),
    before: () => Promise.reject(new Unavailable('somebody objects')),
  })
  await assert.rejects(moved, Unavailable)
  assert.equal(await described(), '')

  const change: RefChange = { ref, old: zeros, new: newer }
  const journal = await openJournal(services, codeOf(row), [change], origin, { effect: noting.plan({ words: 'made' }) })
  await services.git.updateRefs(row.git_key, [change])
  assert.equal(await settleLeftovers(services, 'all'), 1)
  await settle(services, journal, [change])
  assert.equal(await settleLeftovers(services, 'all'), 0)
  assert.equal(await described(), '(made)')
})

test('ref door: an effect of another release waits for a release that can read it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded, newer } = await given(forge)
  const services = { ...withEffects(forge.services, noting), log: () => undefined }
  const change: RefChange = { ref, old: zeros, new: newer }
  const journal = await openJournal(services, codeOf(row), [change], origin)
  const write = (version: number, data: object) =>
    transaction(services.db, (tx) =>
      tx
        .updateTable('ref_journal')
        .set({ effect: JSON.stringify({ name: noting.name, version, data }) })
        .where('id', '=', journal.id)
        .execute(),
    )
  await services.git.updateRefs(row.git_key, [change])
  await write(2, { words: 'of a newer release' })
  assert.equal(await settleLeftovers(services, 'all'), 0)
  assert.equal(await recorded(), undefined)
  await write(1, { other: 1 })
  assert.equal(await settleLeftovers(services, 'all'), 0)
  assert.equal(await settleLeftovers(withEffects(services), 'all'), 0)
  await write(1, { words: 'readable' })
  assert.equal(await settleLeftovers(services, 'all'), 1)
  assert.equal(await recorded(), newer)
  const { json } = await forge.as('alice').get(`/repos/alice/${row.name}`)
  assert.equal(json.description, '(readable)')
})

test("ref door: settling a wiki's entry does not touch the rows of the code", async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { row, origin, recorded } = await given(forge)
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
  for (const name of [main, ref]) {
    const change: RefChange = { ref: name, old: zeros, new: page.oid }
    await openJournal(services, wiki, [change], origin)
    await services.git.updateRefs(wiki.gitKey, [change])
  }
  const unmade: RefChange = { ref: 'refs/heads/never', old: zeros, new: page.oid }
  await openJournal(services, wiki, [unmade], origin)
  const known = await services.db.selectFrom('event').select('id').where('name', '=', 'refs.updated').execute()
  assert.equal(await settleLeftovers(services, 'all'), 3)
  const events = await services.db
    .selectFrom('event')
    .selectAll()
    .where('name', '=', 'refs.updated')
    .orderBy('id')
    .execute()
  const pushed = events
    .slice(known.length)
    .map(({ data }) => JSON.parse(data) as { kind: string; updates: RefChange[] })
  assert.deepEqual(
    pushed.map(({ kind, updates }) => [kind, updates.map((update) => update.ref)]),
    [
      ['wiki', [main]],
      ['wiki', [ref]],
    ],
  )
  assert.equal(await recorded(), undefined)
  assert.deepEqual(await services.db.selectFrom('ref_journal').selectAll().execute(), [])

  // A deleted wiki has lost its references.
  await openJournal(services, wiki, [unmade], origin)
  await transaction(services.db, (tx) => tx.updateTable('repo').set({ wiki_git_key: null }).execute())
  assert.equal(await settleLeftovers(services, 'all'), 1)
  assert.deepEqual(await services.db.selectFrom('ref_journal').selectAll().execute(), [])
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
