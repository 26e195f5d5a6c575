import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { packageUsageOf, refusedTo, registryOf, storedFiles, tgzOf } from '../packages.test-support.ts'

async function formOf(about: object | string, field = 'tarball'): Promise<FormData> {
  const text = typeof about === 'string' ? about : JSON.stringify(about)
  const form = new FormData()
  form.set(field, new File([new Uint8Array(await tgzOf({ 'x/README': 'x', 'x/metadata.json': text }))], 'x.tgz'))
  return form
}

const api = 'chef/api/v1'

test('chefUpload: refuses callers without rights and archives without a cookbook, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const good = { name: 'tool', version: '1.0.0' }
  assert.deepEqual(await refusedTo(forge, 'POST', `${api}/cookbooks`, await formOf(good)), [401, 401])
  const bad = [await formOf('{'), await formOf({ version: '1.0.0' }), await formOf({ name: 'a b', version: '1.0.0' })]
  for (const form of [...bad, await formOf({ name: 'a/b', version: '1.0.0' }), await formOf(good, 'other')]) {
    const { status, json } = await alice('POST', `${api}/cookbooks`, form)
    assert.deepEqual([status, json.error_messages.length], [400, 1])
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('chefListCookbooks, chefSearch, chefUniverse, chefGetCookbook, chefGetVersion, chefDownload: knife and Berkshelf find and download cookbooks', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const dependencies = { other: '>= 1.0' }
  for (const [name, version] of [
    ['tool', '1.9.0'],
    ['tool', '1.10.0'],
    ['wide', '0.1.0'],
  ] as const) {
    const shared = await alice(
      'POST',
      `${api}/cookbooks`,
      await formOf({ name, version, dependencies, maintainer: 'A' }),
    )
    assert.equal(shared.status, 201)
  }
  assert.equal((await alice('POST', `${api}/cookbooks`, await formOf({ name: 'Tool', version: '1.9.0' }))).status, 409)
  const list = (await guest('GET', `${api}/cookbooks?start=1&items=1`)).json
  assert.deepEqual([list.total, list.start, list.items[0].cookbook_name], [2, 1, 'wide'])
  assert.equal((await guest('GET', `${api}/search?q=OO`)).json.items[0].cookbook_maintainer, 'A')
  const universe = (await guest('GET', `${api}/universe`)).json
  assert.deepEqual(universe.tool['1.9.0'].dependencies, dependencies)
  const { json } = await guest('GET', `${api}/cookbooks/tool`)
  assert.match(json.latest_version, /\/tool\/versions\/1\.10\.0$/)
  const version = (await guest('GET', `${api}/cookbooks/tool/versions/1_9_0`)).json
  assert.equal((await (await fetch(version.file)).arrayBuffer()).byteLength, version.tarball_file_size)
  assert.equal((await guest('GET', `${api}/cookbooks/tool/versions/9.0.0/download`)).status, 404)
})

test('chefDeleteVersion, chefDeleteCookbook: cookbooks are deleted completely', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
    await alice('POST', `${api}/cookbooks`, await formOf({ name: 'tool', version }))
  }
  assert.deepEqual(await refusedTo(forge, 'DELETE', `${api}/cookbooks/tool`), [401, 401])
  assert.equal((await alice('DELETE', `${api}/cookbooks/tool/versions/1.0.0`)).status, 200)
  assert.equal((await alice('DELETE', `${api}/cookbooks/tool/versions/1.0.0`)).status, 404)
  assert.equal((await alice('DELETE', `${api}/cookbooks/tool`)).status, 200)
  assert.equal((await alice('DELETE', `${api}/cookbooks/tool`)).status, 404)
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  assert.deepEqual(await examined(forge.services), [])
})
