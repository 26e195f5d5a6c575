import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator, commitFiles } from '../../../testing/given-pull.ts'
import { base64 } from '../../../testing/samples.ts'

test('editFilePage, newFilePage, deleteFilePage, editFile, createFile, deleteFile: only writers change files', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  // Otherwise readers propose changes from a fork.
  await forge.as('alice').must('PATCH', repo.api, { has_pull_requests: false })
  const bob = await Browser.of(forge, 'bob')
  const guest = new Browser(forge)
  const fields = { _csrf: await bob.csrf('/user/settings'), name: 'a.txt', text: 'x', oid: '', target: 'direct' }
  for (const path of ['_edit/main/README.md', '_new/main', '_delete/main/README.md']) {
    const web = `/${repo.fullName}/${path}`
    const answer = await guest.get(web)
    assert.deepEqual([answer.status, answer.headers.get('location')?.split('?')[0]], [303, '/user/login'], path)
    assert.equal((await bob.get(web)).status, 403, path)
    assert.equal((await bob.post(web, fields)).status, 403, path)
  }
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await bob.get(`/${repo.fullName}/_edit/main/README.md`)).status, 404)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(`/${repo.fullName}/_new/main`)).status, 423)
})

test('createFile, editFile, deleteFile: a file is made, renamed, kept with its line ends, and deleted', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await collaborator(forge, repo, 'bob')
  const bob = await Browser.of(forge, 'bob')
  const web = `/${repo.fullName}`
  const at = async (path: string, ref = 'main') =>
    (await forge.as('alice').get(`${repo.api}/raw/${path}?ref=${ref}`)).text
  const wrong = await bob.submit(`${web}/_new/main`, '_new/', { name: '.git/config', text: 'kept text' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /kept text/)
  const made = await bob.submit(`${web}/_new/main`, '_new/', {
    name: 'dir/a b.txt',
    text: 'one\r\ntwo\r\n',
    summary: 'Add it',
    description: 'with\r\nreasons',
    target: 'direct',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, `${web}/src/branch/main/dir/a%20b.txt`])
  assert.equal(await at('dir/a%20b.txt'), 'one\ntwo\n')
  const [commit] = (await forge.as('alice').get(`${repo.api}/commits?limit=1`)).json
  assert.equal(commit.commit.message.trim(), 'Add it\n\nwith\nreasons')

  await bob.submit(`${web}/_edit/main/dir/a%20b.txt`, '_edit/', { name: 'moved.txt', text: 'new', target: 'direct' })
  assert.equal(await at('moved.txt'), 'new')
  assert.equal((await forge.as('alice').get(`${repo.api}/contents/dir/a%20b.txt`)).status, 404)

  const proposed = await bob.submit(`${web}/_delete/main/moved.txt`, '_delete/', {
    target: 'new',
    new_branch: 'without',
  })
  assert.deepEqual([proposed.status, proposed.headers.get('location')], [303, `${web}/compare/main...without?open=1`])
  assert.equal((await forge.as('alice').get(`${repo.api}/contents/moved.txt?ref=without`)).status, 404)
  assert.equal(await at('moved.txt'), 'new')
  const taken = await bob.submit(`${web}/_delete/main/moved.txt`, '_delete/', { target: 'new', new_branch: 'without' })
  assert.equal(taken.status, 400)
  assert.match(taken.text, /There is a branch without already/)
})

test('editFile: when the file changed meanwhile, both versions are shown and saving again replaces it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}/_edit/main/README.md`
  const { text } = await alice.get(web)
  const oid = /name="oid" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ''
  await forge.as('alice').must('PUT', `${repo.api}/contents/README.md`, { content: base64('theirs'), sha: oid })
  const csrf = await alice.csrf('/user/settings')
  const stale = await alice.post(web, { _csrf: csrf, name: 'README.md', text: 'mine', oid, target: 'direct' })
  assert.equal(stale.status, 422)
  assert.match(stale.text, /Somebody changed this file/)
  assert.match(stale.text, /Committing it again replaces the present version/)
  assert.doesNotMatch(stale.text, /flash problem/)
  assert.match(stale.text, /<pre[^>]*>theirs<\/pre>/)
  assert.match(stale.text, /<textarea[^>]*>mine<\/textarea>/)
  const present = /name="oid" value="([0-9a-f]+)"/.exec(stale.text)?.[1] ?? ''
  assert.notEqual(present, oid)
  const saved = await alice.post(web, { _csrf: csrf, name: 'README.md', text: 'mine', oid: present, target: 'direct' })
  assert.equal(saved.status, 303)
  assert.equal((await forge.as('alice').get(`${repo.api}/raw/README.md`)).text, 'mine')
})

test('createFile: the first file of an empty repository makes its branch', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.as('alice').must('POST', '/user/repos', { name: 'empty' })
  const alice = await Browser.of(forge, 'alice')
  const made = await alice.submit('/alice/empty/_new/main', '_new/', { name: 'README.md', text: '# Hi' })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/alice/empty/src/branch/main/README.md'])
})

test('editFilePage, newFilePage: the editor indents as .editorconfig says, otherwise as the file does', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo, 'main', { 'src/main.go': 'func main() {\n\tprint()\n}\n', 'src/a.py': 'pass\n' })
  const alice = await Browser.of(forge, 'alice')
  const indentAt = async (path: string) => {
    const { text } = await alice.get(`/${repo.fullName}/${path}`)
    const tag = /<textarea[^>]*name="text"[^>]*>/.exec(text)?.[0] ?? ''
    return [/data-indent="([^"]*)"/.exec(tag)?.[1], /data-tab-size="([^"]*)"/.exec(tag)?.[1]]
  }
  assert.deepEqual(await indentAt('_edit/main/src/main.go'), ['tab', undefined])
  assert.deepEqual(await indentAt('_edit/main/src/a.py'), [undefined, undefined])
  const rules = '[*.py]\nindent_style = space\nindent_size = 4\n\n[src/*.go]\nindent_style = tab\ntab_width = 8\n'
  await commitFiles(forge, repo, 'main', { '.editorconfig': rules })
  assert.deepEqual(await indentAt('_edit/main/src/main.go'), ['tab', '8'])
  assert.deepEqual(await indentAt('_edit/main/src/a.py'), ['4', '4'])
  assert.deepEqual(await indentAt('_new/main/src?name=b.py'), ['4', '4'])
  await commitFiles(forge, repo, 'main', { '.editorconfig': '[*.py]\nindent_size = 9999\n' })
  assert.deepEqual(await indentAt('_edit/main/src/a.py'), [undefined, undefined])
  await commitFiles(forge, repo, 'main', { '.editorconfig': `[${'*a'.repeat(3000)}]\nindent_size = 4\n` })
  assert.equal((await alice.get(`/${repo.fullName}/_edit/main/src/a.py`)).status, 200)
})

test('createFile, editFile, deleteFile: refused with a page while the owner is over quota, a deletion too', async () => {
  const settings = { quota: { ENABLED: true }, 'quota.default': { TOTAL: 0 } }
  await using forge = await startForge({ users: ['alice'], settings })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  await forge.settle()
  const web = `/${repo.fullName}`
  const fields = { _csrf: await alice.csrf('/user/settings'), name: 'a.txt', text: 'x', oid: '', target: 'direct' }
  for (const path of ['_edit/main/README.md', '_new/main', '_delete/main/README.md']) {
    const refused = await alice.post(`${web}/${path}`, fields)
    assert.deepEqual([refused.status, refused.headers.get('content-type')], [413, 'text/html;charset=utf-8'], path)
  }
  const { json } = await forge.as('alice').get(`${repo.api}/contents/README.md`)
  const deleted = await forge.as('alice').send('DELETE', `${repo.api}/contents/README.md`, { sha: json.sha })
  assert.equal(deleted.status, 200)
})

test('editFile: lines that nobody touched keep their ends, also in mixed files and without a last newline', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const long = Array.from(
    { length: 25_000 },
    (_, index) => `line ${index} of a long file, for a megabyte${index % 2 ? '\r\n' : '\n'}`,
  )
  const files: Record<string, readonly [string, (shown: string) => string, string]> = {
    'lf.txt': ['a\nb\n', (text) => `${text}c\n`, 'a\nb\nc\n'],
    'crlf.txt': ['a\r\nb\r\n', (text) => `${text}c\n`, 'a\r\nb\r\nc\r\n'],
    'mixed.txt': ['a\r\nb\nc\r\nd', (text) => text.replace('b', 'B'), 'a\r\nB\nc\r\nd'],
    'cr.txt': ['a\rb\rc', (text) => text.replace('c', 'd'), 'a\rb\rd'],
    'open.txt': ['a\nb', (text) => text.replace('a', 'x'), 'x\nb'],
    'empty.txt': ['', () => 'a\nb\n', 'a\nb\n'],
    'mark.txt': ['\ufeffa\r\nb\n', (text) => text.replace('a', 'x'), '\ufeffx\r\nb\n'],
    'lead.txt': ['\n\r\na\n', (text) => `${text}b\n`, '\n\r\na\nb\n'],
    'long.txt': [
      long.join(''),
      (text) => text.replace('line 24000', 'row 24000'),
      long.join('').replace('line 24000', 'row 24000'),
    ],
  }
  await commitFiles(
    forge,
    repo,
    'main',
    Object.fromEntries(Object.entries(files).map(([name, [content]]) => [name, content])),
  )
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  for (const [name, [content, edit, expected]] of Object.entries(files)) {
    const web = `/${repo.fullName}/_edit/main/${name}`
    const { text } = await alice.get(web)
    const oid = /name="oid" value="([0-9a-f]+)"/.exec(text)?.[1] ?? ''
    const shown = content.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
    const sent = edit(shown).replaceAll('\n', '\r\n')
    const body = new FormData()
    for (const [key, value] of Object.entries({ _csrf: csrf, name, text: sent, oid, target: 'direct' })) {
      body.set(key, value)
    }
    const headers = { cookie: alice.cookieHeader(), origin: forge.url }
    const answer = await fetch(forge.url + web, { method: 'POST', body, headers, redirect: 'manual' })
    assert.equal(answer.status, 303, name)
    const { json } = await forge.as('alice').get(`${repo.api}/contents/${name}`)
    assert.ok(Buffer.from(json.content, 'base64').toString() === expected, name)
  }
})

test('editFile: when the file was deleted meanwhile, the answer has the text', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo, 'main', { 'a.txt': 'a\n' })
  const alice = await Browser.of(forge, 'alice')
  const { json } = await forge.as('alice').get(`${repo.api}/contents/a.txt`)
  await forge.as('alice').must('DELETE', `${repo.api}/contents/a.txt`, { sha: json.sha })
  const fields = { _csrf: await alice.csrf('/user/settings'), name: 'a.txt', text: 'a long text', oid: json.sha }
  const { status, text } = await alice.post(`/${repo.fullName}/_edit/main/a.txt`, { ...fields, target: 'direct' })
  assert.equal(status, 409)
  assert.match(text, /The file was deleted meanwhile/)
  assert.match(text, /<textarea[^>]*>a long text<\/textarea>/)
})

test('previewFile: the text is rendered as the page of the file would be; other kinds have no preview', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = await Browser.of(forge, 'alice')
  const csrf = await alice.csrf('/user/settings')
  const at = `/${repo.fullName}/_preview/main/README.md`
  const shown = await alice.post(at, { _csrf: csrf, text: '**bold** [a](b.md) <script>x</script>', name: 'docs/a.md' })
  assert.equal(shown.status, 200)
  assert.match(shown.text, /<strong>bold<\/strong>/)
  assert.match(shown.text, /src\/branch\/main\/docs\/b\.md/)
  assert.doesNotMatch(shown.text, /<script>/)
  assert.match((await alice.post(at, { _csrf: csrf, text: '**a**', name: 'a.ts' })).text, /^Files of this kind/)
  assert.equal((await alice.post(at, { _csrf: 'x', text: '**a**', name: 'a.md' })).status, 403)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.post(at, { _csrf: await bob.csrf('/user/settings'), text: 'a', name: 'a.md' })).status, 404)
})
