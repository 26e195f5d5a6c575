import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { commitFiles } from '../../../testing/given-pull.ts'
import { base64 } from '../../../testing/samples.ts'

test('branchesPage, createBranchAct, renameBranchAct, deleteBranchAct: writers manage branches, others see them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const web = `/${repo.fullName}/branches`
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(web)).text, />main<\/a>/)
  assert.doesNotMatch((await bob.get(web)).text, /New branch/)
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(web, { _csrf: csrf, name: 'x' })).status, 403)
  assert.equal((await bob.post(`${web}/delete`, { _csrf: csrf, name: 'main' })).status, 403)
  assert.equal((await bob.post(`${web}/rename`, { _csrf: csrf, from: 'main', to: 'x' })).status, 403)

  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(web, 'branches"', { name: 'a..b' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /A\.\.b is not a valid branch name/)
  assert.equal((await alice.submit(web, 'branches"', { name: 'topic/one' })).status, 303)
  assert.equal((await alice.submit(web, 'branches"', { name: 'topic/one' })).status, 409)
  const renamed = await alice.post(`${web}/rename`, { _csrf: await alice.csrf(web), from: 'topic/one', to: 'two' })
  assert.equal(renamed.status, 303)
  const names = async () =>
    (await forge.guest.get(`${repo.api}/branches`)).json.map((branch: { name: string }) => branch.name).sort()
  assert.deepEqual(await names(), ['main', 'two'])
  assert.equal((await alice.submit(web, 'branches/delete', { name: 'two' })).status, 303)
  assert.deepEqual(await names(), ['main'])
  assert.equal((await alice.submit(web, 'branches/delete', { name: 'main' })).status, 403)

  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await bob.get(web)).status, 404)
})

test('branchesPage: says how far branches are ahead of the default branch and behind it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'old' })
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const rows = async () => {
    const { text } = await new Browser(forge).get(`/${repo.fullName}/branches`)
    const found = [...text.matchAll(/<li class="row ref-row">[\s\S]*?<\/li>/g)].map(([row]) => row)
    return (name: string) => found.find((row) => row.includes(`>${name}</a>`)) ?? ''
  }
  const before = await rows()
  assert.match(before('topic'), />2 ahead</)
  assert.match(before('old'), />no difference</)
  await commitFiles(forge, repo, 'main', { 'c.txt': 'c\n' })
  const after = await rows()
  assert.match(
    after('topic'),
    />2 ahead, 1 behind<[^]*divergence-behind[^>]*>1<[^]*<rect class="behind"[^]*divergence-ahead[^>]*>2</,
  )
  assert.match(after('old'), />1 behind</)
  assert.doesNotMatch(after('main'), /ahead|behind|no difference|<svg width="57"/)
})

test('branchesPage: branches are found by their names, and lead to their pull requests', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const web = `/${repo.fullName}/branches`
  const alice = await Browser.of(forge, 'alice')
  const pull = async (head: string) => {
    const body = { head, base: 'main', title: `About ${head} <b>` }
    return (await forge.as('alice').must('POST', `${repo.api}/pulls`, body)).json.number as number
  }
  await commitFiles(forge, repo, 'topic/one', { 'a.txt': 'a\n' })
  await commitFiles(forge, repo, 'topic/two', { 'b.txt': 'b\n' })
  await commitFiles(forge, repo, 'other', { 'c.txt': 'c\n' })
  const closed = await pull('topic/one')
  await forge.as('alice').must('PATCH', `${repo.api}/pulls/${closed}`, { state: 'closed' })
  const rowsOf = (text: string) => [...text.matchAll(/<li class="row ref-row">[^]*?<\/li>/g)].map(([row]) => row)
  const found = rowsOf((await alice.get(`${web}?q=TOPIC`)).text)
  assert.equal(found.length, 2)
  const one = found.find((row) => row.includes('>topic/one</a>')) ?? ''
  assert.match(one, new RegExp(`href="/${repo.fullName}/pulls/${closed}"[^]*danger-text`))
  assert.match(one, /compare\?head=topic/)
  const open = await pull('topic/one')
  const again = (await alice.get(`${web}?q=one`)).text
  assert.match(again, new RegExp(`href="/${repo.fullName}/pulls/${open}"[^>]* title="About topic/one &lt;b(?:&gt;|>)"`))
  assert.doesNotMatch(again, /compare\?head=topic/)
  const none = (await alice.get(`${web}?q=${encodeURIComponent('<x>')}`)).text
  assert.match(none, /No branch has “&lt;x(?:&gt;|>)” in its name/)
  assert.match(none, /value="<x>"|value="&lt;x(?:&gt;|>)"/)
  await forge.as('alice').must('PATCH', repo.api, { has_pull_requests: false })
  assert.doesNotMatch((await alice.get(web)).text, /pulls\/\d/)
})

test('tagsPage, createTagAct, deleteTagAct: writers manage tags', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const web = `/${repo.fullName}/tags`
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(web)).text, /No tags yet/)
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(web, { _csrf: csrf, name: 'v1' })).status, 403)
  assert.equal((await bob.post(`${web}/delete`, { _csrf: csrf, name: 'v1' })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(web, 'tags"', { name: 'v1', target: 'nothing' })
  assert.equal(wrong.status, 404)
  assert.equal((await alice.submit(web, 'tags"', { name: 'v1', message: 'first' })).status, 303)
  assert.match((await bob.get(web)).text, />v1<\/a>/)
  assert.equal((await forge.guest.get(`${repo.api}/tags/v1`)).json.message, 'first')
  assert.equal((await alice.submit(web, 'tags/delete', { name: 'v1' })).status, 303)
  assert.equal((await forge.guest.get(`${repo.api}/tags/v1`)).status, 404)
})

test('syncForkSubmit: a fork says what it lacks to those who may write it, and takes it over', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = `/bob/${repo.name}`
  const bob = await Browser.of(forge, 'bob')
  assert.doesNotMatch((await bob.get(fork)).text, /commits? behind/)
  const made = await forge.as('alice').must('POST', `${repo.api}/contents/new.txt`, { content: base64('new') })
  assert.match((await bob.get(fork)).text, /1 commit behind [\s\S]*sync_fork/)
  const carol = await Browser.of(forge, 'carol')
  assert.doesNotMatch((await carol.get(fork)).text, /sync_fork/)
  assert.equal((await carol.post(`${fork}/sync_fork`, { _csrf: await carol.csrf('/repo/create') })).status, 403)
  assert.equal((await bob.submit(fork, `${fork}/sync_fork`)).status, 303)
  const { json } = await forge.guest.get(`/repos${fork}/branches/main`)
  assert.equal(json.commit.id, made.json.commit.sha)
  assert.doesNotMatch((await bob.get(fork)).text, /commits? behind/)
})

test('tagsPage: a tag with a release leads to it, another one offers to create it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/releases`, { tag_name: 'v1' })
  await forge.as('alice').must('POST', `${repo.api}/tags`, { tag_name: 'plain' })
  const { text } = await (await Browser.of(forge, 'alice')).get(`/${repo.fullName}/tags`)
  assert.match(text, /\/releases\/tag\/v1"[^>]*>Release</)
  assert.match(text, /releases\/new\?tag=plain"/)
  assert.doesNotMatch(text, /releases\/new\?tag=v1"/)
})
