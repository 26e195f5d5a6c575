import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles, tgzOf } from '../packages.test-support.ts'

async function formOf(pubspec: string): Promise<FormData> {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(await tgzOf({ 'README.md': '#', 'pubspec.yaml': pubspec }))], 'x.tar.gz'))
  return form
}

test('pubUpload: refuses callers without rights and archives without a package, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const path = 'pub/api/packages/versions/new/upload'
  assert.deepEqual(await refusedTo(forge, 'POST', path, await formOf('name: tool\nversion: 1.0.0\n')), [401, 401])
  for (const pubspec of ['{', 'text', 'version: 1.0.0', 'name: 1-x\nversion: 1.0.0', 'name: tool\nversion: one']) {
    const { status, json } = await alice('POST', path, await formOf(pubspec))
    assert.deepEqual([status, typeof json.error.code], [400, 'string'], pubspec)
  }
  const other = new FormData()
  other.set('file', new File(['nothing'], 'x'))
  assert.equal((await alice('POST', path, other)).status, 400)
  assert.deepEqual(await storedFiles(forge), [])
})

test('pubNewVersion, pubUpload, pubFinalize, pubListVersions, pubGetVersion, pubDownload: dart pub publishes and downloads', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  assert.deepEqual(await refusedTo(forge, 'GET', 'pub/api/packages/versions/new'), [401, 401])
  const { url } = (await alice('GET', 'pub/api/packages/versions/new')).json
  for (const version of ['1.10.0', '1.9.0', '2.0.0-dev']) {
    const { token } = await forge.account('alice')
    const headers = { authorization: `Bearer ${token}` }
    const uploaded = await fetch(url, {
      method: 'POST',
      headers,
      body: await formOf(`name: tool\nversion: ${version}\n`),
    })
    assert.equal(uploaded.status, 204)
    const finished = await fetch(uploaded.headers.get('location') ?? '', { headers })
    assert.deepEqual(await finished.json(), { success: { message: '' } })
  }
  const listed = await guest('GET', 'pub/api/packages/tool')
  assert.equal(listed.headers.get('content-type'), 'application/vnd.pub.v2+json')
  assert.equal(listed.json.latest.version, '1.10.0')
  assert.deepEqual(
    listed.json.versions.map((each: { version: string }) => each.version),
    ['1.9.0', '1.10.0', '2.0.0-dev'],
  )
  const archive = Buffer.from(await (await fetch(listed.json.latest.archive_url)).arrayBuffer())
  assert.equal(digest('sha256', archive), listed.json.latest.archive_sha256)
  assert.equal((await guest('GET', 'pub/api/packages/tool/1.9.0')).json.pubspec.name, 'tool')
  assert.equal((await guest('GET', 'pub/api/packages/tool/9.0.0')).status, 404)
  assert.equal((await alice('GET', 'pub/api/packages/versions/new/finalize/tool/9.0.0')).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})
