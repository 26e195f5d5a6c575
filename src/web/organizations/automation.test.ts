import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const base = '/org/smiths/settings'
const address = 'http://127.0.0.1:9/hook'

/** Alice owns `smiths`, bob owns `bakers`. */
async function twoOrganizations(settings: Parameters<typeof startForge>[0] = {}) {
  const forge = await startForge({ users: ['alice', 'bob'], ...settings })
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  await forge.given.org({ owner: 'bob', name: 'bakers' })
  return forge
}

test('orgHooksPage, newOrgHookPage, createOrgHookSubmit, orgHookPage, editOrgHookSubmit, deleteOrgHookSubmit: an owner manages webhooks', async () => {
  await using forge = await twoOrganizations()
  const path = `${base}/hooks`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.match((await alice.get(path)).text, /No webhooks yet/)
  const at = `${path}/forgejo/new`
  const wrong = await alice.submit(at, `action="${at}"`, { url: 'ftp://x' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="ftp:\/\/x"/)
  const fields = { url: address, secret: 'hush', event_set: 'chosen', events: ['issues_only'], active: 'true' }
  const own = (await alice.submit(at, `action="${at}"`, fields)).headers.get('location') ?? ''
  const hooks = async () => (await forge.as('alice').must('GET', '/orgs/smiths/hooks')).json
  const [hook] = await hooks()
  assert.equal(own, `${path}/${hook.id}`)
  assert.deepEqual([hook.type, hook.events], ['forgejo', ['issues']])
  const shown = await alice.get(own)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.ok(!shown.text.includes('hush'))
  const foreign = `/org/bakers/settings/hooks/${hook.id}`
  assert.equal((await bob.get(foreign)).status, 404, 'a webhook of another organization')
  const csrf = { _csrf: await bob.csrf('/org/bakers/settings') }
  for (const act of ['', '/delete', '/replay']) {
    assert.equal((await bob.post(foreign + act, { ...csrf, url: address })).status, 404, act)
  }
  assert.equal((await alice.submit(own, `action="${own}"`, { url: `${address}/2`, event_set: 'all' })).status, 303)
  assert.equal((await hooks())[0].url, `${address}/2`)
  assert.equal((await alice.submit(own, `${own}/delete`)).headers.get('location'), path)
  assert.deepEqual(await hooks(), [])
})

test('orgHookDeliveryPage, replayOrgHookSubmit, replayFailedOrgHookSubmit: deliveries are shown and sent again', async () => {
  await using forge = await twoOrganizations({ settings: { webhook: { ALLOWED_HOST_LIST: 'external' } } })
  const config = { url: address, content_type: 'json' }
  const { json: hook } = await forge
    .as('alice')
    .must('POST', '/orgs/smiths/hooks', { type: 'forgejo', config, events: ['repository'], active: true })
  await forge.as('alice').must('POST', '/orgs/smiths/repos', { name: 'anvil', auto_init: false })
  await forge.settle()
  const at = `${base}/hooks/${hook.id}`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const link = new RegExp(`href="(${at}/deliveries/\\d+)"`).exec((await alice.get(at)).text)?.[1] ?? ''
  assert.match((await alice.get(link)).text, /<h1>repository<\/h1>/)
  assert.equal((await bob.get(link.replace('smiths', 'bakers'))).status, 404)
  assert.equal((await alice.submit(at, `${link}/replay`)).status, 303)
  await forge.settle()
  assert.equal((await alice.post(`${at}/replay`, { _csrf: await alice.csrf(at) })).status, 303)
})

test('orgActionsPage, putOrgSecretSubmit, deleteOrgSecretSubmit: secrets are set and deleted, and never shown', async () => {
  await using forge = await twoOrganizations()
  const path = `${base}/actions`
  const alice = await Browser.of(forge, 'alice')
  const put = (name: string, data: string) => alice.submit(path, `action="${path}/secrets"`, { name, data })
  assert.match((await put('1 bad', 'hush')).text, /id="secret_name_problem"/)
  assert.equal((await put('token', 'hush')).status, 303)
  const { text } = await alice.get(path)
  assert.ok(text.includes('<code>TOKEN</code>') && !text.includes('hush'))
  assert.equal((await forge.as('alice').must('GET', '/orgs/smiths/actions/secrets')).json[0].name, 'TOKEN')
  assert.equal((await alice.submit(path, 'secrets/delete')).status, 303)
  assert.deepEqual((await forge.as('alice').must('GET', '/orgs/smiths/actions/secrets')).json, [])
})

test('addOrgVariableSubmit, orgVariablePage, editOrgVariableSubmit, deleteOrgVariableSubmit: variables are changed', async () => {
  await using forge = await twoOrganizations()
  const path = `${base}/actions`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.equal((await alice.submit(path, `action="${path}/variables"`, { name: 'level', data: 'one' })).status, 303)
  const at = `${path}/variables/LEVEL`
  assert.equal((await bob.get(at)).status, 403)
  assert.equal((await bob.get(at.replace('smiths', 'bakers'))).status, 404)
  assert.equal((await alice.submit(at, `action="${at}"`, { name: 'grade', data: 'two' })).status, 303)
  const variable = '/orgs/smiths/actions/variables/grade'
  assert.equal((await forge.as('alice').must('GET', variable)).json.data, 'two')
  assert.equal((await alice.submit(path, 'variables/delete')).status, 303)
  assert.equal((await forge.as('alice').get(variable)).status, 404)
})

test('newOrgRunnerTokenSubmit, endOrgRunnerTokenSubmit, orgRunnerRegistrationSubmit, deleteOrgRunnerSubmit: registration is controlled', async () => {
  await using forge = await twoOrganizations()
  const path = `${base}/actions`
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(path, 'runners/token"')).status, 303)
  assert.match((await alice.get(path)).text, /--token \w{20,}/)
  assert.match((await alice.get(path)).text, /A token is valid/)
  assert.equal((await alice.submit(path, 'runners/token/delete')).status, 303)
  assert.doesNotMatch((await alice.get(path)).text, /A token is valid/)
  assert.equal((await alice.submit(path, 'runners/registration')).status, 303)
  assert.equal((await forge.as('alice').get('/orgs/smiths/actions/runners/registration-token')).status, 403)
  const csrf = { _csrf: await alice.csrf(path) }
  assert.equal((await alice.post(`${path}/runners/delete`, { ...csrf, id: '7' })).status, 404)
})

test('orgCleanupRulesPage, addOrgCleanupRuleSubmit, orgCleanupRulePage, editOrgCleanupRuleSubmit, runOrgCleanupRuleSubmit, deleteOrgCleanupRuleSubmit: rules of the packages', async () => {
  await using forge = await twoOrganizations()
  const path = `${base}/packages`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  for (const version of ['1.0.0', '2.0.0']) {
    const put = await forge
      .as('alice')
      .send('PUT', `/api/packages/smiths/generic/nail/${version}/nail.txt`, undefined, { site: true, raw: 'iron' })
    assert.equal(put.status, 201)
  }
  const add = (keep: string) =>
    alice.submit(path, `action="${path}"`, { type: 'generic', enabled: 'true', keep_count: keep, remove_days: '0' })
  assert.match((await add('0')).text, /id="keep_count_problem"/)
  assert.equal((await add('5')).status, 303)
  const rules = async () => (await forge.as('alice').must('GET', '/packages/smiths/-/cleanup-rules')).json
  const [rule] = await rules()
  const at = `${path}/rules/${rule.id}`
  assert.match((await alice.get(at)).text, /Nothing, at the moment/)
  assert.equal((await bob.get(at.replace('smiths', 'bakers'))).status, 404)
  assert.equal(
    (await alice.submit(at, `action="${at}"`, { keep_count: '1', remove_days: '0', enabled: 'true' })).status,
    303,
  )
  assert.equal((await rules())[0].keep_count, 1)
  const { text } = await alice.get(at)
  assert.ok(text.includes('1.0.0') && !text.includes('2.0.0'), 'the preview names the old version')
  assert.equal((await alice.submit(path, `${at}/run`)).status, 303)
  assert.equal((await alice.submit(at, `${at}/delete`)).status, 303)
  assert.deepEqual(await rules(), [])
})
