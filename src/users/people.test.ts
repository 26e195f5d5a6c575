import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import { startForge } from '../testing/forge.ts'
import { parseSshKey } from './credentials/ssh-key.ts'
import { publicKey } from '../testing/samples.ts'

const logins = (reply: { readonly json: readonly { readonly login: string }[] }) => reply.json.map((user) => user.login)

test('userGet, userGetCurrent: what a guest, another and the account itself see', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await forge
    .as('alice')
    .must('PATCH', '/user/settings', { hide_email: true, hide_pronouns: true, pronouns: 'she/her' })
  const seen = async (client: typeof forge.guest) => {
    const { json } = await client.get('/users/alice')
    return [json.email, json.pronouns, json.active]
  }
  const placeholder = `alice@${forge.services.config.service.noReplyAddress}`
  assert.deepEqual(await seen(forge.guest), [placeholder, '', false])
  assert.deepEqual(await seen(forge.as('bob')), [placeholder, 'she/her', false])
  assert.deepEqual(await seen(forge.as('alice')), ['alice@example.com', 'she/her', true])
  assert.equal((await forge.as('alice').get('/user')).json.email, 'alice@example.com')
})

test('userGet: private accounts are 404 for strangers, and so is everything below them', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await forge.addUser('prv', { visibility: 'private' })
  const below = ['', '/repos', '/keys', '/followers', '/following', '/following/bob', '/starred', '/subscriptions']
  for (const path of below) {
    assert.equal((await forge.as('bob').get(`/users/prv${path}`)).status, 404, path)
    assert.notEqual((await forge.as('root').get(`/users/prv${path}`)).status, 403, path)
  }
  assert.equal((await forge.as('prv').get('/users/prv/repos')).status, 200)
})

test('userSearch: logins, names and shown addresses of those the caller may see', async () => {
  await using forge = await startForge({ users: ['needle', 'bob'] })
  await forge.addUser('needle-limited', { visibility: 'limited' })
  await forge.addUser('needle-private', { visibility: 'private' })
  const find = async (client: typeof forge.guest, query: string) =>
    (await client.get(`/users/search?${query}`)).json.data.map((user: { login: string }) => user.login)
  assert.deepEqual(await find(forge.guest, 'q=NEEDLE'), ['needle'])
  assert.deepEqual(await find(forge.as('bob'), 'q=needle'), ['needle', 'needle-limited'])
  assert.deepEqual(await find(forge.as('root'), 'q=needle'), ['needle', 'needle-limited', 'needle-private'])
  assert.deepEqual(await find(forge.as('bob'), 'q=needle@example'), ['needle'])
  await forge.as('needle').must('PATCH', '/user/settings', { hide_email: true })
  assert.deepEqual(await find(forge.as('bob'), 'q=needle@example'), [])
  assert.deepEqual(await find(forge.as('bob'), 'uid=-1'), ['Ghost'])
  using queries = await countQueries(forge)
  await forge.as('bob').get('/users/search?q=needle')
  assert.ok(queries.count <= 4, `${queries.count}: token, account, rows, count`)
})

test('getUserSettings, updateUserSettings: limits are 422 and leave everything as it was', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  assert.equal((await alice.patch('/user/settings', { full_name: 'x'.repeat(101), location: 'Rome' })).status, 422)
  assert.equal((await alice.patch('/user/settings', { website: 'nope', location: 'Rome' })).status, 422)
  assert.equal((await alice.get('/user/settings')).json.location, '')
  assert.equal((await alice.patch('/user/settings', { location: 'Rome', language: null })).json.location, 'Rome')
})

test('userListEmails, userAddEmail, userDeleteEmail: all or nothing, and the primary one stays', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = forge.as('alice')
  const add = async (emails: string[]) => (await alice.post('/user/emails', { emails })).status
  assert.equal(await add([]), 422)
  assert.equal(await add(['new@example.org', 'nope']), 422)
  assert.equal(await add(['new@example.org', 'BOB@example.com']), 422)
  assert.equal((await alice.get('/user/emails')).json.length, 1)
  assert.equal(await add(['new@example.org']), 201)
  const remove = async (emails: string[]) => (await alice.delete('/user/emails', { emails })).status
  assert.equal(await remove(['new@example.org', 'other@example.org']), 404)
  assert.equal(await remove(['alice@example.com']), 422)
  assert.equal(await remove(['NEW@example.org']), 204)
  assert.equal((await alice.get('/user/emails')).json.length, 1)
})

test('userCurrentPostKey, userCurrentListKeys, userCurrentGetKey, userListKeys, userCurrentDeleteKey: one key on the instance once', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const made = (await alice.must('POST', '/user/keys', { title: 'laptop', key: `  ${publicKey} me@home\n` })).json
  assert.deepEqual([made.key, made.user.login], [`${publicKey} me@home`, 'alice'])
  assert.equal((await bob.post('/user/keys', { title: 'theirs', key: publicKey })).status, 422)
  assert.equal((await alice.post('/user/keys', { title: 'x', key: 'ssh-ed25519 AAAA' })).status, 422)
  assert.equal((await bob.get(`/user/keys/${made.id}`)).json.user, undefined)
  assert.equal((await bob.get('/users/alice/keys')).json.length, 1)
  assert.equal((await alice.get(`/user/keys?fingerprint=${encodeURIComponent(made.fingerprint)}`)).json.length, 1)
  assert.equal((await bob.delete(`/user/keys/${made.id}`)).status, 403)
  assert.equal((await alice.delete(`/user/keys/${made.id}`)).status, 204)
  assert.equal((await alice.delete(`/user/keys/${made.id}`)).status, 404)
})

test('userCurrentPostKey: of the same key on several accounts at once one is taken', async () => {
  await using forge = await startForge({ users: ['a', 'b', 'c'] })
  const replies = await Promise.all(
    ['a', 'b', 'c'].map((name) => forge.as(name).post('/user/keys', { title: 'x', key: publicKey })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 422, 422],
  )
})

test('parseSshKey: what is no key, cut off, of another type inside, or of an unknown curve is refused', () => {
  assert.equal(parseSshKey(publicKey)?.family, 'ED25519')
  assert.equal(parseSshKey(publicKey.slice(0, -4)), undefined)
  assert.equal(parseSshKey(publicKey.replace('ssh-ed25519', 'ssh-rsa')), undefined)
  assert.equal(parseSshKey(`${publicKey}\n${publicKey}`), undefined)
  assert.equal(parseSshKey('command="x" ' + publicKey), undefined)
  assert.equal(parseSshKey(`ssh-ed25519 ${'A'.repeat(20_000)}`), undefined)
})

test('userCurrentPutFollow, userCurrentCheckFollowing, userCheckFollowing, userCurrentDeleteFollow and the lists: counters follow, also of several at once', async () => {
  await using forge = await startForge({ users: ['bob', 'carol'] })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  assert.equal((await alice.get('/user/following/bob')).status, 404)
  const replies = await Promise.all([1, 2, 3].map(() => alice.put('/user/following/bob')))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204, 204],
  )
  assert.equal((await alice.put('/user/following/alice')).status, 204, 'oneself without effect')
  assert.deepEqual(
    [(await alice.get('/user')).json.following_count, (await bob.get('/user')).json.followers_count],
    [1, 1],
  )
  assert.deepEqual(logins(await bob.get('/user/followers')), ['alice'], 'userCurrentListFollowers')
  assert.deepEqual(logins(await alice.get('/user/following')), ['bob'], 'userCurrentListFollowing')
  assert.deepEqual(logins(await bob.get('/users/bob/followers')), ['alice'], 'userListFollowers')
  assert.deepEqual(logins(await bob.get('/users/alice/following')), ['bob'], 'userListFollowing')
  assert.equal((await forge.as('carol').get('/users/alice/following/bob')).status, 204)
  assert.equal((await forge.as('carol').get('/users/bob/following/alice')).status, 404)
  await alice.must('DELETE', '/user/following/bob')
  await alice.must('DELETE', '/user/following/bob')
  assert.equal((await bob.get('/user')).json.followers_count, 0)
})

test('userListFollowers: a private follower is shown to the followed and to administrators alone', async () => {
  await using forge = await startForge({ users: ['bob', 'carol'] })
  await forge.addUser('prv', { visibility: 'private' })
  await forge.as('prv').must('PUT', '/user/following/bob')
  assert.deepEqual(logins(await forge.as('carol').get('/users/bob/followers')), [])
  assert.deepEqual(logins(await forge.as('bob').get('/users/bob/followers')), ['prv'])
  assert.deepEqual(logins(await forge.as('root').get('/users/bob/followers')), ['prv'])
})

test('userBlockUser, userListBlockedUsers, userUnblockUser: what ends at once, and what is refused while it lasts', async () => {
  await using forge = await startForge({ users: ['pest'] })
  const repo = await forge.given.repo()
  const theirs = await forge.given.repo({ owner: 'pest' })
  const [alice, pest] = [forge.as('alice'), forge.as('pest')]
  await alice.must('PUT', '/user/following/pest')
  await pest.must('PUT', '/user/following/alice')
  await pest.must('PUT', `/user/starred/${repo.fullName}`)
  await alice.must('PUT', `/user/starred/${theirs.fullName}`)
  await pest.must('POST', `${theirs.api}/transfer`, { new_owner: 'alice' })
  await alice.must('PUT', '/user/block/pest')
  await alice.must('PUT', '/user/block/pest')
  assert.equal((await alice.get('/user/list_blocked')).json.length, 1)
  const [mine, other] = [(await alice.get(repo.api)).json, (await pest.get(theirs.api)).json]
  assert.deepEqual([mine.stars_count, other.stars_count, other.repo_transfer], [0, 0, null])
  assert.deepEqual(
    [(await alice.get('/user')).json.followers_count, (await pest.get('/user')).json.followers_count],
    [0, 0],
  )
  assert.equal((await pest.put('/user/following/alice')).status, 403)
  assert.equal((await alice.put('/user/following/pest')).status, 403)
  assert.equal((await pest.post(`${theirs.api}/transfer`, { new_owner: 'alice' })).status, 403)
  assert.equal((await pest.put(`/user/starred/${repo.fullName}`)).status, 204, 'starring stays possible')
  await alice.must('PUT', '/user/unblock/pest')
  assert.equal((await pest.put('/user/following/alice')).status, 204)
})
