import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

const base = '/user/settings'

test('blockedPeoplePage, blockPersonSubmit, unblockPersonSubmit: a person blocks others by name', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const path = `${base}/blocked_users`
  const alice = await Browser.of(forge, 'alice')
  const block = (name: string) => alice.submit(path, `action="${path}"`, { name })
  assert.match((await block('nobody')).text, /id="name_problem">Nobody here has this name/)
  assert.match((await block('alice')).text, /id="name_problem">You cannot block yourself/)
  assert.equal((await block('bob')).status, 303)
  const blocked = async () => ((await forge.as('alice').get('/user/list_blocked')).json as unknown[]).length
  assert.equal(await blocked(), 1)
  assert.match((await alice.get(path)).text, /href="\/bob" class="person"/)
  assert.equal((await alice.submit(path, 'unblock')).status, 303)
  assert.equal(await blocked(), 0)
})

test('ownReposPage, ownOrganizationsPage, leaveOrganizationSubmit: lists contain the own things only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.repo({ owner: 'alice', name: 'mine', private: true })
  await forge.given.repo({ owner: 'bob', name: 'theirs' })
  await forge.as('bob').must('POST', '/orgs', { username: 'acme' })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const { text } = await alice.get(`${base}/repos`)
  assert.match(text, /href="\/alice\/mine"/)
  assert.doesNotMatch(text, /theirs/)
  const path = `${base}/organization`
  assert.doesNotMatch((await alice.get(path)).text, /acme/)
  assert.match((await bob.get(path)).text, /href="\/acme"/)
  const last = await bob.submit(path, 'organization/leave')
  assert.equal(last.status, 422)
  assert.match(last.text, /The last owner of an organization cannot be removed/)
  const teams = (await forge.as('bob').get('/orgs/acme/teams')).json as { id: number }[]
  await forge.as('bob').must('PUT', `/teams/${teams[0]?.id}/members/alice`)
  assert.equal((await bob.submit(path, 'organization/leave')).status, 303)
  assert.doesNotMatch((await bob.get(path)).text, /href="\/acme"/)
})

test('storagePage: shows the usage when quotas are on', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { quota: { ENABLED: true } } })
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(`${base}/storage_overview`)).text, /Your account stores 0 B\./)
})

test('storagePage: does not exist without quotas', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(`${base}/storage_overview`)).status, 404)
})

test('cleanupRulesPage, addCleanupRuleSubmit, cleanupRulePage, editCleanupRuleSubmit, runCleanupRuleSubmit, deleteCleanupRuleSubmit: rules of the own packages', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const path = `${base}/packages`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const add = (fields: Record<string, string>) =>
    alice.submit(path, `action="${path}"`, { type: 'npm', enabled: 'true', ...fields })
  const empty = await add({ keep_count: '0', remove_days: '0' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /id="keep_count_problem"/)
  assert.equal((await add({ keep_count: '5', remove_days: '0' })).status, 303)
  const rules = async () =>
    (await forge.as('alice').get('/packages/alice/-/cleanup-rules')).json as { id: number; keep_count: number }[]
  const [rule] = await rules()
  assert.equal(rule?.keep_count, 5)
  const at = `${path}/rules/${rule.id}`
  assert.equal((await bob.get(at)).status, 404)
  assert.equal((await bob.post(`${at}/delete`, { _csrf: await bob.csrf(path) })).status, 404)
  assert.equal((await alice.submit(at, `action="${at}"`, { keep_count: '7', remove_days: '30' })).status, 303)
  assert.equal((await rules())[0]?.keep_count, 7)
  assert.equal((await alice.submit(path, `${at}/run`)).status, 303)
  assert.equal((await alice.submit(at, `${at}/delete`)).status, 303)
  assert.deepEqual(await rules(), [])
})
