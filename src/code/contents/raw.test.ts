import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('repoGetRawFile: whole files, ranges, conditional requests, and no types that browsers execute', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const large = Buffer.alloc(200_000, 'abcdefghij')
  const make = (path: string, content: string | Buffer) =>
    alice.must('POST', `${repo.api}/contents/${path}`, { content: base64(content) })
  await make('page.html', '<script>alert(1)</script>')
  await make('draw.svg', '<svg/>')
  await make('large.txt', large)
  await make('a%22b.txt', '')
  const raw = (path: string, headers: Record<string, string> = {}) =>
    forge.guest.get(`${repo.api}/raw/${path}`, { headers })

  const page = await raw('page.html')
  assert.equal(page.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match((await raw('draw.svg')).headers.get('content-security-policy') ?? '', /sandbox/)
  const etag = page.headers.get('etag') ?? ''
  assert.equal((await raw('page.html', { 'if-none-match': etag })).status, 304)
  assert.equal((await raw('page.html', { 'if-modified-since': page.headers.get('last-modified') ?? '' })).status, 304)

  const whole = await raw('large.txt')
  assert.equal(whole.bytes.equals(large), true)
  const part = await raw('large.txt', { range: 'bytes=150001-150004' })
  assert.deepEqual(
    [part.status, part.text, part.headers.get('content-range')],
    [206, 'bcde', 'bytes 150001-150004/200000'],
  )
  const tail = await raw('large.txt', { range: 'bytes=-3' })
  assert.deepEqual([tail.status, tail.text], [206, 'hij'])
  const outside = await raw('large.txt', { range: 'bytes=200000-' })
  assert.deepEqual([outside.status, outside.headers.get('content-range')], [416, 'bytes */200000'])
  assert.equal((await raw('large.txt', { range: 'bytes=0-1', 'if-range': '"other"' })).status, 200)
  assert.equal(
    (await raw('a%22b.txt')).headers.get('content-disposition'),
    `inline; filename="a\\"b.txt"; filename*=UTF-8''a%22b.txt`,
  )
})

test('raw files by web address: each kind resolves, others redirect, and private repositories are hidden', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ private: true })
  const site = { site: true }
  const path = `/${repo.fullName}/raw/branch/main/README.md`
  assert.equal((await forge.guest.get(path, site)).status, 404)
  assert.equal((await forge.as('bob').get(path, site)).status, 404)
  assert.equal((await forge.as('alice').get(path, site)).status, 200)
  const untyped = await forge.as('alice').get(`/${repo.fullName}/raw/main/README.md`, site)
  assert.deepEqual([untyped.status, untyped.headers.get('location')], [303, path])
  await forge.as('alice').must('PATCH', `${repo.api}/branches/main`, { name: 'trunk' })
  const renamed = await forge.as('alice').get(path, site)
  assert.deepEqual([renamed.status, renamed.headers.get('location')], [303, path.replace('main', 'trunk')])
})

test('repoGetArchive: an archive is made once, has ranges, and is counted for tags on the web', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1' })
  const both = await Promise.all([
    forge.guest.get(`${repo.api}/archive/v1.tar.gz`),
    forge.guest.get(`${repo.api}/tarball/v1`),
  ])
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.equal(both[0].bytes.equals(both[1].bytes), true)
  const part = await forge.guest.get(`${repo.api}/archive/v1.tar.gz`, { headers: { range: 'bytes=0-1' } })
  assert.deepEqual([part.status, part.bytes.toString('hex')], [206, '1f8b'])
  assert.equal((await forge.guest.get(`${repo.api}/archive/v1.rar`)).status, 400)
  await forge.guest.get(`/${repo.fullName}/archive/v1.zip`, { site: true })
  assert.deepEqual((await alice.get(`${repo.api}/tags/v1`)).json.archive_download_count, { zip: 1, tar_gz: 0 })
  // The administrators' task deletes all archives, and the next request makes one again.
  const stored = async (): Promise<number> => {
    let files = 0
    for await (const _ of forge.services.blobs.repoArchive.list('')) files += 1
    const rows = await forge.services.db.selectFrom('repo_archive').selectAll().execute()
    assert.equal(rows.length, files)
    return files
  }
  assert.equal(await stored(), 2)
  await forge.as('root').must('POST', '/admin/cron/delete_repo_archives')
  await forge.settle()
  assert.equal(await stored(), 0)
  assert.equal((await forge.guest.get(`${repo.api}/archive/v1.tar.gz`)).status, 200)
})

test('repoGetArchive: two applications in one process build an archive independently', async () => {
  const standAt = Date.UTC(2026, 0, 1)
  await using one = await startForge({ standAt })
  await using two = await startForge({ standAt })
  const forges = [one, two]
  const repos = await Promise.all(forges.map((forge) => forge.given.repo({ name: 'hello' })))
  const commits = await Promise.all(
    forges.map(async (forge, index) => (await forge.guest.get(`${repos[index]?.api}/commits`)).json[0].sha),
  )
  assert.equal(commits[0], commits[1])
  const replies = await Promise.all(
    forges.map((forge, index) => forge.guest.get(`${repos[index]?.api}/archive/main.tar.gz`)),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200],
  )
})

test('repoGetLanguages: languages are counted after a change, without vendored files', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const files = {
    'main.go': 'package main\n',
    'vendor/x.go': 'package x\n',
    'a.inc': 'x\n',
    '.gitattributes': '*.inc linguist-language=PHP\n',
  }
  await alice.must('POST', `${repo.api}/contents`, {
    files: Object.entries(files).map(([path, content]) => ({ operation: 'create', path, content: base64(content) })),
  })
  await forge.settle()
  assert.deepEqual((await forge.guest.get(`${repo.api}/languages`)).json, { Go: 13, PHP: 2 })
  assert.equal((await forge.guest.get(repo.api)).json.language, 'Go')
})

test('repoGetRawFile, repoGetRawFileOrLFS: a missing file has the message that clients compare', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  for (const path of ['raw/none.txt', 'media/none.txt', 'raw/none/README.md', 'raw/none.txt?ref=main']) {
    const { status, json } = await forge.guest.get(`${repo.api}/${path}`)
    assert.deepEqual([status, json.message, json.errors], [404, "The target couldn't be found.", []], path)
  }
})

test('raw addresses: a plus stays a plus in each address of a file', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const made = await alice.must('POST', `${repo.api}/contents/d+e/a+b%20c.txt`, {
    content: base64('one'),
    new_branch: 'f+1',
  })
  const { content } = made.json
  assert.equal(content.path, 'd+e/a+b c.txt')
  const end = 'f+1/d+e/a+b%20c.txt'
  assert.equal(content.download_url, `${forge.url}/${repo.fullName}/raw/branch/${end}`)
  assert.equal(content.html_url, `${forge.url}/${repo.fullName}/src/branch/${end}`)
  assert.equal(content.url, `${forge.url}/api/v1${repo.api}/contents/d+e/a+b%20c.txt?ref=f%2B1`)
  for (const path of [
    `/api/v1${repo.api}/raw/d+e/a+b%20c.txt?ref=f%2B1`,
    `/api/v1${repo.api}/raw/d%2Be/a%2Bb%20c.txt?ref=f%2B1`,
    `/api/v1${repo.api}/raw/${end}`,
    `/api/v1${repo.api}/media/${end}`,
    `/${repo.fullName}/raw/branch/${end}`,
    `/${repo.fullName}/media/branch/${end}`,
  ]) {
    const { status, text } = await alice.get(path, { site: true })
    assert.deepEqual([status, text], [200, 'one'], path)
  }
  for (const kind of ['raw', 'media', 'src']) {
    const moved = await alice.get(`/${repo.fullName}/${kind}/${end}`, { site: true })
    const typed = `/${repo.fullName}/${kind}/branch/${end}`
    assert.deepEqual([moved.status, new URL(moved.headers.get('location') ?? '', forge.url).pathname], [303, typed])
  }
})
