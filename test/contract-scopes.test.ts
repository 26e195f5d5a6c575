import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, testPassword } from '../src/testing/forge.ts'
import { createToken } from '../src/users/credentials/token.service.ts'
import { addressOf, clientOf, everythingOn, jobTokens, type Caller } from './authorization-world.ts'

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
  await forge.given.org({ owner: 'root', name: 'guild' })
  const ofPeople = ['/users/root/orgs', '/users/root/orgs/guild/permissions']
  for (const scope of ['read:user', 'read:organization']) {
    const client = await as(scope)
    assert.equal((await client.get('/user/orgs')).status, 200, scope)
    for (const path of ofPeople) {
      assert.equal((await client.get(path)).status, scope === 'read:user' ? 200 : 403, `${scope} ${path}`)
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

test('a public-only token changes public repositories and organizations as its scopes say, and nothing of the account', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'open' })
  await forge.given.org({ owner: 'alice', name: 'guild' })
  const { user } = await forge.account('alice')
  const made = await createToken(forge.services, user, { name: 'public', scopes: ['public-only', 'all'] })
  const open = forge.as('alice', { token: made.token })
  const ofHolder = /^\/(?:repos\/\{username\}\/\{reponame\}|orgs\/\{org\}|teams\/\{teamid\})(?:\/|$)/
  const refused: string[] = []
  const accepted: string[] = []
  for (const operation of forge.services.operations()) {
    const isCalled = operation.base !== 'site' && operation.accepts.includes('token')
    if (operation.outlivesCredential === false || !isCalled) continue
    const path = addressOf(operation, { username: 'alice', reponame: 'open' })
    const client = clientOf(forge, { token: made.token } as Caller)
    const { json } = await client(operation, path)
    const isOfHolder = ofHolder.test(operation.path) && !operation.path.includes('/transfer')
    const isRefused = json?.code === 'public_only'
    if (isRefused === isOfHolder) (isRefused ? refused : accepted).push(operation.id)
  }
  assert.deepEqual({ refused, accepted }, { refused: [], accepted: [] })
  const privateOnes = ['/user/repos', '/orgs/guild/repos', '/org/guild/repos']
  for (const path of privateOnes) {
    const { status, json } = await open.post(path, { name: 'secret', private: true })
    assert.deepEqual([status, json.code], [403, 'public_only'], path)
  }
  assert.equal((await open.post('/user/repos', { name: 'shown' })).status, 201)
  const config = { url: 'https://example.com/', content_type: 'json' }
  for (const path of ['/repos/alice/open/hooks', '/orgs/guild/hooks']) {
    assert.equal((await open.post(path, { type: 'gitea', config })).status, 201, path)
  }
  assert.equal((await open.put('/repos/alice/open/collaborators/root')).status, 204)
  assert.equal((await open.put('/repos/alice/open/actions/secrets/KEY', { data: 'x' })).status, 201)
  assert.equal((await open.post('/orgs/guild/teams', { name: 'crew', units: ['repo.code'] })).status, 201)
})

test('a job of a workflow gets 404 from every operation of another repository', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice'] })
  for (const name of ['own', 'other']) await forge.given.repo({ owner: 'alice', name })
  const { writing, reading } = await jobTokens(forge, 'own')
  for (const token of [writing, reading]) {
    const client = clientOf(forge, { token } as Caller)
    const found: string[] = []
    for (const operation of forge.services.operations()) {
      if (operation.base !== 'api' || !operation.accepts.includes('job')) continue
      if (!operation.path.startsWith('/repos/{username}/{reponame}')) continue
      const { status } = await client(operation, addressOf(operation, { username: 'alice', reponame: 'other' }))
      if (status !== 404) found.push(`${operation.id}: ${status}`)
    }
    assert.deepEqual(found, [])
  }
})
