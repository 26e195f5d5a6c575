import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles, TestRunner, workflow } from '../actions.test-support.ts'
import { cacheCalls } from './caches.test-support.ts'

const files = { '.gitea/workflows/a.yml': workflow('[push, pull_request]') }

async function begin(forge: Forge) {
  const repo = await forge.given.repo()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, files)
  return { repo, runner, task: await runner.must() }
}

const bytesOfLedger = async (forge: Forge) =>
  (await forge.services.db.selectFrom('usage').select('size_bytes').where('kind', '=', 'artifacts').executeTakeFirst())
    ?.size_bytes ?? 0

test('createCacheV2, uploadCacheV2, finalizeCacheV2, lookUpCacheV2, downloadCacheV2: keys, versions, refusals', async () => {
  await using forge = await startForge()
  const { runner, task } = await begin(forge)
  const { call, send, save, find } = cacheCalls(forge, task)
  for (const key of ['', 'a,b', 'x'.repeat(513)]) {
    assert.equal((await call('CreateCacheEntry', { key, version: 'v' })).status, 400, key)
  }
  assert.equal(await save('deps-1', 'one'), true)
  assert.equal(await save('deps-1', 'two'), false, 'an entry does not change')
  assert.equal(await save('deps-2', 'second'), true)
  assert.equal(await save('deps-2', 'other version', 'w'), true)
  assert.equal(await find(['deps-1']), 'deps-1 one')
  assert.equal(await find(['deps-9', 'none', 'deps-']), 'deps-2 second', 'the newest entry with the prefix')
  assert.equal(await find(['DEPS-1']), undefined)
  assert.equal(await find(['deps-%']), undefined)
  assert.equal(await find(['deps-2'], 'w'), 'deps-2 other version')
  assert.equal((await call('GetCacheEntryDownloadURL', { key: 'a', restore_keys: Array(10).fill('b') })).status, 400)
  const { signed_upload_url: up } = (await call('CreateCacheEntry', { key: 'parts', version: 'v' })).json
  assert.equal(
    (await call('CreateCacheEntry', { key: 'parts', version: 'v' })).json.ok,
    false,
    'an upload is under way',
  )
  assert.equal((await send('PUT', `${up}&comp=block&blockid=Mg%3D%3D`, 'two')).status, 201)
  assert.equal((await send('PUT', `${up}&comp=block&blockid=MQ%3D%3D`, 'one')).status, 201)
  const list = (...ids: string[]) => `<BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`
  assert.equal((await send('PUT', `${up}&comp=blocklist`, list('none'))).status, 400)
  assert.equal((await send('PUT', `${up}&comp=blocklist`, list('MQ==', 'Mg=='))).status, 201)
  assert.equal(await find(['parts']), undefined, 'the entry is not complete')
  const end = (size: number) => call('FinalizeCacheEntryUpload', { key: 'parts', version: 'v', size_bytes: size })
  assert.equal((await end(5)).status, 422)
  assert.equal((await end(6)).status, 200)
  assert.equal(await find(['parts']), 'parts onetwo')
  assert.equal((await send('PUT', up, 'x')).status, 401, 'a complete entry does not change')
  assert.equal((await send('GET', up.replace('UploadCache', 'DownloadCache'))).status, 401)
  assert.equal(await bytesOfLedger(forge), 3 + 6 + 13 + 6)
  await runner.finish(task)
  assert.equal((await call('CreateCacheEntry', { key: 'late', version: 'v' })).status, 401)
})

test('lookUpCacheV1, reserveCacheV1, uploadCacheV1, commitCacheV1: keys, ranges and refusals', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_CACHE: '1 KiB' } } })
  const { task } = await begin(forge)
  const { post, send } = cacheCalls(forge, task)
  const look = (keys: string) => send('GET', `/_apis/artifactcache/cache?keys=${keys}&version=v`)
  assert.equal((await look('a')).status, 204)
  const { cacheId } = (await post('caches', { key: 'a', version: 'v' })).json
  assert.equal((await post('caches', { key: 'a', version: 'v' })).status, 409)
  const part = (text: string, range: string) =>
    send('PATCH', `/_apis/artifactcache/caches/${cacheId}`, text, { 'content-range': range })
  assert.equal((await part('x', 'none')).status, 400)
  assert.equal((await part('def', 'bytes 3-5/*')).status, 204)
  assert.equal((await part('abc', 'bytes 0-2/*')).status, 204)
  assert.equal((await part('abc', 'bytes 0-2/*')).status, 204, 'the same part again')
  assert.equal((await part('x'.repeat(2000), 'bytes 6-2005/*')).status, 413)
  assert.equal((await post(`caches/${cacheId}`, { size: 7 })).status, 422)
  assert.equal((await post(`caches/${cacheId}`, { size: 6 })).status, 204)
  const { archiveLocation, cacheKey } = (await look('a')).json
  assert.equal(cacheKey, 'a')
  assert.equal(await (await fetch(archiveLocation)).text(), 'abcdef')
  assert.equal((await send('POST', `/_apis/artifactcache/caches/99999`, '{}')).status, 404)
})

test('a pull request reads the caches of its base branch and writes only its own; other repositories read none', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const { repo, runner, task } = await begin(forge)
  assert.equal(await cacheCalls(forge, task).save('deps', 'of main'), true)
  await runner.finish(task)
  await commitFiles(forge, repo.api, { b: '1' }, { newBranch: 'topic' })
  const push = await runner.must()
  const topic = cacheCalls(forge, push)
  assert.equal(await topic.find(['deps']), 'deps of main')
  assert.equal(await topic.save('deps', 'of topic'), true)
  assert.equal(await topic.find(['deps']), 'deps of topic', 'the own scope precedes')
  await runner.finish(push)
  await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'x' })
  await forge.settle()
  const pulled = await runner.must()
  const pull = cacheCalls(forge, pulled)
  assert.equal(await pull.find(['deps']), 'deps of main', 'caches of another reference are not readable')
  assert.equal(await pull.save('poison', 'by a pull request'), true)
  await runner.finish(pulled)
  await commitFiles(forge, repo.api, { c: '1' })
  const main = cacheCalls(forge, await runner.must())
  assert.equal(await main.find(['poison']), undefined)
  const other = await begin(forge)
  assert.equal(await cacheCalls(forge, other.task).find(['deps']), undefined)
})

test('listRepoCaches, deleteRepoCache: unused entries expire, and the least recently used are evicted at the limit', async () => {
  await using forge = await startForge({ users: ['bob'], settings: { ingot: { MAX_CACHES: '10 B' } } })
  const { repo, task } = await begin(forge)
  const { save, find } = cacheCalls(forge, task)
  await save('a', 'aaaa')
  forge.clock.advance(2000)
  await save('b', 'bbbb')
  forge.clock.advance(2000)
  await find(['a'])
  forge.clock.advance(2000)
  await save('c', 'cccc')
  const list = async () =>
    (await forge.as('alice').must('GET', `${repo.api}/actions/caches`)).json.actions_caches.map(
      (each: { key: string }) => each.key,
    )
  assert.deepEqual(await list(), ['c', 'a'])
  assert.equal(await bytesOfLedger(forge), 8)
  const [{ id }] = (await forge.as('alice').must('GET', `${repo.api}/actions/caches?key=c`)).json.actions_caches
  assert.equal((await forge.as('bob').delete(`${repo.api}/actions/caches/${id}`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${repo.api}/actions/caches/${id}`)).status, 204)
  assert.equal((await forge.as('alice').delete(`${repo.api}/actions/caches/${id}`)).status, 404)
  forge.clock.advance(8 * 86_400_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_actions')
  await forge.settle()
  assert.deepEqual(await list(), [])
  assert.equal(await bytesOfLedger(forge), 0)
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.actionsArtifacts.list('')) keys.push(key)
  assert.deepEqual(keys, [])
})
