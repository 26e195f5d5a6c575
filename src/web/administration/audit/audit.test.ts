import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, testPassword } from '../../../testing/forge.ts'

/** Returns the rows of the audit log as lines of text, with the targets of their links. */
async function rowsOf(browser: Browser, query = '') {
  const { status, text } = await browser.get(`/admin/audit${query}`)
  assert.equal(status, 200)
  return [...text.matchAll(/<li class="row audit-row">(.*?)<\/li>/gs)].map(([, row = '']) => ({
    text: row
      .replaceAll(/<time.*?<\/time>/gs, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    links: [...row.matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
  }))
}

test('administrationAuditPage: entries say what happened in words, with the names of accounts and repositories', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  await alice.must('POST', '/user/repos', { name: 'anvil', auto_init: true })
  await alice.must('PUT', '/repos/alice/anvil/collaborators/bob', { permission: 'write' })
  await alice.must('PATCH', '/repos/alice/anvil', { private: true })
  const root = await Browser.of(forge, 'root')
  const [hidden, added] = await rowsOf(root, '?actor=alice')
  assert.match(hidden?.text ?? '', /^alice Repository visibility changed alice\/anvil now private/)
  assert.deepEqual(hidden?.links, ['/admin/users/alice', '/alice/anvil'])
  assert.match(added?.text ?? '', /^alice Collaborator added alice\/anvil for bob access: write/)
  assert.deepEqual(added?.links, ['/admin/users/alice', '/alice/anvil', '/admin/users/bob'])
})

test('administrationAuditPage: an account that acts on itself is named once, and a deleted one without a link', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await new Browser(forge).signIn('alice', 'not her password')
  await new Browser(forge).signIn('alice', testPassword)
  const root = await Browser.of(forge, 'root')
  await forge.as('root').must('DELETE', '/admin/users/alice?purge=true')
  const [deleted] = await rowsOf(root, '?action=user.deleted')
  assert.match(deleted?.text ?? '', /^root Account deleted alice with its repositories/)
  assert.deepEqual(deleted?.links, ['/admin/users/root'])
  const [signedIn] = await rowsOf(root, '?actor=alice&action=session.begun')
  assert.match(signedIn?.text ?? '', /^alice Signed in (?!alice)/)
  assert.deepEqual(signedIn?.links, [])
  const [refused, ...others] = await rowsOf(root, '?outcome=refused&action=password.used')
  assert.match(refused?.text ?? '', /Password used alice Refused/)
  assert.deepEqual(others, [])
})

test('administrationAuditPage: its filter stays chosen and can be cleared', async () => {
  await using forge = await startForge()
  const root = await Browser.of(forge, 'root')
  const { text } = await root.get('/admin/audit?action=session.begun')
  assert.match(text, /<option value="session.begun" selected>Signed in<\/option>/)
  assert.match(text, /<optgroup label="Signing in">/)
  assert.match(text, /href="\/admin\/audit"[^>]*>Show all</)
  assert.doesNotMatch((await root.get('/admin/audit')).text, />Show all</)
  assert.deepEqual(await rowsOf(root, '?actor=nobody'), [])
})
