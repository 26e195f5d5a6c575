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
