import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles, tgzOf } from '../packages.test-support.ts'

test('vagrantAuthenticate, vagrantUpload: refuses callers without rights and invalid boxes, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const box = await tgzOf({ 'metadata.json': '{"provider":"x"}' })
  assert.equal((await registryOf(forge.guest, 'alice')('GET', 'vagrant/authenticate')).json.errors.length, 1)
  assert.equal((await alice('GET', 'vagrant/authenticate')).status, 200)
  assert.deepEqual(await refusedTo(forge, 'PUT', 'vagrant/tool/1.0.0/x.box', box), [401, 401])
  for (const path of ['tool/one/x.box', 'tool/1.0.0/x.zip', '..%2Fx/1.0.0/x.box', 'tool/1.0.0/..%2Fx.box']) {
    assert.equal((await alice('PUT', `vagrant/${path}`, box)).status, 400, path)
  }
  assert.equal((await alice('PUT', 'vagrant/tool/1.0.0/x.box', 'nothing')).status, 400)
  assert.equal((await alice('PUT', 'vagrant/tool/1.0.0/x.box', box.subarray(0, -20))).status, 400)
  const broken = await tgzOf({ 'metadata.json': '{}', 'info.json': '{' })
  assert.equal((await alice('PUT', 'vagrant/tool/1.0.0/x.box', broken)).status, 400)
  assert.deepEqual(await storedFiles(forge), [])
})

test('vagrantUpload, vagrantMetadata, vagrantDownload: a version has one file per provider', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const box = await tgzOf({ 'metadata.json': '{}', 'info.json': '{"description":"small"}' })
  for (const path of ['1.10.0/a.box', '1.9.0/a.box', '1.10.0/b.box']) {
    assert.equal((await alice('PUT', `vagrant/tool/${path}`, box)).status, 201)
  }
  assert.equal((await alice('PUT', 'vagrant/tool/1.10.0/a.box', box)).status, 409)
  assert.equal((await guest('HEAD', 'vagrant/tool')).status, 200)
  assert.equal((await guest('HEAD', 'vagrant/none')).status, 404)
  const { json } = await guest('GET', 'vagrant/tool')
  assert.deepEqual([json.description, json.versions.length], ['small', 2])
  const [provider, other] = json.versions[1].providers
  assert.deepEqual([provider.name, other.name, provider.checksum], ['a', 'b', digest('sha512', box)])
  assert.deepEqual(Buffer.from(await (await fetch(provider.url)).arrayBuffer()), box)
  assert.deepEqual(await examined(forge.services), [])
})
