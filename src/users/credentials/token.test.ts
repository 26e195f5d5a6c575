import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, testPassword } from '../../testing/forge.ts'

const basic = (login: string, password = testPassword) => ({ basic: { login, password } })

test('userCreateToken, userDeleteAccessToken: others are 403, a token alone is 401, a wrong password too', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const path = '/users/alice/tokens'
  const body = { name: 'build', scopes: ['read:user'] }
  const make = async (client: typeof forge.guest) => (await client.post(path, body)).status
  assert.deepEqual(
    [
      await make(forge.as('bob', basic('bob'))),
      await make(forge.as('alice')),
      await make(forge.as('alice', basic('alice', 'wrong'))),
    ],
    [403, 401, 401],
  )
  const alice = forge.as('alice', basic('alice'))
  assert.equal((await alice.post(path, { name: '' })).status, 422)
  assert.equal((await alice.post(path, { name: 'build', scopes: ['read:moon'] })).status, 400)
  const { id } = (await alice.must('POST', path, body)).json
  assert.equal((await alice.post(path, body)).status, 400, 'the name is taken')
  assert.equal((await forge.as('bob', basic('bob')).delete(`${path}/${id}`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${path}/${id}`)).status, 401)
  assert.equal((await forge.as('bob', basic('bob')).delete(`/users/bob/tokens/${id}`)).status, 404, 'another account’s')
})

test('userCreateToken, userGetTokens, userDeleteAccessToken: a token is shown once, obeys its scopes and ends when deleted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice', basic('alice'))
  const path = '/users/alice/tokens'
  const made = (await alice.must('POST', path, { name: 'build', scopes: ['read:user'] })).json
  assert.match(made.sha1, /^[0-9a-f]{40}$/)
  assert.equal(made.token_last_eight, made.sha1.slice(-8))
  const client = forge.as('alice', { token: made.sha1 })
  assert.equal((await client.get('/user')).json.login, 'alice')
  assert.equal((await client.post('/user/repos', { name: 'one' })).status, 403)
  const listed = (await alice.must('GET', path)).json.find((token: { name: string }) => token.name === 'build')
  assert.deepEqual([listed.id, listed.sha1, listed.scopes], [made.id, '', ['read:user']])
  assert.equal((await alice.delete(`${path}/build`)).status, 204, 'by its name')
  assert.equal((await client.get('/user')).status, 401)
  assert.equal((await alice.delete(`${path}/${made.id}`)).status, 404)
})

test('userGetTokens: only oneself and administrators; a page is asked for and counted', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const path = '/users/alice/tokens'
  assert.equal((await forge.as('bob').get(path)).status, 403)
  assert.equal((await forge.as('root').get('/users/nobody/tokens')).status, 404)
  const alice = forge.as('alice', basic('alice'))
  for (const name of ['one', 'two']) await alice.must('POST', path, { name, scopes: ['all'] })
  const page = await forge.as('root').must('GET', `${path}?page=1&limit=2`)
  assert.deepEqual(
    page.json.map((token: { name: string }) => token.name),
    ['two', 'one'],
  )
  assert.equal(page.headers.get('x-total-count'), '3')
})

test('a token in the query of a URL: taken, unless DISABLE_QUERY_AUTH_TOKEN stands', async () => {
  for (const [isDisabled, status] of [
    [false, 200],
    [true, 401],
  ] as const) {
    await using forge = await startForge({ settings: { security: { DISABLE_QUERY_AUTH_TOKEN: isDisabled } } })
    const { token } = await forge.account('root')
    for (const name of ['token', 'access_token']) {
      assert.equal((await forge.guest.get(`/user?${name}=${token}`)).status, status, name)
    }
    assert.equal((await forge.as('root').get('/user')).status, 200)
  }
})
