import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

const path = '/admin/quota'
const settings = { quota: { ENABLED: true } }

test('administrationQuotaPage: without quotas it does not exist, and only administrators see it', async () => {
  await using off = await startForge()
  assert.equal((await (await Browser.of(off, 'root')).get(path)).status, 404)
  await using forge = await startForge({ users: ['alice'], settings })
  const [guest, alice, root] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  assert.equal((await guest.get(path)).status, 303)
  assert.equal((await alice.get(path)).status, 403)
  assert.match((await root.get(path)).text, /No groups yet/)
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  for (const act of ['/rules', '/groups']) {
    assert.equal((await alice.post(path + act, { ...csrf, name: 'x', limit: '1' })).status, 403, act)
  }
})

test('administrationCreateQuotaRule, administrationQuotaRulePage, administrationEditQuotaRule, administrationDeleteQuotaRule: a rule from its creation to its end', async () => {
  await using forge = await startForge({ users: ['alice'], settings })
  const root = await Browser.of(forge, 'root')
  const create = (limit: string, name = 'a/b') =>
    root.submit(path, `action="${path}/rules"`, { name, limit, subjects: ['size:git:lfs', 'size:repos:all'] })
  const wrong = await create('much')
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="limit_problem"/)
  assert.match((await create('1', ' ')).text, /id="rule_name_problem"/)
  assert.equal((await create('2 GB')).status, 303)
  assert.match((await create('1')).text, /id="rule_name_problem"/, 'the name is used')
  const rules = async () => (await forge.as('root').get('/admin/quota/rules')).json
  assert.deepEqual(await rules(), [{ name: 'a/b', limit: 2e9, subjects: ['size:git:lfs', 'size:repos:all'] }])
  const own = `${path}/rules/a%2Fb`
  assert.match((await root.get(own)).text, /value="2000000000"/)
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(own)).status, 403)
  assert.equal((await alice.post(`${own}/delete`, { _csrf: await alice.csrf('/user/settings') })).status, 403)
  assert.equal((await root.submit(own, `action="${own}"`, { limit: '-1', subjects: ['size:all'] })).status, 303)
  assert.deepEqual(await rules(), [{ name: 'a/b', limit: -1, subjects: ['size:all'] }])
  assert.equal((await root.submit(own, `${own}/delete`)).headers.get('location'), path)
  assert.deepEqual(await rules(), [])
})

test('administrationCreateQuotaGroup, administrationQuotaGroupPage, administrationAddRuleToQuotaGroup, administrationRemoveRuleFromQuotaGroup, administrationAddUserToQuotaGroup, administrationRemoveUserFromQuotaGroup, administrationDeleteQuotaGroup: a group has rules and accounts', async () => {
  await using forge = await startForge({ users: ['alice'], settings })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  for (const name of ['one', 'two']) {
    await forge.as('root').must('POST', '/admin/quota/rules', { name, limit: 5, subjects: ['size:all'] })
  }
  const made = await root.submit(path, `action="${path}/groups"`, { name: 'small', rules: ['one'] })
  const own = `${path}/groups/small`
  assert.equal(made.headers.get('location'), own)
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  assert.equal((await alice.get(own)).status, 403)
  for (const act of ['/rules', '/rules/delete', '/users', '/users/alice/delete', '/delete']) {
    assert.equal((await alice.post(own + act, { ...csrf, rule: 'one', account: 'alice' })).status, 403, act)
  }
  const rulesNow = async () =>
    (await forge.as('root').get('/admin/quota/groups/small')).json.rules.map(({ name }: { name: string }) => name)
  assert.deepEqual(await rulesNow(), ['one'])
  assert.equal((await root.submit(own, `action="${own}/rules"`, { rule: 'two' })).status, 303)
  assert.deepEqual(await rulesNow(), ['one', 'two'])
  assert.equal((await root.submit(own, `${own}/rules/delete`)).status, 303)
  assert.deepEqual(await rulesNow(), ['two'])
  const add = (account: string) => root.submit(own, `action="${own}/users"`, { account })
  assert.match((await add('nobody')).text, /id="account_problem"/)
  assert.equal((await add('alice')).status, 303)
  assert.equal((await add('alice')).status, 409)
  const people = async () =>
    (await forge.as('root').get('/admin/quota/groups/small/users')).json.map(({ login }: { login: string }) => login)
  assert.deepEqual(await people(), ['alice'])
  assert.equal((await root.submit(own, `${own}/users/alice/delete`)).status, 303)
  assert.deepEqual(await people(), [])
  assert.equal((await root.submit(own, `${own}/delete`)).headers.get('location'), path)
  assert.equal((await root.get(own)).status, 404)
})

test('administrationUserQuotaPage, administrationSetUserQuotaGroups: the groups of an account are chosen', async () => {
  await using forge = await startForge({ users: ['alice'], settings })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  for (const name of ['small', 'large']) await forge.as('root').must('POST', '/admin/quota/groups', { name })
  const own = '/admin/users/alice/quota'
  assert.equal((await alice.get(own)).status, 403)
  assert.equal((await alice.post(own, { _csrf: await alice.csrf('/user/settings'), groups: ['large'] })).status, 403)
  assert.equal((await root.get('/admin/users/nobody/quota')).status, 404)
  const groups = async () =>
    (await forge.as('root').get('/admin/users/alice/quota')).json.groups.map(({ name }: { name: string }) => name)
  assert.equal((await root.submit(own, `action="${own}"`, { groups: ['small', 'large'] })).status, 303)
  assert.deepEqual((await groups()).toSorted(), ['large', 'small'])
  assert.equal((await root.submit(own, `action="${own}"`, { groups: ['nothing'] })).status, 422)
  assert.equal((await root.submit(own, `action="${own}"`)).status, 303)
  assert.deepEqual(await groups(), [])
  assert.match((await root.get('/admin/users/alice')).text, /href="\/admin\/users\/alice\/quota"/)
})
