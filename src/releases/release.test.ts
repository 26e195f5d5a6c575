import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { transaction } from '../db/database.ts'
import type { Oid } from '../lib/ids.ts'
import { tagRef, zeroOid } from '../lib/refs.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import type { GivenRepo } from '../testing/given.ts'
import { countQueries } from '../testing/count-queries.ts'
import { examined } from '../testing/doctor.ts'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { releaseTagEffect } from './release-record.service.ts'

const run = promisify(execFile)
const byNumber = (one: number, other: number): number => one - other

/** Creates a public repository of Alice. Bob can write, Rita can read. */
async function given(forge: Forge): Promise<GivenRepo> {
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  for (const [name, permission] of [
    ['bob', 'write'],
    ['rita', 'read'],
  ] as const) {
    await forge.account(name)
    await alice.must('PUT', `${repo.api}/collaborators/${name}`, { permission })
  }
  return repo
}

const tagsOf = async (forge: Forge, repo: GivenRepo): Promise<string[]> =>
  (await forge.as('alice').must('GET', `${repo.api}/tags`)).json.map((tag: { name: string }) => tag.name).toSorted()

const countOf = async (forge: Forge, repo: GivenRepo): Promise<number> =>
  (await forge.guest.must('GET', repo.api)).json.release_counter

test('repoCreateRelease: a refused request creates neither a tag nor a release', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const empty = await forge.given.repo({ auto_init: false })
  await forge.as('alice').must('POST', `${repo.api}/tag_protections`, {
    name_pattern: 'v*',
    whitelist_usernames: ['alice'],
  })
  const post = async (who: string, body: object, at = repo) =>
    (await forge.as(who).post(`${at.api}/releases`, body)).status
  assert.deepEqual(
    [
      (await forge.guest.post(`${repo.api}/releases`, { tag_name: 'x' })).status,
      await post('rita', { tag_name: 'x' }),
      await post('bob', { name: 'no tag' }),
      await post('bob', { tag_name: 'a..b' }),
      await post('bob', { tag_name: 'a..b', draft: true }),
      await post('bob', { tag_name: 'x', target_commitish: 'nowhere' }),
      await post('bob', { tag_name: 'v1' }),
      await post('alice', { tag_name: 'x' }, empty),
    ],
    [401, 403, 422, 422, 422, 404, 422, 422],
  )
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [[], 0])
  assert.deepEqual(await examined(forge.services, { only: ['references'] }), [])
})

test('repoGetRelease, repoGetReleaseByTag, repoListReleases, repoGetLatestRelease: drafts need write access', async () => {
  await using forge = await startForge({ standAt: Date.parse('2024-05-01T12:00:00Z') })
  const repo = await given(forge)
  const bob = forge.as('bob')
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'One' })
  const { json: draft } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v2', draft: true })
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v3-rc', prerelease: true })
  const seenBy = async (who: string) => {
    const answers = await Promise.all(
      ['', '?draft=true', '?q=V2', `/${draft.id}`, '/tags/V2', '/latest'].map((path) =>
        forge.as(who).get(`${repo.api}/releases${path}`),
      ),
    )
    return answers.map(({ status, json, headers }) =>
      status !== 200
        ? status
        : Array.isArray(json)
          ? [json.map((each) => each.tag_name).join(), headers.get('x-total-count')]
          : json.tag_name,
    )
  }
  assert.deepEqual(await seenBy('bob'), [['v3-rc,v2,v1', '3'], ['v2', '1'], ['v2', '1'], 'v2', 'v2', 'v1'])
  assert.deepEqual(await seenBy('rita'), [['v3-rc,v1', '2'], ['', '0'], ['', '0'], 404, 404, 'v1'])
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [['v1', 'v3-rc'], 2])
  const elsewhere = await forge.given.repo()
  assert.equal((await forge.as('alice').get(`${elsewhere.api}/releases/${draft.id}`)).status, 404)
})

test('repoListReleases: the number of statements does not depend on the page', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const cost = async () => {
    using queries = await countQueries(forge)
    assert.equal((await forge.as('rita').get(`${repo.api}/releases`)).status, 200)
    return queries.count
  }
  await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'v0' })
  await cost()
  const one = await cost()
  for (const tag of ['v1', 'v2', 'v3']) await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: tag })
  assert.equal(await cost(), one)
})

test('repoCreateRelease: one of eight concurrent releases of a tag succeeds, also with drafts and other letter case', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const attempts = ['v1', 'V1', 'v1', 'V1', 'v1', 'V1', 'v1', 'v1'].map((tag_name, index) =>
    forge.as('bob').post(`${repo.api}/releases`, { tag_name, draft: index % 3 === 2 }),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(byNumber), [201, 409, 409, 409, 409, 409, 409, 409])
  const { json: releases } = await forge.as('bob').must('GET', `${repo.api}/releases`)
  assert.equal(releases.length, 1)
  assert.deepEqual(await tagsOf(forge, repo), releases[0].draft ? [] : [releases[0].tag_name])
  assert.equal(await countOf(forge, repo), releases[0].draft ? 0 : 1)
})

test('repoCreateRelease: a release is made in the transaction that makes its tag', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const { services } = forge
  const row = await services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const head = (await forge.guest.must('GET', `${repo.api}/branches/main`)).json.commit.id as Oid
  const doerId = (await forge.account('bob')).user.id
  const made = { ref: tagRef('v1'), old: zeroOid(), new: head }
  const effect = releaseTagEffect({ tagName: 'v1', doerId, fields: { title: 'One', target: 'main' } })
  const origin = { doerId, via: 'api' } as const
  const failing = { effect: () => Promise.reject(new Error('a defect')) }
  await assert.rejects(moveRefs(services, codeOf(row), [made], origin, failing))
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [[], 0])
  assert.deepEqual(await moveRefs(services, codeOf(row), [made], origin, { effect }), { ok: true })
  assert.equal((await moveRefs(services, codeOf(row), [made], origin, { effect })).ok, false)
  const { json } = await forge.guest.must('GET', `${repo.api}/releases/tags/v1`)
  assert.deepEqual([json.name, json.author.login, await countOf(forge, repo)], ['One', 'bob', 1])
  assert.equal((await forge.as('bob').post(`${repo.api}/releases`, { tag_name: 'V1', draft: true })).status, 409)
  assert.equal((await eventsNamed(forge, 'release.published')).length, 1)
})

test('repoEditRelease: a draft is published together with its tag or not at all', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const bob = forge.as('bob')
  const { json: draft } = await bob.must('POST', `${repo.api}/releases`, {
    ...{ tag_name: 'v1', name: 'One', draft: true, target_commitish: 'nowhere' },
  })
  const edit = (body: object, who = bob) => who.patch(`${repo.api}/releases/${draft.id}`, body)
  assert.equal((await edit({ draft: false }, forge.as('rita'))).status, 403)
  assert.equal((await edit({ draft: false })).status, 404)
  assert.equal((await edit({ draft: false, tag_name: 'a b' })).status, 422)
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [[], 0])

  const published = await edit({ draft: false, target_commitish: 'main', body: 'Text' })
  assert.deepEqual(
    [published.status, published.json.name, published.json.body, published.json.draft],
    [200, 'One', 'Text', false],
  )
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [['v1'], 1])
  assert.equal((await edit({ name: '', body: '', tag_name: '' })).json.name, 'One')
  assert.equal((await edit({ tag_name: 'v2' })).json.tag_name, 'v2')
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [['v1', 'v2'], 1])
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  assert.equal((await edit({ tag_name: 'V1' })).status, 409)
  assert.equal((await edit({ draft: true })).json.draft, true)
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [['v1', 'v2'], 1])

  await forge.settle()
  const releaseId = draft.id
  const doerId = await idOf(forge, 'bob')
  const { id: repoId } = (await forge.guest.must('GET', repo.api)).json
  assert.deepEqual(await eventsNamed(forge, 'release.updated'), [
    { repoId, releaseId, doerId, isDraft: false, wasDraft: false, oldTagName: 'v1' },
    { repoId, releaseId, doerId, isDraft: true, wasDraft: false },
  ])
})

test('repoEditRelease, repoDeleteRelease: a release of a protected tag needs the rights of the tag', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const { json: release } = await alice.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  const { json: draft } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v2', draft: true })
  await alice.must('POST', `${repo.api}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['alice'] })
  const at = `${repo.api}/releases/${release.id}`
  assert.deepEqual(
    [
      (await bob.patch(at, { draft: true })).status,
      (await bob.patch(at, { tag_name: 'x' })).status,
      (await bob.delete(at)).status,
      (await bob.delete(`${repo.api}/releases/tags/v1`)).status,
      (await bob.patch(`${repo.api}/releases/${draft.id}`, { draft: false })).status,
      (await bob.patch(at, { body: 'a word' })).status,
      (await alice.patch(at, { draft: true })).status,
    ],
    [422, 422, 422, 422, 422, 200, 200],
  )
})

test('repoDeleteRelease, repoDeleteReleaseByTag: the tag stays and can get another release', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const bob = forge.as('bob')
  const { json: one } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1', name: 'One' })
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v2' })
  assert.equal((await forge.as('rita').delete(`${repo.api}/releases/${one.id}`)).status, 403)
  const at = await Promise.all([1, 2, 3].map(() => bob.delete(`${repo.api}/releases/${one.id}`)))
  assert.deepEqual(at.map(({ status }) => status).toSorted(byNumber), [204, 404, 404])
  assert.equal((await bob.delete(`${repo.api}/releases/tags/V2`)).status, 204)
  assert.equal((await bob.delete(`${repo.api}/releases/tags/v2`)).status, 404)
  assert.deepEqual([await tagsOf(forge, repo), await countOf(forge, repo)], [['v1', 'v2'], 0])
  const { json: again } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  assert.deepEqual([again.name, await countOf(forge, repo)], ['', 1])
  const [deleted] = await eventsNamed(forge, 'release.deleted')
  assert.deepEqual([deleted?.['title'], deleted?.['tagName'], deleted?.['isDraft']], ['One', 'v1', false])
})

test('repoDeleteTag: a tag with a release cannot be deleted; a push that deletes it makes the release a draft', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  const bob = forge.as('bob')
  await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  assert.equal((await bob.delete(`${repo.api}/tags/v1`)).status, 409)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'ingot-release-'))
  const git = (...args: string[]) => run('git', ['-C', folder.path, ...args])
  await git('init', '-q')
  await git('push', '-q', await forge.gitUrl('bob', repo.fullName), ':refs/tags/v1')
  const { json } = await bob.must('GET', `${repo.api}/releases/tags/v1`)
  assert.deepEqual([json.draft, await tagsOf(forge, repo), await countOf(forge, repo)], [true, [], 0])
  assert.equal((await forge.guest.get(`${repo.api}/releases/tags/v1`)).status, 404)
})

test('doctor: a wrong number of releases is found and repaired', async () => {
  await using forge = await startForge()
  const repo = await given(forge)
  await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'v2', draft: true })
  assert.deepEqual(await examined(forge.services), [])
  await transaction(forge.services.db, (tx) => tx.updateTable('repo').set({ num_releases: 7 }).execute())
  assert.equal((await examined(forge.services, { fix: true, only: ['counters'] })).length, 1)
  assert.equal(await countOf(forge, repo), 1)
})
