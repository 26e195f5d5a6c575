import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'
import { base64 } from '../../../testing/samples.ts'

/** Sends a form with files. */
async function send(
  browser: Browser,
  path: string,
  files: Readonly<Record<string, string | Buffer>>,
  fields: Readonly<Record<string, string>> = {},
) {
  const raw = new FormData()
  raw.append('_csrf', browser.cookies.get('_csrf') ?? '')
  for (const [name, value] of Object.entries(fields)) raw.append(name, value)
  for (const [name, content] of Object.entries(files)) {
    raw.append('files', new Blob([new Uint8Array(Buffer.from(content))]), name)
  }
  return browser.forge.guest.send('POST', path, undefined, {
    site: true,
    raw,
    headers: { cookie: browser.cookieHeader() },
  })
}

/** The folders of uploads that were not deleted. */
const leftovers = ({ services }: Forge): readonly string[] => {
  const { tmp } = services.config.paths
  return existsSync(tmp) ? readdirSync(tmp).filter((name) => name.startsWith('upload-')) : []
}

test('uploadFilesPage, uploadFiles: only writers upload, from a page of this site', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  await collaborator(forge, repo, 'bob', 'read')
  // Otherwise readers propose changes from a fork.
  await forge.as('alice').must('PATCH', repo.api, { has_pull_requests: false })
  const web = `/${repo.fullName}/_upload/main`
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  const files = { 'a.txt': 'x' }
  assert.equal((await new Browser(forge).get(web)).status, 303)
  assert.equal((await carol.get(web)).status, 404)
  assert.equal((await bob.get(web)).status, 403)
  await Promise.all([alice, bob, carol].map((browser) => browser.get('/user/settings')))
  assert.equal((await send(carol, web, files)).status, 404)
  assert.equal((await send(bob, web, files)).status, 403)
  assert.equal((await send(alice, web, files, { _csrf: 'other' })).status, 403)
  assert.equal((await send(alice, `/${repo.fullName}/_upload/missing`, files)).status, 404)
  assert.equal((await forge.as('alice').get(`${repo.api}/contents/a.txt`)).status, 404)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await alice.get(web)).status, 423)
  assert.deepEqual(leftovers(forge), [])
})

test('uploadFiles: files are added and replaced in a folder, on a branch or a new one', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}`
  assert.match((await alice.get(web)).text, /\/_upload\/main"/)
  const page = await alice.get(`${web}/_upload/main/docs`)
  assert.match(page.text, /enctype="multipart\/form-data"/)
  assert.match(page.text, /name="folder"[^>]* value="docs"/)
  const large = Buffer.alloc(3 << 20, 'large ')
  const made = await send(
    alice,
    `${web}/_upload/main/docs`,
    { 'ä b.bin': large, 'readme.md': '# One' },
    { folder: 'docs/images', summary: 'Add pictures', target: 'direct' },
  )
  assert.deepEqual([made.status, made.headers.get('location')], [303, `${web}/src/branch/main/docs/images`])
  const read = async (path: string, ref = 'main') =>
    (await forge.as('alice').get(`${repo.api}/raw/${path}?ref=${ref}`)).text
  assert.equal(await read('docs/images/%C3%A4%20b.bin'), large.toString())
  const [commit] = (await forge.as('alice').get(`${repo.api}/commits?limit=1`)).json
  assert.deepEqual([commit.commit.message.trim(), commit.files.length], ['Add pictures', 2])

  const proposed = await send(
    alice,
    `${web}/_upload/main`,
    { 'readme.md': '# Two', 'x\u202e.txt': 'x' },
    { folder: '/docs/images/', target: 'new', new_branch: 'pictures' },
  )
  assert.deepEqual([proposed.status, proposed.headers.get('location')], [303, `${web}/compare/main...pictures?open=1`])
  assert.equal(await read('docs/images/readme.md'), '# One')
  assert.equal(await read('docs/images/readme.md', 'pictures'), '# Two')
  assert.equal(await read('docs/images/x.txt', 'pictures'), 'x')
  assert.deepEqual(leftovers(forge), [])
})

test('uploadFiles: the form says what is wrong', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { 'repository.upload': { MAX_FILES: 2, FILE_MAX_SIZE: 1, ALLOWED_TYPES: '.txt,image/png' } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}/_upload/main`
  const page = await alice.get(web)
  assert.match(page.text, /Up to 2 files of at most 1 MB each/)
  assert.match(page.text, /accept="\.txt,image\/png"/)
  const problem = async (files: Parameters<typeof send>[2], fields: Parameters<typeof send>[3] = {}) => {
    const { status, text } = await send(alice, web, files, fields)
    return [status, /id="(?:files|new_branch)_problem">([^<]*)</.exec(text)?.[1]]
  }
  assert.deepEqual(await problem({}), [422, 'Choose at least one file.'])
  const tooLarge = [413, 'This is more than 2 files of 1 MB; push larger ones with git.']
  assert.deepEqual(await problem({ 'a.txt': Buffer.alloc((1 << 20) + 1, 'x') }), tooLarge)
  assert.deepEqual(await problem({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }), tooLarge)
  assert.deepEqual(await problem({ 'a.html': '<p>' }), [422, 'Files like a.html are not allowed here.'])
  const [status, text] = await problem({ 'a.txt': 'a' }, { folder: '.git' })
  assert.equal(status, 422)
  assert.notEqual(text, undefined)
  const kept = await send(alice, web, { 'a.txt': 'a' }, { folder: '.git', summary: 'kept words' })
  assert.match(kept.text, /value="kept words"/)
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'taken' })
  assert.equal((await problem({ 'a.txt': 'a' }, { target: 'new', new_branch: 'taken' }))[0], 422)
  assert.equal((await forge.as('alice').get(`${repo.api}/contents/a.txt`)).status, 404)
  assert.deepEqual(leftovers(forge), [])
})

test('uploadFiles: an empty repository gets its first commit, and LFS keeps what its attributes name', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { server: { LFS_START_SERVER: true } } })
  const alice = await Browser.of(forge, 'alice')
  await forge.as('alice').must('POST', '/user/repos', { name: 'empty' })
  assert.match((await alice.get('/alice/empty')).text, /\/_upload\/main"/)
  assert.equal((await send(alice, '/alice/empty/_upload/main', { 'README.md': '# Hi' })).status, 303)
  const read = await forge.as('alice').get('/repos/alice/empty/raw/README.md')
  assert.equal(read.text, '# Hi')
  const files = [{ operation: 'create', path: '.gitattributes', content: base64('*.bin filter=lfs\n') }]
  await forge.as('alice').must('POST', '/repos/alice/empty/contents', { files })
  const large = Buffer.alloc(200_000, 'x')
  assert.equal((await send(alice, '/alice/empty/_upload/main', { 'x.bin': large })).status, 303)
  assert.match((await forge.as('alice').get('/repos/alice/empty/raw/x.bin')).text, /^version https:\/\/git-lfs/)
  assert.equal((await forge.as('alice').get('/repos/alice/empty/media/x.bin')).text, large.toString())
})

test('uploadFilesPage: the setting switches uploads off', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { 'repository.upload': { ENABLED: false } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  assert.doesNotMatch((await alice.get(`/${repo.fullName}`)).text, /_upload/)
  assert.equal((await alice.get(`/${repo.fullName}/_upload/main`)).status, 404)
  assert.equal((await send(alice, `/${repo.fullName}/_upload/main`, { 'a.txt': 'x' })).status, 404)
})
