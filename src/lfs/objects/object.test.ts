import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Forge } from '../../testing/forge.ts'
import { contentOf, LfsClient, lfsUsageOf, outcomes, startLfs, startObjectStorage } from '../lfs.test-support.ts'

/** Returns the files in the LFS store, without unfinished ones. */
async function storedFiles(forge: Forge): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.lfs.list('')) keys.push(key)
  return keys
}

test('lfsBatch, lfsUploadObject, lfsVerify: are 404 when LFS is off', async () => {
  await using forge = await startLfs({ settings: { server: { LFS_START_SERVER: false } } })
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('content')
  assert.equal((await alice.batch('upload', [content])).status, 404)
  assert.equal((await alice.put(content)).status, 404)
  assert.equal((await alice.send('POST', 'verify', content)).status, 404)
  assert.equal((await alice.send('GET', 'locks')).status, 404)
})

test('lfsUploadObject: content that differs from its pointer is refused and not kept', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('a content of some length')
  for (const [sent, why] of [
    [Buffer.from('b content of some length'), 'other bytes'],
    [Buffer.from('a content'), 'too few'],
    [Buffer.from('a content of some length and more'), 'too many'],
    [Buffer.alloc(0), 'none'],
  ] as const) {
    assert.equal((await alice.put(content, sent)).status, 422, why)
  }
  const malformed = [
    'nosuch/5',
    `${'A'.repeat(64)}/5`,
    ...['99999999999999999', '-1', 'x'].map((size) => `${content.oid}/${size}`),
  ]
  for (const path of malformed) {
    const { status } = await alice.send('PUT', `objects/${path}`, undefined, { raw: content.bytes })
    assert.equal(status, 422, path)
  }
  assert.deepEqual(await storedFiles(forge), [])
  assert.deepEqual(outcomes(await alice.batch('download', [content])), [404])
  assert.equal((await alice.send('POST', 'verify', content)).status, 404)
  for (const pointer of [
    { oid: 'nosuch', size: 5 },
    { ...content, oid: content.oid.toUpperCase() },
    { ...content, size: -1 },
  ]) {
    assert.equal(
      (await alice.send('POST', 'verify', pointer)).status,
      422,
      `verify ${pointer.oid} of ${pointer.size} bytes`,
    )
  }
})

test('lfsUploadObject: accepts an empty object and a repeated upload', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const nothing = contentOf('')
  const something = contentOf('something')
  for (const content of [nothing, something, something]) assert.equal((await alice.put(content)).status, 200)
  assert.equal((await storedFiles(forge)).length, 2)
  assert.equal((await alice.get(nothing.oid)).bytes.length, 0)
  assert.deepEqual((await alice.get(something.oid)).text, 'something')
  assert.equal((await alice.put(something, Buffer.from('otherthing'.slice(1)))).status, 422)
  assert.deepEqual((await alice.get(something.oid)).text, 'something')
})

test('lfsUploadObject: an interrupted upload leaves nothing, and the next one succeeds', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const { token } = await forge.account('alice')
  const content = contentOf(Buffer.alloc(1 << 20, 'x'))
  const broken = request(`${forge.url}/${repo.fullName}.git/info/lfs/objects/${content.oid}/${content.size}`, {
    method: 'PUT',
    headers: { authorization: `token ${token}`, 'content-length': content.size },
  })
  broken.on('error', () => undefined)
  broken.write(content.bytes.subarray(0, 300_000))
  await wait(100)
  broken.destroy()
  const alice = new LfsClient(forge.as('alice'), repo)
  assert.deepEqual(outcomes(await alice.batch('upload', [content])), ['upload+verify'])
  assert.equal((await alice.put(content)).status, 200)
  assert.equal((await storedFiles(forge)).length, 1)
  assert.equal((await alice.get(content.oid)).bytes.equals(content.bytes), true)
})

test('lfsUploadObject: concurrent uploads of one object leave one content, charged once per repository', async () => {
  await using forge = await startLfs({ users: ['alice'] })
  const content = contentOf(Buffer.alloc(200_000, 'ab'))
  const repos = await Promise.all([1, 2, 3].map(() => forge.given.repo()))
  const clients = repos.map((repo) => new LfsClient(forge.as('alice'), repo))
  const answers = await Promise.all(
    [...clients, ...clients, ...clients, ...clients].map((client) => client.put(content)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  assert.equal((await storedFiles(forge)).length, 1)
  assert.equal(await lfsUsageOf(forge, 'alice'), 3 * content.size)
})

test('lfsDownloadObject, lfsDownloadNamedObject: ranges, conditions and misleading file names', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('0123456789')
  await alice.put(content)
  const guest = new LfsClient(forge.guest, repo)
  const part = await guest.get(content.oid, { range: 'bytes=3-5' })
  assert.deepEqual([part.status, part.text], [206, '345'])
  assert.equal((await guest.get(content.oid, { range: 'bytes=10-' })).status, 416)
  const etag = part.headers.get('etag') ?? ''
  assert.equal((await guest.get(content.oid, { 'if-none-match': etag })).status, 304)
  const named = (name: string) => guest.send('GET', `objects/${content.oid}/${Buffer.from(name).toString('base64url')}`)
  assert.equal((await named('a "b".bin')).headers.get('content-disposition'), 'attachment; filename="a \\"b\\".bin"')
  assert.equal(
    (await named('../../etc/pa\u202Esswd\r\nx: y')).headers.get('content-disposition'),
    'attachment; filename="passwdx: y"',
  )
  assert.match(
    (await named('größe.bin')).headers.get('content-disposition') ?? '',
    /filename\*=UTF-8''gr%C3%B6%C3%9Fe\.bin/,
  )
  assert.equal((await guest.send('GET', `objects/${content.oid}/!!`)).status, 400)
  for (const oid of ['..%2f..%2fkey', 'x', content.oid.toUpperCase()]) {
    assert.equal((await guest.get(oid)).status, 422, oid)
  }
  assert.equal((await guest.get('0'.repeat(64))).status, 404, 'a well-formed id that the repository does not have')
})

test('lfsBatch: an object of another repository is neither served nor revealed', async () => {
  await using forge = await startLfs()
  const hidden = await forge.given.repo({ private: true })
  const mine = await forge.given.repo({ owner: 'mallory' })
  const secret = contentOf('a secret content')
  await new LfsClient(forge.as('alice'), hidden).put(secret)
  const mallory = new LfsClient(forge.as('mallory'), mine)
  const unknown = contentOf('a content that nobody has')
  assert.deepEqual(outcomes(await mallory.batch('download', [secret, unknown])), [404, 404])
  assert.equal((await mallory.get(secret.oid)).status, 404)
  assert.equal((await mallory.send('POST', 'verify', secret)).status, 404)
  assert.deepEqual(outcomes(await mallory.batch('upload', [secret, unknown])), ['upload+verify', 'upload+verify'])
  // Nor by a wrong size.
  assert.deepEqual(outcomes(await mallory.batch('upload', [{ ...secret, size: 3 }])), ['upload+verify'])
  // A client with the content proves it by uploading.
  assert.equal((await mallory.put(secret, Buffer.from('a guessed content'.slice(0, secret.size)))).status, 422)
  assert.equal((await mallory.put(secret)).status, 200)
  assert.equal((await mallory.get(secret.oid)).text, 'a secret content')
  assert.equal((await storedFiles(forge)).length, 1)
})

test('lfsBatch: an object that the caller can read elsewhere needs no upload', async () => {
  await using forge = await startLfs()
  const open = await forge.given.repo()
  const content = contentOf('a content for everybody')
  await new LfsClient(forge.as('alice'), open).put(content)
  const mine = await forge.given.repo({ owner: 'bob' })
  const bob = new LfsClient(forge.as('bob'), mine)
  assert.deepEqual(outcomes(await bob.batch('upload', [content, content, { ...content, size: 2 }])), [
    'nothing',
    'nothing',
    422,
  ])
  assert.deepEqual(outcomes(await bob.batch('download', [content])), ['download'])
  assert.equal(await lfsUsageOf(forge, 'bob'), content.size)
})

test('lfsBatch: enforces limits, and refuses unknown hashes and malformed bodies', async () => {
  await using forge = await startLfs({ settings: { server: { LFS_MAX_FILE_SIZE: 10, LFS_MAX_BATCH_SIZE: 2 } } })
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const small = contentOf('small')
  const large = contentOf('larger than ten bytes')
  assert.deepEqual(outcomes(await alice.batch('upload', [small, large])), ['upload+verify', 422])
  assert.equal((await alice.put(large)).status, 422)
  assert.equal((await alice.batch('upload', [small, small, small])).status, 413)
  assert.deepEqual(
    outcomes(
      await alice.batch('upload', [
        { oid: small.oid, size: 1.5 },
        { oid: '../x', size: 1 },
      ]),
    ),
    [422, 422],
  )
  const operation = 'upload'
  assert.equal((await alice.send('POST', 'objects/batch', { operation, hash_algo: 'md5', objects: [] })).status, 409)
  assert.equal((await alice.send('POST', 'objects/batch', { operation, objects: [] })).json.objects, null)
  assert.equal((await alice.send('POST', 'objects/batch', { operation, objects: [{ oid: 5 }] })).status, 400)
  assert.equal((await alice.send('POST', 'objects/batch', [])).status, 400)
})

test('lfsBatch, lfsUploadObject: an owner over quota, archived repositories and mirrors refuse uploads', async () => {
  await using forge = await startLfs({ settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 0 } } })
  const repo = await forge.given.repo()
  await forge.settle()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('content')
  const refused = await alice.batch('upload', [content])
  assert.deepEqual(
    [refused.status, refused.headers.get('content-type')?.split(';')[0]],
    [413, 'application/vnd.git-lfs+json'],
  )
  assert.equal((await alice.put(content)).status, 413)
  assert.deepEqual(await storedFiles(forge), [])
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await alice.put(content)).status, 403)
  assert.equal((await alice.batch('download', [])).status, 200)
})

test('lfsBatch: refuses wrong, insufficient and unsuitable credentials', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const hidden = await forge.given.repo({ private: true })
  const content = contentOf('content')
  await new LfsClient(forge.as('alice'), repo).put(content)
  const by = (authorization: string, where = repo) => new LfsClient(forge.guest, where, { authorization })
  for (const wrong of [
    'token x',
    'Bearer x',
    'Bearer a.b.c',
    `Basic ${Buffer.from('alice:wrong').toString('base64')}`,
  ]) {
    for (const where of [repo, hidden]) {
      const refused = await by(wrong, where).batch('download', [content])
      assert.equal(refused.status, 401, wrong)
      assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic realm=/)
      assert.match(refused.headers.get('lfs-authenticate') ?? '', /^Basic realm=/)
      assert.equal((await by(wrong, where).get(content.oid)).status, 401, wrong)
    }
  }
  // The reply does not reveal private repositories.
  const stranger = new LfsClient(forge.as('stranger'), hidden)
  const absent = new LfsClient(forge.as('stranger'), { fullName: 'alice/nosuch' })
  const [one, other] = [await stranger.batch('download', [content]), await absent.batch('download', [content])]
  assert.deepEqual([one.status, one.json.message], [other.status, other.json.message])
  assert.equal((await new LfsClient(forge.guest, { fullName: 'alice/nosuch' }).batch('download', [])).status, 401)
  assert.equal((await new LfsClient(forge.as('alice'), { fullName: 'alice/nosuch' }).batch('download', [])).status, 404)
})

test('lfsBatch: a renamed repository is found under its new name', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  const moved = await new LfsClient(forge.as('alice'), repo).batch('download', [])
  assert.deepEqual(
    [moved.status, moved.headers.get('location')?.replace(forge.url, '')],
    [307, '/alice/renamed.git/info/lfs/objects/batch'],
  )
})

test('lfsBatch: a lost content is requested again and replaced', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('a content that gets lost')
  await alice.put(content)
  for (const key of await storedFiles(forge)) await forge.services.blobs.lfs.delete(key)
  assert.deepEqual(outcomes(await alice.batch('download', [content])), [404])
  assert.deepEqual(outcomes(await alice.batch('upload', [content])), ['upload+verify'])
  assert.equal((await alice.put(content)).status, 200)
  assert.equal((await alice.get(content.oid)).text, content.bytes.toString())
  assert.equal((await storedFiles(forge)).length, 1)
})

test('lfsBatch, lfsVerify: direct uploads to object storage are verified', async () => {
  await using storage = await startObjectStorage({ isDirect: true })
  await using forge = await startLfs({ settings: storage.settings })
  const repo = await forge.given.repo()
  const alice = new LfsClient(forge.as('alice'), repo)
  const content = contentOf('a content that goes its own way')
  const actions = async () => (await alice.batch('upload', [content])).json.objects[0].actions
  const send = async (body: string) => {
    const { upload, verify } = await actions()
    assert.equal(upload.href.startsWith(forge.url), false)
    assert.equal(upload.header.Authorization, undefined)
    const put = await fetch(upload.href, { method: 'PUT', body })
    assert.equal(put.status, 200)
    const path = verify.href.split('/info/lfs/')[1]
    return { upload, path, verified: await alice.send('POST', path, content) }
  }
  assert.equal((await send('x'.repeat(content.size))).verified.status, 422)
  assert.equal((await send('x')).verified.status, 422)
  assert.deepEqual(outcomes(await alice.batch('download', [content])), [404])
  const { upload, path, verified } = await send(content.bytes.toString())
  assert.equal(verified.status, 200)
  // Later uploads to the address change nothing, and another repository cannot use the grant.
  await fetch(upload.href, { method: 'PUT', body: 'x'.repeat(content.size) })
  const other = await forge.given.repo()
  assert.equal((await new LfsClient(forge.as('alice'), other).send('POST', path, content)).status, 404)
  const download = (await alice.batch('download', [content])).json.objects[0].actions.download
  assert.equal(download.href.startsWith(forge.url), false)
  assert.equal(await (await fetch(download.href)).text(), content.bytes.toString())
  assert.equal((await alice.get(content.oid)).text, content.bytes.toString())
})
