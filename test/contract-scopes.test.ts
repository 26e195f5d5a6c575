import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, testPassword } from '../src/testing/forge.ts'
import { createToken } from '../src/users/credentials/token.service.ts'

test('an operation accepts a token with the category and level of its row in the contract', async () => {
  await using forge = await startForge()
  await forge.given.repo({ owner: 'root', name: 'open' })
  const { user } = await forge.account('root')
  const as = async (scope: string) =>
    forge.as('root', { token: (await createToken(forge.services, user, { name: scope, scopes: [scope] })).token })
  const reading = ['/user/repos', '/users/root/repos', '/user/starred']
  const repository = await as('read:repository')
  for (const path of reading) assert.equal((await repository.get(path)).status, 200, path)
  const writing = await as('write:repository')
  assert.equal((await writing.post('/user/repos', { name: 'made' })).status, 201)
  assert.equal((await writing.put('/user/starred/root/open')).status, 204)
  assert.equal((await writing.get('/user/starred/root/open')).status, 204)
  assert.equal((await writing.delete('/user/starred/root/open')).status, 204)
  for (const scope of ['read:user', 'read:organization']) {
    const client = await as(scope)
    for (const path of ['/user/orgs', '/users/root/orgs']) {
      assert.equal((await client.get(path)).status, 200, `${scope} ${path}`)
    }
    for (const path of reading) assert.equal((await client.get(path)).status, 403, `${scope} ${path}`)
  }
  assert.equal((await (await as('read:issue')).get('/users/root/orgs')).status, 403)
})

test('userCreateToken, userDeleteAccessToken: a caller without basic authentication is answered 401, whatever the request', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const path = '/users/alice/tokens'
  for (const client of [forge.as('alice'), forge.as('root'), forge.guest]) {
    assert.equal((await client.post(path, {})).status, 401)
    assert.equal((await client.post('/users/nobody/tokens', {})).status, 401)
    assert.equal((await client.delete(`${path}/1`)).status, 401)
  }
  assert.equal((await forge.as('alice').get(path)).status, 200)
  const basic = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  assert.equal((await basic.post(path, { name: 'one', scopes: ['read:user'] })).status, 201)
})
