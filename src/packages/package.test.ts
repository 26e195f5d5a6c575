import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { addToUsage } from '../access/quota/usage.store.ts'
import { transaction } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import { countQueries } from '../testing/count-queries.ts'
import { examined } from '../testing/doctor.ts'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { insertBlob } from './content/blob.store.ts'
import { insertPackage } from './package.store.ts'
import { digest, packageUsageOf, registryOf, storedFiles } from './packages.test-support.ts'

const publish = async (
  forge: Forge,
  path: string,
  content: string,
  { owner = 'alice', as }: { readonly owner?: string; readonly as?: string } = {},
) => {
  const reply = await registryOf(forge.as(as ?? owner), owner)('PUT', `generic/${path}`, content)
  assert.equal(reply.status, 201, reply.text)
}

test('genericUpload, listPackages: with packages off, registries are closed and the list remains', async () => {
  await using forge = await startForge({ settings: { packages: { ENABLED: false } } })
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
  assert.equal((await registryOf(forge.as('alice'), 'alice')('PUT', 'generic/a/1/f', 'x')).status, 404)
})

test('getPackage: a hidden owner gets the same reply with and without the package', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await publish(forge, 'tool/1/f', 'x')
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, visibility: 'private' })
  for (const client of [forge.guest, forge.as('bob')]) {
    for (const path of ['', '/generic/tool/1', '/generic/nothing/1', '/generic/tool/1/files']) {
      assert.equal((await client.get(`/packages/alice${path}`)).status, 404, path)
    }
    const get = registryOf(client, 'alice')
    assert.deepEqual(
      [(await get('GET', 'generic/tool/1/f')).status, (await get('GET', 'generic/no/1/f')).status],
      [401, 401],
    )
  }
  assert.equal((await forge.as('alice').get('/packages/alice/generic/nothing/1')).status, 404)
})

test('listPackages: versions are listed newest first, by type, by part of the name and in pages', async () => {
  await using forge = await startForge({ users: ['bob'], standAt: Date.UTC(2026, 0, 1) })
  for (const path of ['alpha/1.0/f', 'alpha/1.1/f', 'be_ta/0.1/f']) {
    await publish(forge, path, path)
    forge.clock.advance(1000)
  }
  const names = async (query = '') => {
    const { json, headers } = await forge.as('bob').must('GET', `/packages/alice${query}`)
    const shown = json.map((each: { name: string; version: string }) => `${each.name} ${each.version}`)
    return [headers.get('x-total-count'), ...shown]
  }
  assert.deepEqual(await names(), ['3', 'be_ta 0.1', 'alpha 1.1', 'alpha 1.0'])
  assert.deepEqual(await names('?type=generic&q=ALP'), ['2', 'alpha 1.1', 'alpha 1.0'])
  assert.deepEqual(await names('?q=e_t'), ['1', 'be_ta 0.1'])
  assert.deepEqual(await names('?q=%25'), ['0'])
  assert.deepEqual(await names('?type=npm'), ['0'])
  assert.deepEqual(await names('?type=floppy'), ['0'])
  assert.deepEqual(await names('?limit=2&page=2'), ['3', 'alpha 1.0'])
})

test('listPackages: the number of queries does not depend on the number of versions', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const queryCount = async () => {
    using queries = await countQueries(forge)
    await forge.as('alice').must('GET', '/packages/alice?limit=50')
    return queries.count
  }
  await publish(forge, 'tool/1/f', 'x')
  await forge.as('alice').must('POST', `/packages/alice/generic/tool/-/link/${repo.name}`)
  const one = await queryCount()
  for (let version = 2; version <= 12; version += 1) await publish(forge, `tool/${version}/f`, 'x')
  assert.equal(await queryCount(), one)
})

test('getPackage, listPackageFiles: names keep their first spelling, and files have digests', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await publish(forge, 'Tool/1.0-A/b.bin', 'second')
  await publish(forge, 'tOOL/1.0-a/a.txt', 'first')
  const { json } = await forge.guest.must('GET', '/packages/Alice/generic/TOOL/1.0-a')
  assert.deepEqual(
    [json.name, json.version, json.type, json.repository, json.creator.login, json.owner.login],
    ['Tool', '1.0-A', 'generic', null, 'alice', 'alice'],
  )
  assert.equal(json.html_url, `${forge.url}/alice/-/packages/generic/tool/1.0-a`)
  const files = (await forge.as('bob').must('GET', '/packages/alice/generic/tool/1.0-A/files')).json
  assert.deepEqual(
    files.map(({ id: _id, ...file }: { id: number }) => file),
    [
      ['b.bin', 'second'],
      ['a.txt', 'first'],
    ].map(([name = '', content = '']) => ({
      Size: content.length,
      name,
      ...Object.fromEntries(['md5', 'sha1', 'sha256', 'sha512'].map((each) => [each, digest(each, content)])),
    })),
  )
  assert.equal((await forge.guest.get('/packages/alice/npm/tool/1.0-a')).status, 404)
})

test('deletePackage: refuses callers without rights; a deletion removes all rows and bytes and publishes one event', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await publish(forge, 'tool/1/a', 'twelve bytes')
  await publish(forge, 'tool/1/b', 'twelve bytes')
  await publish(forge, 'tool/2/c', 'x')
  assert.equal(await packageUsageOf(forge, 'alice'), 25)
  const path = '/packages/alice/generic/tool/1'
  assert.equal((await forge.guest.delete(path)).status, 401)
  assert.equal((await forge.as('bob').delete(path)).status, 403)
  assert.equal((await forge.as('alice').delete(path)).status, 204)
  assert.equal((await forge.as('alice').delete(path)).status, 404)
  assert.equal(await packageUsageOf(forge, 'alice'), 1)
  const ownerId = await idOf(forge, 'alice')
  const [event, ...more] = await eventsNamed(forge, 'package.deleted')
  assert.deepEqual(more, [])
  assert.deepEqual(
    [event?.['ownerId'], event?.['type'], event?.['name'], event?.['version'], event?.['creatorId']],
    [ownerId, 'generic', 'tool', '1', ownerId],
  )
  assert.equal((await eventsNamed(forge, 'package.created')).length, 2)
  await forge.as('root').must('DELETE', '/packages/alice/generic/tool/2')
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
  assert.deepEqual(await examined(forge.services), [])
})

test('linkPackage, unlinkPackage: links to a repository of the owner whose packages the caller may write', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo()
  const ofBob = await forge.given.repo({ owner: 'bob' })
  await publish(forge, 'tool/1/f', 'x')
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const link = (name: string, client = alice) => client.post(`/packages/alice/generic/tool/-/link/${name}`)
  const unlink = (client = alice) => client.post('/packages/alice/generic/tool/-/unlink')
  const linked = async (client = alice) =>
    (await client.must('GET', '/packages/alice/generic/tool/1')).json.repository?.full_name ?? null
  assert.equal((await unlink()).status, 400)
  assert.deepEqual([(await link('nothing')).status, (await link(ofBob.name)).status], [404, 404])
  assert.deepEqual([(await link(repo.name, bob)).status, (await link(repo.name, forge.guest)).status], [403, 401])
  assert.equal((await link(repo.name)).status, 201)
  assert.equal((await link(other.name)).status, 400)
  assert.deepEqual([await linked(), await linked(bob)], [repo.fullName, null])
  assert.equal((await unlink(bob)).status, 403)
  assert.equal((await unlink()).status, 204)
  assert.equal((await link(other.name)).status, 201)
  await alice.must('DELETE', other.api)
  assert.equal(await linked(), null)
  const moving = await forge.given.repo()
  assert.equal((await link(moving.name)).status, 201)
  await forge.as('root').must('POST', `${moving.api}/transfer`, { new_owner: 'bob' })
  assert.equal(await linked(), null, 'a repository of somebody else')
  assert.deepEqual(await examined(forge.services), [])
})

test('unlinkPackage: only administrators of an organization unlink its packages', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'home' })
  const team = { name: 'writers', permission: 'read', units_map: { 'repo.code': 'write', 'repo.packages': 'write' } }
  const { json } = await forge
    .as('alice')
    .must('POST', `/orgs/${org}/teams`, { ...team, includes_all_repositories: true })
  await forge.as('alice').must('PUT', `/teams/${json.id}/members/bob`)
  await publish(forge, 'tool/1/f', 'x', { owner: org, as: 'bob' })
  assert.equal((await forge.as('bob').post(`/packages/${org}/generic/tool/-/link/home`)).status, 201)
  assert.equal((await forge.as('bob').post(`/packages/${org}/generic/tool/-/unlink`)).status, 403)
  assert.equal((await forge.as('alice').post(`/packages/${org}/generic/tool/-/unlink`)).status, 204)
})

test('adminDeleteUser, orgDelete: an account with packages is refused; a purge removes them', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  await publish(forge, 'tool/1/f', 'x', { owner: 'bob' })
  await publish(forge, 'tool/1/f', 'x', { owner: org, as: 'alice' })
  assert.equal((await forge.as('alice').delete(`/orgs/${org}`)).status, 422)
  assert.equal((await forge.as('root').delete('/admin/users/bob')).status, 422)
  await forge.as('root').must('DELETE', '/admin/users/bob?purge=true')
  assert.equal((await forge.as('alice').must('GET', `/packages/${org}`)).json.length, 1)
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
})

test('cleanup_packages: unused contents and stored files without a row are deleted after a day', async () => {
  await using forge = await startForge({ standAt: Date.now() })
  await publish(forge, 'tool/1/a', 'one')
  await publish(forge, 'tool/1/b', 'two')
  await publish(forge, 'tool/2/a', 'one')
  assert.equal((await storedFiles(forge)).length, 2)
  // A crash between a file and its row leaves this.
  await forge.services.blobs.packages.put('aa/bb/stray', Readable.from(['stray']), { maxBytes: 10 })
  const alice = forge.as('alice')
  const cleanUp = async () => {
    await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
    await forge.settle()
  }
  await alice.must('DELETE', '/packages/alice/generic/tool/1')
  await cleanUp()
  assert.equal((await storedFiles(forge)).length, 3, 'not at once')
  forge.clock.advance(25 * 3_600_000)
  await cleanUp()
  assert.equal((await storedFiles(forge)).length, 1)
  assert.equal((await registryOf(alice, 'alice')('GET', 'generic/tool/2/a')).text, 'one')
})

test('ingot doctor: finds and repairs wrong counts of packages', async () => {
  await using forge = await startForge()
  await publish(forge, 'tool/1/a', 'twelve bytes')
  const { db } = forge.services
  const ownerId = (await idOf(forge, 'alice')) as UserId
  await transaction(db, async (tx) => {
    await addToUsage(tx, { ownerId }, 'packages', 5)
    await insertPackage(tx, {
      owner_id: ownerId,
      repo_id: null,
      type: 'generic',
      name: 'empty',
      lower_name: 'empty',
      created_unix: 1,
    })
    await insertBlob(tx, {
      sha256: 'a',
      sha512: 'a',
      sha1: 'a',
      md5: 'a',
      size_bytes: 1,
      blob_key: 'aa/bb/none',
      created_unix: 1,
      released_unix: null,
    })
  })
  const only = { only: ['packages'] }
  const wrong = await examined(forge.services, only)
  assert.deepEqual(
    wrong.map((line) => line.replaceAll(/\d+/g, 'n')),
    [
      'packages: package n has no version (fixable)',
      'packages: n stored contents of packages belong to no file (fixable)',
      'packages: account n: packages are n and should be n bytes (fixable)',
    ],
  )
  assert.equal((await examined(forge.services, { ...only, fix: true })).length, 3)
  assert.deepEqual(await examined(forge.services, only), [])
  assert.equal(await packageUsageOf(forge, 'alice'), 12)
})
