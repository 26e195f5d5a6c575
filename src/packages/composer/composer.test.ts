import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles, zipOf } from '../packages.test-support.ts'

const archive = (document: object, folder = '') =>
  zipOf({ 'other/deep/composer.json': '{}', [`${folder}composer.json`]: JSON.stringify(document) })

test('composerUpload: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = archive({ name: 'a/tool', version: '1.0.0' })
  assert.deepEqual(await refusedTo(forge, 'PUT', 'composer', whole), [401, 401])
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['half of one', whole.subarray(0, -10)],
    ['no description', zipOf({ x: 'x' })],
    ['no JSON', zipOf({ 'composer.json': '{' })],
    ['a list', zipOf({ 'composer.json': '[]' })],
    ['no version', archive({ name: 'a/tool' })],
    ['a version', archive({ name: 'a/tool', version: 'one' })],
    ['a name', archive({ name: '../tool', version: '1.0' })],
    ['a large description', archive({ name: 'a/tool', version: '1.0', x: 'x'.repeat(2 << 20) })],
  ]
  for (const [what, content] of bad) {
    const { status, json } = await alice('PUT', 'composer', content)
    assert.deepEqual([status, json.errors[0].status], [400, 400], what)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('composerServices, composerList, composerSearch, composerMetadata, composerDownload: Composer finds and downloads a package', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const put = async (query: string, content: Buffer) => (await alice('PUT', `composer${query}`, content)).status
  assert.equal(await put('?version=1.0.3', archive({ name: 'a/tool', license: 'MIT' }, 'tool-abc/')), 201)
  assert.equal(await put('?version=9', archive({ name: 'a/tool', version: '1.1.0', require: { php: '>=8' } })), 201)
  assert.equal(await put('', archive({ name: 'a/tool', version: '1.1.0' })), 409)
  assert.equal(await put('', archive({ name: 'a/tool', version: 'dev-main' })), 201)
  assert.equal(await put('', archive({ name: 'a/plug', version: '1.0', type: 'project' })), 201)
  const base = `${forge.url}/api/packages/alice/composer`
  assert.equal((await guest('GET', 'composer/packages.json')).json['metadata-url'], `${base}/p2/%package%.json`)
  assert.deepEqual((await guest('GET', 'composer/list.json')).json.packageNames, ['a/plug', 'a/tool'])
  const found = (await guest('GET', 'composer/search.json?per_page=1')).json
  assert.deepEqual([found.total, found.next], [2, `${base}/search.json?page=2&per_page=1&q=&type=`])
  assert.equal((await guest('GET', 'composer/search.json?type=project')).json.results[0].name, 'a/plug')
  const stable = (await guest('GET', 'composer/p2/a/tool.json')).json.packages['a/tool']
  assert.deepEqual(
    stable.map((each: { version: string }) => each.version),
    ['1.1.0', '1.0.3'],
  )
  const got = Buffer.from(await (await fetch(stable[1].dist.url)).arrayBuffer())
  assert.equal(digest('sha1', got), stable[1].dist.shasum)
  const development = (await guest('GET', 'composer/p2/a/tool~dev.json')).json.packages['a/tool']
  assert.equal(development[0].version, 'dev-main')
  assert.equal((await guest('GET', 'composer/p2/a/none.json')).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})
