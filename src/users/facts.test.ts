import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge } from '../testing/forge.ts'
import { onePixel } from '../testing/samples.ts'

test('userCurrentPutFollow, userCurrentDeleteFollow: events name follower and account, once', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  const followerId = await idOf(forge, 'alice')
  const fact = { userId: await idOf(forge, 'bob'), followerId, doerId: followerId }
  for (const method of ['DELETE', 'PUT', 'PUT'] as const) await alice.must(method, '/user/following/bob')
  await alice.must('PUT', '/user/following/alice')
  assert.deepEqual(await eventsNamed(forge, 'user.followed'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'user.unfollowed'), [])
  for (let time = 0; time < 2; time++) await alice.must('DELETE', '/user/following/bob')
  assert.deepEqual(await eventsNamed(forge, 'user.unfollowed'), [fact])
})

test('userBlockUser, userUnblockUser: a block, all that it ends, and its end', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [await idOf(forge, 'alice'), await idOf(forge, 'bob')]
  const repo = await forge.given.repo()
  const repoId = (await forge.guest.get(repo.api)).json.id
  await forge.as('alice').must('PUT', '/user/following/bob')
  await forge.as('bob').must('PUT', '/user/following/alice')
  await forge.as('bob').must('PUT', `/user/starred/${repo.fullName}`)
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'read' })
  for (const verb of ['unblock', 'block', 'block']) await forge.as('alice').must('PUT', `/user/${verb}/bob`)
  const fact = { blockerId: alice, blockedId: bob, doerId: alice }
  assert.deepEqual(await eventsNamed(forge, 'user.blocked'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'user.unblocked'), [])
  assert.deepEqual(await eventsNamed(forge, 'user.unfollowed'), [
    { userId: bob, followerId: alice, doerId: alice },
    { userId: alice, followerId: bob, doerId: alice },
  ])
  assert.deepEqual(await eventsNamed(forge, 'repo.unstarred'), [{ repoId, userId: bob, doerId: alice }])
  assert.deepEqual(await eventsNamed(forge, 'collaborator.removed'), [
    { repoId, userId: bob, doerId: alice, oldMode: 1 },
  ])
  for (let time = 0; time < 2; time++) await forge.as('alice').must('PUT', '/user/unblock/bob')
  assert.deepEqual(await eventsNamed(forge, 'user.unblocked'), [fact])
})

test('orgBlockUser, orgUnblockUser: who did it for the organization', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  const fact = {
    blockerId: (await forge.as('alice').get(`/orgs/${org}`)).json.id,
    blockedId: await idOf(forge, 'bob'),
    doerId: await idOf(forge, 'alice'),
  }
  await forge.as('alice').must('PUT', `/orgs/${org}/block/bob`)
  await forge.as('alice').must('PUT', `/orgs/${org}/unblock/bob`)
  assert.deepEqual(await eventsNamed(forge, 'user.blocked'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'user.unblocked'), [fact])
})

test('updateUserSettings, adminEditUser, userUpdateAvatar: what an account was before', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const userId = await idOf(forge, 'alice')
  const own = { userId, doerId: userId }
  await alice.must('PATCH', '/user/settings', { full_name: '', theme: 'dark', language: 'de' })
  assert.deepEqual(await eventsNamed(forge, 'user.edited'), [], 'own preferences are nobody else’s matter')
  await alice.must('PATCH', '/user/settings', { full_name: 'Alice', location: 'here', hide_activity: true })
  await alice.must('PATCH', '/user/settings', { full_name: 'Alice', location: 'there' })
  await alice.must('POST', '/user/avatar', { image: onePixel })
  const doerId = await idOf(forge, 'root')
  const edit = { source_id: 0, login_name: 'alice', email: 'new@example.com', visibility: 'limited', restricted: true }
  for (let time = 0; time < 2; time++) await forge.as('root').must('PATCH', '/admin/users/alice', edit)
  assert.deepEqual(await eventsNamed(forge, 'user.edited'), [
    { ...own, oldFullName: '', oldLocation: '', oldHideActivity: false },
    { ...own, oldLocation: 'here' },
    { ...own, oldAvatarKey: '' },
    { userId, doerId, oldEmail: 'alice@example.com', oldVisibility: 'public', oldIsRestricted: false },
  ])
})

test('adminDeleteUser: a purge leaves nothing in the events that the account wrote, and nothing else is lost', async () => {
  await using forge = await startForge({ users: ['mallory', 'alice'] })
  const mallory = forge.as('mallory')
  await mallory.must('PATCH', '/user/settings', { full_name: 'secret name' })
  await mallory.must('PATCH', '/user/settings', { full_name: '' })
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo, poster: 'mallory', title: 'secret title' })
  await forge.as('alice').must('PATCH', issue.api, { title: 'what alice made of it' })
  const comment = (await mallory.must('POST', `${issue.api}/comments`, { body: 'secret words' })).json
  await mallory.must('PATCH', `${repo.api}/issues/comments/${comment.id}`, { body: 'secret still' })
  await forge.as('alice').must('PATCH', `${repo.api}/issues/comments/${comment.id}`, { body: 'clean' })
  const rude = (await mallory.must('POST', `${issue.api}/comments`, { body: 'secret and rude' })).json
  await forge.as('alice').must('DELETE', `${repo.api}/issues/comments/${rude.id}`)
  const other = await forge.given.issue({ repo, title: 'kept title' })
  await forge.as('alice').must('PATCH', other.api, { title: 'kept, too' })
  const logOf = async () => (await forge.as('root').must('GET', '/admin/events/log?limit=50')).json
  const before = await logOf()
  assert.equal(JSON.stringify(before).split('secret').length - 1, 5)
  await forge.as('root').must('DELETE', '/admin/users/mallory?purge=true')
  const after = await logOf()
  assert.ok(!JSON.stringify(after).includes('secret'))
  assert.ok(JSON.stringify(after).includes('kept title'))
  const namesOf = (log: { events: { name: string }[] }) => log.events.map((event) => event.name)
  assert.deepEqual(namesOf(after).slice(0, before.events.length), namesOf(before))
  assert.equal(after.waits_for, null)
  const edits = (await eventsNamed(forge, 'comment.edited')).map((data) => data['oldContent'])
  assert.deepEqual(edits, ['', ''])
})
