import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import S3rver from 's3rver'
import { loadUsage } from '../access/quota/usage.store.ts'
import type { UserId } from '../lib/ids.ts'
import { examined } from '../testing/doctor.ts'
import { idOf } from '../testing/events.ts'
import { startForge, type Forge, type ForgeOptions } from '../testing/forge.ts'
import type { GivenRepo } from '../testing/given.ts'
import { upload } from '../testing/upload.ts'

const bytesOnly = { 'content-type': 'application/octet-stream' }

/** Creates a repository of Alice with a release of `v1`. Bob can write, Rita can read. */
async function given(more: ForgeOptions & { readonly repo?: object } = {}) {
  const { repo: options, ...rest } = more
  const forge = await startForge(rest)
  const repo = await forge.given.repo({ ...options })
  for (const [name, permission] of [
    ['bob', 'write'],
    ['rita', 'read'],
  ] as const) {
    await forge.account(name)
    await forge.as('alice').must('PUT', `${repo.api}/collaborators/${name}`, { permission })
  }
  const { json: release } = await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  const assets = `${repo.api}/releases/${release.id}/assets`
  return {
    forge,
    repo,
    release,
    assets,
    /** Attaches a file as Bob. */
    add: async (name: string, content: string) =>
      (await forge.as('bob').must('POST', assets, undefined, upload(name, content))).json,
    [Symbol.asyncDispose]: () => forge[Symbol.asyncDispose](),
  }
}

async function storedKeys(forge: Forge): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of forge.services.blobs.attachments.list('')) keys.push(key)
  return keys
}

const usedBy = async (forge: Forge, name: string) =>
  (await loadUsage(forge.services.db, (await idOf(forge, name)) as UserId))['attachments:releases'] ?? 0

const site = (repo: GivenRepo, path: string): string => `/${repo.fullName}/releases/${path}`

test('repoCreateReleaseAttachment: a refused upload stores nothing', async () => {
  await using world = await given({
    settings: { attachment: { MAX_SIZE: 1 }, 'repository.release': { ALLOWED_TYPES: '.txt,image/*' } },
  })
  const { forge, assets, repo } = world
  const post = async (who: string, options: object, path = assets) =>
    (await forge.as(who).post(path, undefined, options)).status
  const both = upload('a.txt', 'a')
  both.raw.set('external_url', 'https://files.example.com/a.txt')
  const other = new FormData()
  other.set('file', new File(['a'], 'a.txt'))
  assert.deepEqual(
    [
      (await forge.guest.post(assets, undefined, upload('a.txt', 'a'))).status,
      await post('rita', upload('a.txt', 'a')),
      await post('bob', upload('setup.exe', 'MZ\0\0')),
      await post('bob', upload('large.txt', 'x'.repeat(2 * 1024 * 1024))),
      await post('bob', { raw: 'x'.repeat(2 * 1024 * 1024), headers: bytesOnly }, `${assets}?name=large.txt`),
      await post('bob', { raw: 'x', headers: bytesOnly }),
      await post('bob', { raw: other }),
      await post('bob', both),
      await post('bob', upload('..', 'a')),
      await post('bob', upload('a.txt', 'a'), `${repo.api}/releases/999999/assets`),
    ],
    [401, 403, 400, 413, 413, 400, 400, 400, 400, 404],
  )
  assert.deepEqual([await storedKeys(forge), await usedBy(forge, 'alice')], [[], 0])
  assert.deepEqual((await forge.guest.must('GET', assets)).json, [])
  assert.equal(await post('bob', upload('drawing', 'GIF89a')), 201, 'known by its first bytes')
})

test('repoCreateReleaseAttachment, repoListReleaseAttachments: names are cleaned, and several files may have the same name', async () => {
  await using world = await given()
  const { forge, assets, add } = world
  const sent = [
    'ö d;.bin',
    'a\u202etxt.exe',
    'b\r\nSet-Cookie: x',
    '../../etc/passwd',
    'c:\\d.txt',
    'tab\tname',
    'ö d;.bin',
  ]
  const kept = ['ö d;.bin', 'atxt.exe', 'bSet-Cookie: x', 'passwd', 'd.txt', 'tabname', 'ö d;.bin']
  for (const [index, name] of sent.entries()) {
    const { json } = await forge
      .as('bob')
      .must('POST', `${assets}?name=${encodeURIComponent(name)}`, undefined, { raw: `${index}`, headers: bytesOnly })
    assert.equal(json.name, kept[index])
  }
  await add('x'.repeat(300), 'long')
  const { json: listed } = await forge.guest.must('GET', assets)
  const names = listed.map((each: { name: string }) => each.name)
  assert.deepEqual(names, [...kept, 'x'.repeat(255)].toSorted())
  const download = await forge.guest.get(new URL(listed[1].browser_download_url).pathname, { site: true })
  assert.equal(download.headers.get('set-cookie'), null)
})

test('repoCreateReleaseAttachment: an incomplete upload stores nothing', async () => {
  await using world = await given()
  const { forge, assets } = world
  const { token } = await forge.account('bob')
  const { port } = new URL(forge.url)
  const cutOff = (type: string, body: string, announced: number) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST /api/v1${assets}?name=a.bin HTTP/1.1\r\nHost: x\r\nAuthorization: token ${token}\r\n` +
            `Content-Type: ${type}\r\nContent-Length: ${announced}\r\nConnection: close\r\n\r\n${body}`,
        )
        if (announced > body.length) setTimeout(() => socket.destroy(), 200)
      })
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('error', () => {})
      socket.on('close', () => resolve(Buffer.concat(chunks).toString().split('\r\n', 1)[0] as string))
    })
  const form = 'multipart/form-data; boundary=b'
  const start = `--b\r\nContent-Disposition: form-data; name="attachment"; filename="a"\r\n\r\n${'x'.repeat(200_000)}`
  assert.equal(await cutOff('application/octet-stream', 'x'.repeat(200_000), 500_000), '')
  assert.equal(await cutOff(form, start, 500_000), '')
  assert.match(await cutOff(form, start, start.length), /^HTTP\/1\.1 422 /)
  assert.match(await cutOff(form, '--b\r\nnonsense', 12), /^HTTP\/1\.1 4\d\d /)
  assert.match(await cutOff('multipart/form-data', 'no boundary', 11), /^HTTP\/1\.1 422 /)
  await forge.settle()
  assert.deepEqual([await storedKeys(forge), (await forge.guest.must('GET', assets)).json], [[], []])
})

test('repoCreateReleaseAttachment: a file of a release that is deleted during the upload is not stored', async () => {
  await using world = await given()
  const { forge, assets, repo, release } = world
  const { token } = await forge.account('bob')
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from('first'))
      await forge.as('bob').must('DELETE', `${repo.api}/releases/${release.id}`)
      controller.enqueue(Buffer.from('second'))
      controller.close()
    },
  })
  const reply = await fetch(`${forge.url}/api/v1${assets}?name=late.bin`, {
    method: 'POST',
    headers: { ...bytesOnly, authorization: `token ${token}` },
    body,
    duplex: 'half',
  } as RequestInit)
  assert.equal(reply.status, 404)
  assert.deepEqual([await storedKeys(forge), await usedBy(forge, 'alice')], [[], 0])
})

test('repoGetReleaseAttachment, repoEditReleaseAttachment, repoDeleteReleaseAttachment: a file belongs to its release', async () => {
  await using world = await given()
  const { forge, assets, repo, add } = world
  const bob = forge.as('bob')
  const file = await add('a.txt', 'hello')
  const { json: second } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v2' })
  const elsewhere = await forge.given.repo()
  const foreign = (await forge.as('alice').must('POST', `${elsewhere.api}/releases`, { tag_name: 'v1' })).json
  const issue = await forge.given.issue({ repo })
  const ofIssue = (await forge.as('alice').must('POST', `${issue.api}/assets`, undefined, upload('i.txt', 'i'))).json
  const statuses = await Promise.all([
    bob.get(`${repo.api}/releases/${second.id}/assets/${file.id}`),
    bob.patch(`${repo.api}/releases/${second.id}/assets/${file.id}`, { name: 'x' }),
    forge.as('alice').delete(`${elsewhere.api}/releases/${foreign.id}/assets/${file.id}`),
    bob.get(`${assets}/${ofIssue.id}`),
    bob.delete(`${assets}/${ofIssue.id}`),
    forge.as('rita').patch(`${assets}/${file.id}`, { name: 'x' }),
    forge.as('rita').delete(`${assets}/${file.id}`),
    bob.patch(`${assets}/${file.id}`, { browser_download_url: 'https://files.example.com/x' }),
  ])
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [404, 404, 404, 404, 404, 403, 403, 400],
  )
  assert.deepEqual((await forge.guest.must('GET', `${assets}/${file.id}`)).json, file)
  assert.equal((await bob.patch(`${assets}/${file.id}`, { name: 'dir/b.txt' })).json.name, 'b.txt')
  assert.equal((await bob.delete(`${assets}/${file.id}`)).status, 204)
  assert.equal((await bob.delete(`${assets}/${file.id}`)).status, 404)
  await forge.settle()
  assert.equal((await storedKeys(forge)).length, 1, 'the file of the issue stays')
})

test('repoCreateReleaseAttachment, repoEditReleaseAttachment, webReleaseDownload: an external file has an http or https address', async () => {
  await using world = await given()
  const { forge, assets, repo } = world
  const bob = forge.as('bob')
  const post = (address: string) => {
    const raw = new FormData()
    raw.set('external_url', address)
    return bob.post(assets, undefined, { raw })
  }
  for (const address of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    '//files.example.com/x',
    'https://files.example.com/a\r\nSet-Cookie: x',
    'java\tscript:alert(1)',
    `https://files.example.com/${'x'.repeat(3000)}`,
  ]) {
    assert.equal((await post(address)).status, 400, address)
  }
  const { json: file } = await post('https://files.example.com/dir/tool%201.0.tar.gz?x=1')
  assert.deepEqual([file.name, file.type, file.size], ['tool 1.0.tar.gz', 'external', 0])
  const reply = await forge.guest.get(site(repo, 'download/v1/tool%201.0.tar.gz'), { site: true })
  assert.deepEqual([reply.status, reply.headers.get('location')], [303, file.browser_download_url])
  const { json: moved } = await bob.must('PATCH', `${assets}/${file.id}`, {
    browser_download_url: 'https://files.example.com/tool',
  })
  assert.deepEqual([moved.name, moved.download_count], ['tool 1.0.tar.gz', 1])
  assert.equal((await bob.patch(`${assets}/${file.id}`, { browser_download_url: 'nothing' })).status, 400)
})

test('webReleaseDownload, webLatestReleaseDownload, downloadAttachment: whole files, ranges, conditional requests and download counts', async () => {
  await using world = await given()
  const { forge, assets, repo, add } = world
  const file = await add('hello.txt', 'hello world')
  const get = (path: string, headers: Record<string, string> = {}) =>
    forge.guest.get(site(repo, path), { site: true, headers })
  const whole = await get('download/v1/hello.txt')
  assert.deepEqual([whole.status, whole.text, whole.headers.get('accept-ranges')], [200, 'hello world', 'bytes'])
  const etag = whole.headers.get('etag') as string
  const part = await get('latest/download/hello.txt', { range: 'bytes=6-' })
  assert.deepEqual([part.status, part.text, part.headers.get('content-range')], [206, 'world', 'bytes 6-10/11'])
  assert.deepEqual(
    [
      (await get('download/latest/hello.txt', { range: 'bytes=-5', 'if-range': etag })).text,
      (await get('download/v1/hello.txt', { range: 'bytes=6-', 'if-range': '"another"' })).text,
      (await get('download/v1/hello.txt', { range: 'bytes=11-' })).status,
      (await get('download/v1/hello.txt', { 'if-none-match': etag })).status,
      (await get('download/v1/none.txt')).status,
      (await get('download/v9/hello.txt')).status,
    ],
    ['world', 'hello world', 416, 304, 404, 404],
  )
  const head = await forge.guest.send('HEAD', site(repo, 'download/v1/hello.txt'), undefined, { site: true })
  assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '11', ''])
  assert.equal((await forge.guest.must('GET', `${assets}/${file.id}`)).json.download_count, 4)

  await forge.as('bob').must('POST', assets, undefined, upload('hello.txt', 'another'))
  assert.equal((await get('download/v1/hello.txt')).text, 'another', 'the one that came last')
  const { json: slashed } = await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'line/2.0' })
  await forge
    .as('bob')
    .must('POST', `${repo.api}/releases/${slashed.id}/assets`, undefined, upload('a b.html', '<script>'))
  const page = await get('download/line/2.0/a%20b.html')
  assert.deepEqual([page.text, page.headers.get('x-content-type-options')], ['<script>', 'nosniff'])
  assert.match(page.headers.get('content-type') ?? '', /^text\/plain/)
  assert.equal((await get('download/line%2F2.0/a%20b.html')).text, '<script>')
})

test('repoCreateReleaseAttachment, webReleaseDownload: large files arrive unchanged, also concurrently and in ranges', async () => {
  await using world = await given()
  const { forge, assets, repo } = world
  const [one, other] = ['one', 'other'].map((seed) =>
    createHash('shake256', { outputLength: 3_000_001 }).update(seed).digest(),
  ) as [Buffer, Buffer]
  const form = new FormData()
  form.set('attachment', new File([new Uint8Array(other)], 'other'))
  await Promise.all([
    forge.as('bob').must('POST', `${assets}?name=one`, undefined, { raw: one, headers: bytesOnly }),
    forge.as('bob').must('POST', assets, undefined, { raw: form }),
  ])
  const get = async (name: string, range?: string) => {
    const headers: Record<string, string> = range === undefined ? {} : { range: `bytes=${range}` }
    return (await forge.guest.get(site(repo, `download/v1/${name}`), { site: true, headers })).bytes
  }
  const answers = [get('one'), get('other'), get('one', '1000000-2999999'), get('other', '-70000')]
  const expected = [one, other, one.subarray(1_000_000, 3_000_000), other.subarray(-70_000)]
  for (const [index, answer] of (await Promise.all(answers)).entries()) {
    assert.equal(Buffer.compare(answer, expected[index] as Buffer), 0, `answer ${index}`)
  }
})

test('webReleaseDownload, downloadAttachment: files of drafts and private repositories need read access', async () => {
  await using world = await given({ repo: { private: true } })
  const { forge, repo, add } = world
  const bob = forge.as('bob')
  const published = await add('a.txt', 'a')
  const { json: draft } = await bob.must('POST', `${repo.api}/releases`, { tag_name: 'v2', draft: true })
  const { json: hidden } = await bob.must(
    'POST',
    `${repo.api}/releases/${draft.id}/assets`,
    undefined,
    upload('d.txt', 'd'),
  )
  await forge.account('sam')
  const requests = [
    `/attachments/${published.uuid}`,
    `/${repo.fullName}/attachments/${published.uuid}`,
    site(repo, 'download/v1/a.txt'),
    `/attachments/${hidden.uuid}`,
    site(repo, 'download/v2/d.txt'),
  ]
  const seenBy = (who: Pick<typeof forge.guest, 'get'>) =>
    Promise.all(requests.map(async (path) => (await who.get(path, { site: true })).status))
  assert.deepEqual(await seenBy(bob), [200, 200, 200, 200, 200])
  assert.deepEqual(await seenBy(forge.as('rita')), [200, 200, 200, 404, 404])
  assert.deepEqual(await seenBy(forge.as('sam')), [404, 404, 404, 404, 404])
  assert.deepEqual(await seenBy(forge.guest), [404, 404, 404, 404, 404])
  const narrow = async (...scopes: string[]) => {
    const { json } = await forge
      .as('bob', { basic: { login: 'bob', password: 'Passw0rd!' } })
      .must('POST', '/users/bob/tokens', { name: scopes.join(), scopes })
    return forge.as('bob', { token: json.sha1 })
  }
  assert.deepEqual(await seenBy(await narrow('read:repository')), [200, 200, 200, 200, 200])
  assert.deepEqual(await seenBy(await narrow('read:issue')), [404, 404, 404, 404, 404])
  assert.deepEqual(await seenBy(await narrow('public-only', 'read:repository')), [404, 404, 403, 404, 403])
  await forge.as('alice').must('PATCH', repo.api, { has_releases: false })
  assert.deepEqual(await seenBy(forge.as('rita')), [404, 404, 403, 404, 403])
})

test('repoDeleteRelease, repoTransfer, repoDelete: files count against the owner and are deleted with the release or repository', async () => {
  await using world = await given()
  const { forge, repo, release, add } = world
  const org = await forge.given.org()
  await add('a.txt', 'x'.repeat(1000))
  await add('b.txt', 'x'.repeat(500))
  const { json: second } = await forge.as('bob').must('POST', `${repo.api}/releases`, { tag_name: 'v2' })
  await forge.as('bob').must('POST', `${repo.api}/releases/${second.id}/assets`, undefined, upload('c.txt', 'c'))
  assert.equal(await usedBy(forge, 'alice'), 1501)
  await forge.as('bob').must('DELETE', `${repo.api}/releases/${release.id}`)
  await forge.settle()
  assert.deepEqual([await usedBy(forge, 'alice'), (await storedKeys(forge)).length], [1, 1])

  await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  const moved = { fullName: `${org}/renamed` }
  await forge.as('alice').must('POST', `/repos/alice/renamed/transfer`, { new_owner: org })
  assert.deepEqual([await usedBy(forge, 'alice'), await usedBy(forge, org)], [0, 1])
  const download = await forge.guest.get(`/${moved.fullName}/releases/download/v2/c.txt`, { site: true })
  assert.deepEqual([download.status, download.text], [200, 'c'])
  const old = await forge.guest.get(site(repo, 'download/v2/c.txt'), { site: true })
  assert.deepEqual(
    [old.status, old.headers.get('location')],
    [301, `/${moved.fullName}/releases/download/v2/c.txt`],
    'the old address leads to the new one',
  )
  assert.deepEqual(await examined(forge.services), [])
  await forge.as('alice').must('DELETE', `/repos/${moved.fullName}`)
  await forge.settle()
  assert.deepEqual([await usedBy(forge, org), await storedKeys(forge)], [0, []])
})

test('repoCreateReleaseAttachment: uploads are refused over quota and when attachments are disabled', async () => {
  await using world = await given({ settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 100_000 } } })
  const { forge, assets, add } = world
  await forge.settle()
  await add('a.txt', 'x'.repeat(100_000))
  const refused = await forge.as('bob').post(assets, undefined, upload('b.txt', 'b'))
  assert.equal(refused.status, 413)
  await using off = await given({ settings: { attachment: { ENABLED: false } } })
  assert.equal((await off.forge.as('bob').post(off.assets, undefined, upload('b.txt', 'b'))).status, 404)
})

test('webReleaseDownload, downloadAttachment: with direct downloads a signed address of the object storage is sent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-assets-'))
  const configureBuckets = [{ name: 'forge', configs: [] }]
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets })
  const { port } = await server.run()
  try {
    const storage = {
      ...{ STORAGE_TYPE: 'minio', MINIO_ENDPOINT: `127.0.0.1:${port}`, MINIO_BUCKET: 'forge', SERVE_DIRECT: true },
      ...{ MINIO_ACCESS_KEY_ID: 'S3RVER', MINIO_SECRET_ACCESS_KEY: 'S3RVER', MINIO_BUCKET_LOOKUP: 'path' },
    }
    await using world = await given({ settings: { storage }, repo: { private: true } })
    const { forge, repo, add } = world
    const file = await add('ö (1).txt', 'hello world')
    const path = site(repo, 'download/v1/%C3%B6%20(1).txt')
    assert.equal((await forge.guest.get(path, { site: true })).status, 404)
    const reply = await forge.as('rita').get(path, { site: true })
    const address = reply.headers.get('location') as string
    assert.deepEqual([reply.status, reply.headers.get('cache-control')], [303, 'private, no-store'])
    assert.match(address, new RegExp(`^http://127\\.0\\.0\\.1:${port}/.*X-Amz-Signature=`))
    const part = await fetch(address, { headers: { range: 'bytes=6-10' } })
    assert.deepEqual([part.status, await part.text()], [206, 'world'])
    assert.match(
      part.headers.get('content-disposition') ?? '',
      /^attachment; .*filename\*=UTF-8''%C3%B6%20%281%29\.txt$/,
    )
    const head = await forge.as('rita').send('HEAD', `/attachments/${file.uuid}`, undefined, { site: true })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '11'])
    assert.equal((await forge.as('bob').must('GET', `${world.assets}/${file.id}`)).json.download_count, 1)
    assert.equal((await forge.as('bob').delete(`${world.assets}/${file.id}`)).status, 204)
    await forge.settle()
    assert.deepEqual(await storedKeys(forge), [])
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
})
