import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { commitFiles } from '../../../testing/given-pull.ts'

const location = (answer: { readonly headers: Headers }): string => answer.headers.get('location') ?? ''

const reposOf = async (forge: Forge, name: string): Promise<string[]> =>
  (await forge.as(name).get(`/users/${name}/repos`)).json.map(({ full_name }: { full_name: string }) => full_name)

test('editFile, createFile, deleteFile, uploadFiles: a reader forks, edits and proposes in one go', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  const bob = await Browser.of(forge, 'bob')
  const at = `/${repo.fullName}`
  const file = await bob.get(`${at}/src/branch/main/README.md`)
  assert.match(file.text, new RegExp(`href="${at}/_edit/main/README.md"`))
  assert.match(file.text, new RegExp(`href="${at}/_delete/main/README.md"`))
  assert.match((await bob.get(at)).text, new RegExp(`href="${at}/_upload/main"`))
  const form = await bob.get(`${at}/_edit/main/README.md`)
  assert.match(form.text, /You may not write to alice\/ingot/)
  assert.doesNotMatch(form.text, /name="target"/)
  assert.match(form.text, /value="bob-patch-1"/)
  const edited = await bob.submit(`${at}/_edit/main/README.md`, '_edit/', {
    name: 'README.md',
    text: 'better\n',
    summary: 'Say more',
    new_branch: 'bob-patch-1',
  })
  assert.deepEqual([edited.status, location(edited)], [303, `${at}/compare/main...bob%3Abob-patch-1?open=1`])
  const compared = await bob.get(location(edited))
  assert.match(compared.text, /<details class="new-pull-part" open/)
  assert.match(compared.text, /value="Say more"/)
  const opened = await bob.submit(location(edited), 'new-pull', { title: 'Say more' })
  assert.match(location(opened), /\/pulls\/1$/)

  // The fork lags behind: the next branch begins at the commit of the origin.
  await commitFiles(forge, repo, 'main', { 'later.txt': 'later\n' })
  assert.match((await bob.get(`${at}/_new/main`)).text, /value="bob-patch-2"/)
  const created = await bob.submit(`${at}/_new/main`, '_new/', { name: 'new.txt', text: 'n\n', new_branch: 'second' })
  assert.equal(location(created), `${at}/compare/main...bob%3Asecond?open=1`)
  assert.equal((await forge.guest.get('/repos/bob/ingot/contents/later.txt?ref=second')).status, 200)
  const shown = await bob.get(location(created))
  assert.match(shown.text, /new\.txt/)
  assert.doesNotMatch(shown.text, /later\.txt/)
  const deleted = await bob.submit(`${at}/_delete/main/later.txt`, '_delete/', { new_branch: 'third' })
  assert.equal(location(deleted), `${at}/compare/main...bob%3Athird?open=1`)
  const csrf = await bob.csrf('/user/settings')
  const uploaded = await bob.upload(
    `${at}/_upload/main`,
    { _csrf: csrf, folder: '', new_branch: 'fourth' },
    { field: 'files', content: Buffer.from('up'), name: 'up.txt' },
  )
  assert.equal(location(uploaded), `${at}/compare/main...bob%3Afourth?open=1`)
  assert.deepEqual(await reposOf(forge, 'bob'), ['bob/ingot'], 'one fork serves all')
  const branches = (await forge.guest.get(`${repo.api}/branches`)).json.map(({ name }: { name: string }) => name)
  assert.deepEqual(branches, ['main'], 'nothing is written to the origin')
})

test('editFile: a refused proposal keeps the text and makes nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  await commitFiles(forge, repo, 'taken', { 'taken.txt': 't\n' })
  const at = `/${repo.fullName}/_edit/main/README.md`
  const fields = { name: 'README.md', text: 'my words', new_branch: 'patch' }
  const isRefused = async (name: string, status: number, why: RegExp, more: Record<string, string> = {}) => {
    const before = await reposOf(forge, name)
    const answer = await (await Browser.of(forge, name)).submit(at, '_edit/', { ...fields, ...more })
    assert.equal(answer.status, status)
    assert.match(answer.text, why)
    assert.match(answer.text, /<textarea[^>]*>my words/)
    assert.deepEqual(await reposOf(forge, name), before, why.source)
  }
  await isRefused('bob', 422, /There is a branch taken already/, { new_branch: 'taken' })
  await isRefused('bob', 422, /branch/, { new_branch: 'a..b' })
  await isRefused('bob', 422, /exists already|is a folder|Somebody changed/, { oid: '0'.repeat(40) })
  await forge.as('carol').must('POST', '/user/repos', { name: 'ingot' })
  await isRefused('carol', 409, /You have another repository named ingot/)
  const { json: fork } = await forge.as('dave').must('POST', `${repo.api}/forks`, {})
  await forge.as('dave').must('PATCH', `/repos/${fork.full_name}`, { archived: true })
  await isRefused('dave', 403, /Your fork is archived/)
  await forge.as('alice').must('PUT', '/user/block/bob')
  await isRefused('bob', 403, /You are blocked/)
})

test('editFilePage: where nothing can be proposed, the pencil says why', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { repository: { DISABLE_FORKS: true } } })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  const bob = await Browser.of(forge, 'bob')
  const at = `/${repo.fullName}`
  assert.match((await bob.get(`${at}/src/branch/main/README.md`)).text, /forks are disabled here/)
  assert.equal((await bob.get(`${at}/_edit/main/README.md`)).status, 403)
  await forge.as('alice').must('PATCH', repo.api, { has_pull_requests: false })
  assert.match((await bob.get(`${at}/src/branch/main/README.md`)).text, /pull requests are not taken here/)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await bob.get(`${at}/_edit/main/README.md`)).status, 423)
  const csrf = await bob.csrf('/user/settings')
  const sent = await bob.post(`${at}/_edit/main/README.md`, { _csrf: csrf, name: 'README.md', text: 'x', oid: '' })
  assert.equal(sent.status, 423)
})

test('editFile: a person over quota proposes nothing, and the owner over quota does not matter', async () => {
  const quota = { quota: { ENABLED: true }, 'quota.default': { TOTAL: -1 } }
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'], settings: quota })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  await forge.given.repo({ owner: 'bob', name: 'own' })
  await forge.settle()
  const admin = forge.as('root')
  await admin.must('POST', '/admin/quota/groups', {
    name: 'none',
    rules: [{ name: 'nothing', limit: 0, subjects: ['size:all'] }],
  })
  for (const name of ['alice', 'bob']) await admin.must('PUT', `/admin/quota/groups/none/users/${name}`)
  const at = `/${repo.fullName}/_edit/main/README.md`
  const fields = { name: 'README.md', text: 'my words', new_branch: 'patch' }
  const refused = await (await Browser.of(forge, 'bob')).submit(at, '_edit/', fields)
  assert.equal(refused.status, 413)
  assert.match(refused.text, /<textarea[^>]*>my words/)
  assert.deepEqual(await reposOf(forge, 'bob'), ['bob/own'])
  const made = await (await Browser.of(forge, 'carol')).submit(at, '_edit/', fields)
  assert.equal(made.status, 303)
})
