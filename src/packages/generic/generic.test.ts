import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { examined } from '../../testing/doctor.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { packageUsageOf, registryOf, storedFiles } from '../packages.test-support.ts'

test('genericUpload: refuses callers without rights and invalid names, and stores nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { json: readOnly } = await forge
    .as('root')
    .must(
      'POST',
      '/users/alice/tokens',
      { name: 'reading', scopes: ['read:package'] },
      { headers: { authorization: basicAuthorization('alice', testPassword) } },
    )
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = await registryOf(forge.guest, 'alice')('PUT', 'generic/tool/1/f', 'x')
  assert.deepEqual([guest.status, guest.headers.get('www-authenticate')?.startsWith('Basic realm="')], [401, true])
  assert.equal((await registryOf(forge.as('bob'), 'alice')('PUT', 'generic/tool/1/f', 'x')).status, 401)
  const asReader = { authorization: `token ${readOnly.sha1}` }
  assert.equal((await alice('PUT', 'generic/tool/1/f', 'x', asReader)).status, 401)
  assert.equal((await alice('PUT', 'generic/tool/1/f', 'x', { authorization: 'token wrong' })).status, 401)
  // A missing owner gets the same reply as a hidden one.
  assert.equal((await registryOf(forge.as('alice'), 'nobody')('PUT', 'generic/tool/1/f', 'x')).status, 401)
  for (const path of [
    '-/1/f',
    'a%20b/1/f',
    'caf%C3%A9/1/f',
    'a%2Fb/1/f',
    'tool/%20v/f',
    'tool/1%0A2/f',
    `tool/${'1'.repeat(256)}/f`,
    'tool/1/%C3%A9',
    'tool/1/x%2Fy',
    'tool/1/..%2F..%2Fy',
    'tool/1/f%20',
    'tool/1/a%0D%0Ab',
  ]) {
    assert.equal((await alice('PUT', `generic/${path}`, 'x')).status, 400, path)
  }
  assert.deepEqual(await storedFiles(forge), [])
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
})

test('genericUpload, genericDownload: a file is served whole, by range and conditionally', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  assert.equal((await alice('PUT', 'generic/Tool/v 1 (x)/a [b]@#.bin'.replace('#', '%23'), 'some content')).status, 201)
  const path = 'generic/tOOL/V 1 (x)/A [b]@%23.bin'
  const whole = await guest('GET', path)
  assert.deepEqual([whole.status, whole.text], [200, 'some content'])
  assert.equal(
    whole.headers.get('content-disposition'),
    `attachment; filename="a [b]@#.bin"; filename*=UTF-8''a%20%5Bb%5D%40%23.bin`,
  )
  assert.ok(whole.headers.get('last-modified'))
  const part = await guest('GET', path, undefined, { range: 'bytes=5-8' })
  assert.deepEqual([part.status, part.text, part.headers.get('content-range')], [206, 'cont', 'bytes 5-8/12'])
  assert.equal((await guest('GET', path, undefined, { range: 'bytes=12-' })).status, 416)
  const same = await guest('GET', path, undefined, { 'if-none-match': whole.headers.get('etag') ?? '' })
  assert.equal(same.status, 304)
  assert.equal((await guest('GET', 'generic/tool/v 1 (x)/none')).status, 404)
  const { download_count: downloads } = await forge.services.db
    .selectFrom('package_version')
    .select('download_count')
    .executeTakeFirstOrThrow()
  assert.equal(downloads, 2)
})

test("genericUpload: a form's first file counts, and an empty file is accepted", async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const form = new FormData()
  form.set('note', 'text')
  form.set('file', new File(['from a form'], 'other.txt'))
  form.set('more', new File(['another'], 'more.txt'))
  assert.equal((await alice('PUT', 'generic/tool/1/form.txt', form)).status, 201)
  assert.equal((await alice('GET', 'generic/tool/1/form.txt')).text, 'from a form')
  const bare = new FormData()
  bare.set('note', 'text')
  assert.equal((await alice('PUT', 'generic/tool/1/none', bare)).status, 400)
  assert.equal((await alice('PUT', 'generic/tool/1/empty', '')).status, 201)
  assert.equal((await alice('GET', 'generic/tool/1/empty')).bytes.length, 0)
  assert.equal((await storedFiles(forge)).length, 2)
})

test('genericUpload: the limits of the settings hold for all but administrators', async () => {
  await using forge = await startForge({
    settings: { packages: { LIMIT_SIZE_GENERIC: '10', LIMIT_TOTAL_OWNER_SIZE: '15', LIMIT_TOTAL_OWNER_COUNT: 2 } },
  })
  const alice = registryOf(forge.as('alice'), 'alice')
  const form = new FormData()
  form.set('file', new File(['x'.repeat(11)], 'f'))
  assert.equal((await alice('PUT', 'generic/tool/1/f', 'x'.repeat(11))).status, 403)
  assert.equal((await alice('PUT', 'generic/tool/1/f', form)).status, 403)
  assert.equal((await alice('PUT', 'generic/tool/1/f', 'x'.repeat(10))).status, 201)
  assert.equal((await alice('PUT', 'generic/tool/1/g', 'y'.repeat(6))).status, 403, 'too many bytes of the owner')
  assert.equal((await alice('PUT', 'generic/tool/2/f', 'y')).status, 201)
  assert.equal((await alice('PUT', 'generic/tool/3/f', '')).status, 403, 'too many versions of the owner')
  assert.equal((await registryOf(forge.as('root'), 'alice')('PUT', 'generic/tool/3/f', 'x'.repeat(20))).status, 201)
  assert.equal((await storedFiles(forge)).length, 3)
  assert.deepEqual(await examined(forge.services), [])
})

test('genericUpload: an owner over quota receives no packages from anyone', async () => {
  await using forge = await startForge({
    users: ['bob'],
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: '10' } },
  })
  const org = await forge.given.org()
  const alice = registryOf(forge.as('alice'), 'alice')
  assert.equal((await alice('PUT', 'generic/tool/1/f', 'x'.repeat(11))).status, 201)
  assert.equal((await alice('PUT', 'generic/tool/1/g', 'x')).status, 413)
  assert.equal((await registryOf(forge.as('root'), 'alice')('PUT', 'generic/tool/1/g', 'x')).status, 413)
  assert.equal((await registryOf(forge.as('alice'), org)('PUT', 'generic/tool/1/g', 'x')).status, 201)
  assert.equal((await registryOf(forge.as('bob'), 'bob')('PUT', 'generic/tool/1/g', 'x')).status, 201)
  assert.equal((await alice('GET', 'generic/tool/1/f')).status, 200)
})

test('genericUpload: one of several concurrent uploads of a file succeeds; uploads of different files all do', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const same = await Promise.all(
    Array.from({ length: 8 }, (_, index) => alice('PUT', 'generic/tool/1/f', `content ${index}`)),
  )
  assert.deepEqual(
    same.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array<number>(7).fill(409)],
  )
  const others = await Promise.all(
    Array.from({ length: 8 }, (_, index) => alice('PUT', `generic/${index % 2 ? 'TOOL' : 'more'}/1/f${index}`, 'same')),
  )
  assert.deepEqual([...new Set(others.map(({ status }) => status))], [201])
  assert.equal((await storedFiles(forge)).length, 2, 'one content is stored once')
  assert.equal(await packageUsageOf(forge, 'alice'), 'content 0'.length + 8 * 'same'.length)
  assert.equal((await eventsNamed(forge, 'package.created')).length, 2, 'once for each version')
  assert.deepEqual(await examined(forge.services), [])
})

test('genericUpload, genericDeleteVersion: concurrent uploads and deletions leave a whole version or none', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  for (let round = 0; round < 6; round += 1) {
    const replies = await Promise.all(
      [0, 1, 2, 3].flatMap((index) => [
        alice('PUT', `generic/tool/1/f${index}`, 'same'),
        alice('DELETE', index % 2 ? 'generic/tool/1' : `generic/tool/1/f${index}`),
      ]),
    )
    for (const { status } of replies) assert.ok([201, 204, 404, 409].includes(status), `answered ${status}`)
  }
  const files = await forge.as('alice').get('/packages/alice/generic/tool/1/files')
  const left = files.status === 200 ? (files.json as { name: string }[]) : []
  for (const { name } of left) assert.equal((await alice('GET', `generic/tool/1/${name}`)).text, 'same')
  assert.equal(await packageUsageOf(forge, 'alice'), left.length * 'same'.length)
  assert.deepEqual(await examined(forge.services), [])
})

test('genericUpload: an interrupted upload stores nothing, and the next one succeeds', async () => {
  await using forge = await startForge()
  const { token } = await forge.account('alice')
  const content = 'x'.repeat(1 << 20)
  const broken = request(`${forge.url}/api/packages/alice/generic/tool/1/f`, {
    method: 'PUT',
    headers: { authorization: `token ${token}`, 'content-length': content.length },
  })
  broken.on('error', () => undefined)
  broken.write(content.slice(0, 300_000))
  await wait(100)
  broken.destroy()
  const alice = registryOf(forge.as('alice'), 'alice')
  assert.equal((await alice('PUT', 'generic/tool/1/f', content)).status, 201)
  assert.equal((await storedFiles(forge)).length, 1)
})

test('genericUpload: an incomplete form is refused and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  const whole = `${head}content\r\n--b--\r\n`
  for (const length of [whole.length - 12, head.length + 3, head.length - 2, 2, 0]) {
    const { status } = await alice('PUT', 'generic/tool/1/f', whole.slice(0, length), type)
    assert.ok(status === 400 || status === 422, `${length} bytes: ${status}`)
  }
  assert.deepEqual(await storedFiles(forge), [])
  assert.equal((await alice('PUT', 'generic/tool/1/f', whole, type)).status, 201)
  assert.equal((await alice('GET', 'generic/tool/1/f')).text, 'content')
})

test('genericUpload: an upload restores a content whose stored file is lost', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  await alice('PUT', 'generic/tool/1/f', 'content')
  for (const key of await storedFiles(forge)) await forge.services.blobs.packages.delete(key)
  assert.equal((await examined(forge.services)).length, 1)
  assert.equal((await alice('PUT', 'generic/tool/2/f', 'content')).status, 201)
  assert.equal((await alice('GET', 'generic/tool/1/f')).text, 'content')
  assert.deepEqual(await examined(forge.services), [])
})

test('genericDeleteFile, genericDeleteVersion: deleting the last file deletes its version; contents that other files use stay', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  const bob = registryOf(forge.as('bob'), 'bob')
  for (const path of ['1/a', '1/b', '2/a']) await alice('PUT', `generic/tool/${path}`, 'same')
  await bob('PUT', 'generic/mine/1/a', 'same')
  assert.equal((await registryOf(forge.guest, 'alice')('DELETE', 'generic/tool/1/a')).status, 401)
  assert.equal((await registryOf(forge.as('bob'), 'alice')('DELETE', 'generic/tool/1')).status, 401)
  assert.deepEqual(
    [
      (await alice('DELETE', 'generic/tool/1/a')).status,
      (await alice('DELETE', 'generic/tool/1/a')).status,
      (await alice('DELETE', 'generic/tool/1/b')).status,
      (await alice('DELETE', 'generic/tool/1/b')).status,
      (await alice('DELETE', 'generic/tool/2')).status,
      (await alice('DELETE', 'generic/tool/2')).status,
    ],
    [204, 404, 204, 404, 204, 404],
  )
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
  assert.equal((await bob('GET', 'generic/mine/1/a')).text, 'same')
  assert.deepEqual([await packageUsageOf(forge, 'alice'), await packageUsageOf(forge, 'bob')], [0, 4])
  assert.deepEqual(await examined(forge.services), [])
})
