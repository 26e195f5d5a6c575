import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

/** An issue of alice, who has a full name, assigned to bob, who has none. */
async function withIssue(forge: Forge) {
  await forge.as('alice').must('PATCH', '/user/settings', { full_name: 'Alice & Liddell' })
  const repo = await forge.given.repo()
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Leak', body: 'It leaks.', assignees: ['bob'] })
  return `/${repo.fullName}/issues`
}

/** The links to an account, as texts. */
const linksTo = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<a [^>]*href="/${name}" class="person"[^>]*>(.*?)</a>`, 'g'))].map(([, content = '']) =>
    content.replaceAll(/<[^>]*>/g, ''),
  )

test('repositoryIssues, issuePage: authors and lists of people have the full name beside the login', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const at = await withIssue(forge)
  const alice = await Browser.of(forge, 'alice')
  assert.deepEqual(linksTo((await alice.get(at)).text, 'alice'), ['alice (Alice &amp; Liddell)'])
  const { text } = await alice.get(`${at}/1`)
  const named = linksTo(text, 'alice')
  assert.ok(named.includes('alice (Alice &amp; Liddell)'), 'the author of the text')
  assert.ok(named.includes('alice'), 'what happened repeats the login only')
  assert.deepEqual(new Set(linksTo(text, 'bob')), new Set(['bob']))
  assert.match(text, /<label for="assignee_\d+">alice<span class="other-name"> \(Alice &amp; Liddell\)<\/span>/)
})

test('[ui].DEFAULT_SHOW_FULL_NAME: full names come first, and logins stay beside them', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { ui: { DEFAULT_SHOW_FULL_NAME: true } },
  })
  const at = await withIssue(forge)
  const alice = await Browser.of(forge, 'alice')
  assert.deepEqual(linksTo((await alice.get(at)).text, 'alice'), ['Alice &amp; Liddell (alice)'])
  assert.ok(linksTo((await alice.get(`${at}/1`)).text, 'alice').includes('Alice &amp; Liddell'))
})
