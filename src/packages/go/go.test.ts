import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { refusedTo, registryOf, storedFiles, zipOf } from '../packages.test-support.ts'

const moduleZip = (name: string, version: string, more: Record<string, string> = {}) =>
  zipOf({ [`${name}@${version}/x.go`]: 'package x\n', ...more })

test('goUpload: refuses callers without rights and archives without a module, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const whole = moduleZip('example.com/tool', 'v1.0.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', 'go/upload', whole), [401, 401])
  const bomb = { 'example.com/tool@v1.0.0/go.mod': 'x'.repeat(17 << 20) }
  const bad: [string, Buffer][] = [
    ['no archive', Buffer.from('nothing')],
    ['half of one', whole.subarray(0, -30)],
    ['an empty one', zipOf({})],
    ['no module', zipOf({ 'x.go': 'package x' })],
    ['two modules', moduleZip('example.com/tool', 'v1.0.0', { 'other@v1.0.0/x.go': 'x' })],
    ['a file above', moduleZip('example.com/tool', 'v1.0.0', { 'example.com/tool@v1.0.0/../../x': 'x' })],
    ['a path above', moduleZip('../tool', 'v1.0.0')],
    ['a version', moduleZip('example.com/tool', '1.0.0')],
    ['part of a version', moduleZip('example.com/tool', 'v1.0')],
    ['a large go.mod', moduleZip('example.com/tool', 'v1.0.0', bomb)],
  ]
  for (const [what, archive] of bad) assert.equal((await alice('PUT', 'go/upload', archive)).status, 400, what)
  assert.deepEqual(await storedFiles(forge), [])
})

test('goUpload, goListVersions, goLatest, goFile: the go command gets lists, versions and archives', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const name = 'example.com/Ada/tool'
  const goMod = { [`${name}@v1.10.0/go.mod`]: 'module example.com/Ada/tool\n\ngo 1.20\n' }
  for (const archive of [
    moduleZip(name, 'v1.10.0', goMod),
    moduleZip(name, 'v1.9.0'),
    moduleZip(name, 'v2.0.0-rc.1'),
  ]) {
    assert.equal((await alice('PUT', 'go/upload', archive)).status, 201)
  }
  assert.equal((await alice('PUT', 'go/upload', moduleZip(name, 'v1.9.0'))).status, 409)
  const below = 'go/example.com/!ada/tool'
  assert.equal((await guest('GET', `${below}/@v/list`)).text, 'v1.9.0\nv1.10.0\nv2.0.0-rc.1\n')
  assert.equal((await guest('GET', `${below}/@latest`)).json.Version, 'v1.10.0')
  assert.equal((await guest('GET', `${below}/@v/v1.10.0.mod`)).text, goMod[`${name}@v1.10.0/go.mod`])
  assert.equal((await guest('GET', `${below}/@v/v1.9.0.mod`)).text, `module ${name}\n`)
  assert.deepEqual((await guest('GET', `${below}/@v/v1.9.0.zip`)).bytes, moduleZip(name, 'v1.9.0'))
  for (const path of ['@v/v9.0.0.info', '@v/v1.9.0.txt', '@v/none']) {
    assert.equal((await guest('GET', `${below}/${path}`)).status, 404, path)
  }
  assert.equal((await guest('GET', 'go/example.com/none/@v/list')).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})
