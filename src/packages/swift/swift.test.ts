import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles, zipOf } from '../packages.test-support.ts'

const archive = zipOf({ 'tool/Package.swift': '// usual', 'tool/Package@swift-5.6.swift': '// older' })

function formOf(content: Buffer | undefined, metadata?: string): FormData {
  const form = new FormData()
  if (content) form.set('source-archive', new File([new Uint8Array(content)], 'x.zip'))
  if (metadata !== undefined) form.set('metadata', metadata)
  return form
}

test('swiftLogin, swiftPublish: refuses callers without rights and invalid packages, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  assert.equal((await alice('POST', 'swift/login')).status, 200)
  assert.equal((await registryOf(forge.guest, 'alice')('POST', 'swift/login')).status, 401)
  assert.deepEqual(await refusedTo(forge, 'PUT', 'swift/s/tool/1.0.0', formOf(archive)), [401, 401])
  for (const path of ['-s/tool/1.0.0', 's/tool-/1.0.0', 's/..%2Fx/1.0.0', 's/tool/one']) {
    assert.equal((await alice('PUT', `swift/${path}`, formOf(archive))).status, 400, path)
  }
  const bad = [formOf(undefined, '{}'), formOf(Buffer.from('x')), formOf(zipOf({ x: 'x' })), formOf(archive, '{')]
  for (const form of bad) assert.equal((await alice('PUT', 'swift/s/tool/1.0.0', form)).json.status, 400)
  assert.deepEqual(await storedFiles(forge), [])
})

test('swiftListReleases, swiftGetRelease, swiftManifest, swiftIdentifiers: the package manager gets releases, manifests and identifiers', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const about = JSON.stringify({ description: 'small', author: { givenName: 'A' }, repositoryURLs: ['https://x/y'] })
  assert.equal((await alice('PUT', 'swift/s/tool/1.10.0', formOf(archive, about))).headers.get('content-version'), '1')
  assert.equal((await alice('PUT', 'swift/s/tool/1.9.0', formOf(archive))).status, 201)
  assert.equal((await alice('PUT', 'swift/S/tool/1.9.0', formOf(archive))).status, 409)
  const releases = await guest('GET', 'swift/s/tool')
  assert.deepEqual(Object.keys(releases.json.releases), ['1.9.0', '1.10.0'])
  assert.match(releases.headers.get('link') ?? '', /\/swift\/s\/tool\/1\.10\.0>; rel="latest-version"/)
  assert.equal((await guest('GET', 'swift/s/tool', undefined, { accept: 'text/html' })).status, 400)
  const { json } = await guest('GET', 'swift/s/tool/1.10.0')
  assert.deepEqual([json.id, json.resources[0].checksum], ['s.tool', digest('sha256', archive)])
  assert.deepEqual(json.metadata.author, { '@type': 'Person', givenName: 'A', familyName: '' })
  const got = await guest('GET', 'swift/s/tool/1.10.0.zip')
  assert.deepEqual([got.bytes, got.headers.get('digest')], [archive, `sha256=${digest('sha256', archive)}`])
  const manifest = 'swift/s/tool/1.10.0/Package.swift'
  assert.equal((await guest('GET', manifest)).text, '// usual')
  assert.equal((await guest('GET', `${manifest}?swift-version=5.6`)).text, '// older')
  const lead = await guest('GET', `${manifest}?swift-version=constructor`)
  assert.deepEqual([lead.status, lead.headers.get('location')?.endsWith('/1.10.0/Package.swift')], [303, true])
  assert.deepEqual((await guest('GET', 'swift/identifiers?url=https://x/y')).json.identifiers, ['s.tool'])
  assert.equal((await guest('GET', 'swift/identifiers?url=__proto__')).status, 404)
  assert.equal((await guest('GET', 'swift/identifiers')).status, 400)
  assert.deepEqual(await examined(forge.services), [])
})
