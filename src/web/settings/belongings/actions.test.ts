import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

const path = '/user/settings/actions'

test('userActionsPage, putUserSecretSubmit, deleteUserSecretSubmit: secrets are set and deleted, and never shown', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const alice = await Browser.of(forge, 'alice')
  const put = (name: string, data: string) => alice.submit(path, `action="${path}/secrets"`, { name, data })
  const wrong = await put('1 bad', 'hush')
  assert.ok([400, 422].includes(wrong.status))
  assert.match(wrong.text, /id="secret_name_problem"/)
  assert.equal((await put('token', 'hush')).status, 303)
  const shown = await alice.get(path)
  assert.match(shown.text, /<code>TOKEN<\/code>/)
  assert.ok(!shown.text.includes('hush'))
  assert.equal((await alice.submit(path, 'secrets/delete')).status, 303)
  assert.doesNotMatch((await alice.get(path)).text, /<code>TOKEN<\/code>/)
})

test('addUserVariableSubmit, userVariablePage, editUserVariableSubmit, deleteUserVariableSubmit: variables are changed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const add = (name: string) => alice.submit(path, `action="${path}/variables"`, { name, data: 'one <b>' })
  assert.equal((await add('level')).status, 303)
  assert.equal((await add('level')).status, 409)
  const at = `${path}/variables/LEVEL`
  assert.match((await alice.get(at)).text, /one &lt;b/)
  assert.equal((await bob.get(at)).status, 404)
  assert.equal((await alice.submit(at, `action="${at}"`, { name: 'grade', data: 'two' })).status, 303)
  assert.equal((await forge.as('alice').get('/user/actions/variables/grade')).json.data, 'two')
  assert.equal((await alice.submit(path, 'variables/delete')).status, 303)
  assert.equal((await forge.as('alice').get('/user/actions/variables/grade')).status, 404)
})

test('newUserRunnerTokenSubmit, endUserRunnerTokenSubmit, userRunnerRegistrationSubmit, deleteUserRunnerSubmit: registration is controlled', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(path, 'runners/token"')).status, 303)
  const token = /--token (\w+)/.exec((await alice.get(path)).text)?.[1] ?? ''
  assert.match(token, /^\w{20,}$/)
  const again = await alice.get(path)
  assert.ok(!again.text.includes(token), 'once')
  assert.match(again.text, /A token is valid/)
  assert.equal((await alice.submit(path, 'runners/token/delete')).status, 303)
  assert.doesNotMatch((await alice.get(path)).text, /A token is valid/)
  assert.equal((await alice.submit(path, 'runners/registration')).status, 303)
  assert.match((await alice.get(path)).text, /No runner can register here/)
  assert.equal((await forge.as('alice').get('/user/actions/runners/registration-token')).status, 403)
  assert.equal((await alice.submit(path, 'runners/registration')).status, 303)
  assert.equal((await forge.as('alice').get('/user/actions/runners/registration-token')).status, 200)
  const csrf = { _csrf: await alice.csrf(path) }
  assert.equal((await alice.post(`${path}/runners/delete`, { ...csrf, id: '7' })).status, 404)
})
