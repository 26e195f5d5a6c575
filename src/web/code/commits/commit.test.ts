import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { base64 } from '../../../testing/samples.ts'

const site = { site: true }

test('commitPage, comparePage: a private repository does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const [{ sha }] = (await forge.as('alice').get(`${repo.api}/commits`)).json
  const bob = await Browser.of(forge, 'bob')
  const alice = await Browser.of(forge, 'alice')
  for (const path of [`commit/${sha}`, 'compare/main...main']) {
    assert.equal((await bob.get(`/${repo.fullName}/${path}`)).status, 404, path)
    assert.equal((await alice.get(`/${repo.fullName}/${path}`)).status, 200, path)
  }
})

test('commitPage: message, changed lines, checks and files; what does not exist is not found', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  const made = await alice.must('POST', `${repo.api}/contents/a.ts`, {
    content: base64('const a = "<b>"\n'),
    message: 'Add <a>\n\nfor a reason\n',
  })
  const { sha } = made.json.commit
  assert.equal(made.json.commit.html_url, `${forge.url}/${repo.fullName}/commit/${sha}`)
  await alice.must('POST', `${repo.api}/statuses/${sha}`, { state: 'failure', context: 'unit', description: 'broken' })
  const get = (path: string) => forge.guest.get(`/${repo.fullName}/${path}`, site)
  const shown = await get(`commit/${sha}`)
  assert.equal(shown.status, 200)
  assert.match(shown.text, /<h1>Add &lt;a><\/h1>/)
  assert.match(shown.text, /for a reason/)
  assert.match(shown.text, /hljs-keyword/)
  assert.match(shown.text, /&lt;b&gt;/)
  assert.match(shown.text, /<strong>unit<\/strong>/)
  assert.equal((await get(`commit/${sha}?style=split&whitespace=hide`)).status, 200)
  assert.match((await get(`commit/${sha}?file=a.ts`)).text, /hljs-keyword/)
  assert.equal((await get(`commit/${'1'.repeat(40)}`)).status, 404)
  assert.equal((await get('commit/a%2Fb%3Fc')).status, 422)
})

test('comparePage, newComparePage: commits and changes since the common ancestor, also of a fork', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  const change = { content: base64('x\n'), new_branch: 'topic', message: 'On topic' }
  await alice.must('POST', `${repo.api}/contents/topic.txt`, change)
  await alice.must('POST', `${repo.api}/contents/main.txt`, { content: base64('y\n') })
  const guest = (path: string) => forge.guest.get(`/${repo.fullName}/${path}`, site)
  const shown = await guest('compare/main...topic')
  assert.match(shown.text, /On topic/)
  assert.match(shown.text, /topic\.txt/)
  assert.doesNotMatch(shown.text, /main\.txt/)
  assert.doesNotMatch(shown.text, /Create pull request/)
  const bob = await Browser.of(forge, 'bob')
  const opened = await bob.submit(`/${repo.fullName}/compare/main...topic`, 'new-pull', { title: 'Take topic' })
  assert.equal(opened.status, 303)
  assert.equal((await forge.guest.get(`${repo.api}/pulls`)).json[0].title, 'Take topic')
  const choice = await guest('compare/topic...topic')
  assert.match(choice.text, new RegExp(`<a href="/${repo.fullName}/compare/topic...main" class="row-main`))
  await alice.must('POST', `${repo.api}/branches`, { new_branch_name: 'same', old_branch_name: 'main' })
  assert.match((await guest('compare/main...same')).text, /There is nothing to compare/)
  assert.equal((await guest('compare/main...nothing')).status, 404)

  const fork = (await forge.as('bob').must('POST', `${repo.api}/forks`, {})).json
  await forge.as('bob').must('POST', `/repos/${fork.full_name}/contents/forked.txt`, {
    content: base64('z\n'),
    message: 'In the fork',
  })
  const ofFork = await guest('compare/main...bob:main')
  assert.match(ofFork.text, /Changes in <code>bob:main<\/code> that <code>main<\/code> does not have/)
  assert.equal(ofFork.status, 200)
  assert.match(ofFork.text, /In the fork/)
  assert.match(ofFork.text, /forked\.txt/)
})
