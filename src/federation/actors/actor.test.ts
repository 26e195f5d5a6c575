import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { ForgeClient } from '../../testing/client.ts'
import { federationSettings, Peer, repoIdOf, sendAs } from '../peer.test-support.ts'

test('federation is off unless it is switched on', async () => {
  await using forge = await startForge({ users: ['ada'] })
  const { user } = await forge.account('ada')
  const root = '/activitypub'
  for (const path of [`${root}/actor`, `${root}/user-id/${user.id}`, `${root}/user/ada`, `${root}/repository-id/1`]) {
    assert.deepEqual(
      [(await forge.guest.get(path)).status, (await forge.guest.post(`${path}/inbox`, {})).status],
      [404, 404],
    )
  }
  const finger = await forge.guest.get(`/.well-known/webfinger?resource=${forge.url}/ada`, { site: true })
  assert.equal(finger.status, 404)
})

test('activitypubInstanceActor, activitypubPersonByName, activitypubRepository: documents', async () => {
  await using peer = await Peer.start()
  await using forge = await startForge({ users: ['ada', 'hidden'], settings: { federation: federationSettings } })
  const app = peer.application()
  const ada = await forge.account('ada')
  const actor = `${forge.url}/api/v1/activitypub`
  const get = (path: string) => sendAs(forge, app, 'GET', path)

  const instance = await forge.guest.get('/activitypub/actor')
  assert.equal(
    instance.headers.get('content-type'),
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
  )
  assert.deepEqual([instance.json.id, instance.json.type], [`${actor}/actor`, 'Application'])

  const byName = await get('/activitypub/user/ada')
  const byId = await get(`/activitypub/user-id/${ada.user.id}`)
  assert.deepEqual(byName.json, byId.json)
  assert.equal(byId.json.followers, `${actor}/user-id/${ada.user.id}/followers`)
  assert.equal('name' in byId.json, false, 'no full name, no name')
  assert.notEqual(byId.json.publicKey.publicKeyPem, instance.json.publicKey.publicKeyPem)
  const keys = await forge.services.db.selectFrom('actor_key').select('sealed_private_key').execute()
  assert.equal(keys.length, 2)
  assert.ok(
    keys.every((row) => row.sealed_private_key.startsWith('v1.')),
    'private keys are sealed',
  )

  await forge.as('ada').must('PATCH', '/user/settings', { full_name: '<b>Ada</b>' })
  assert.equal((await get('/activitypub/user/ada')).json.name, '<b>Ada</b>', 'a name is plain text')
  await forge.as('root').must('POST', '/admin/users/ada/rename', { new_username: 'lovelace' })
  const renamed = await get('/activitypub/user/ada')
  assert.deepEqual([renamed.status, renamed.headers.get('location')], [307, '/api/v1/activitypub/user/lovelace'])
  assert.equal((await get(`/activitypub/user-id/${ada.user.id}`)).json.preferredUsername, 'lovelace')

  const hidden = await forge.account('hidden')
  await forge.as('hidden').must('PATCH', '/user/settings', { hide_email: true })
  await forge
    .as('root')
    .must('PATCH', '/admin/users/hidden', { login_name: 'hidden', source_id: 0, visibility: 'private' })
  assert.equal((await get(`/activitypub/user-id/${hidden.user.id}`)).status, 404)

  const open = await forge.given.repo({ owner: 'lovelace', name: 'open' })
  const secret = await forge.given.repo({ owner: 'lovelace', name: 'secret', private: true })
  const repository = await get(`/activitypub/repository-id/${await repoIdOf(forge, open.api)}`)
  assert.deepEqual([repository.status, repository.json.type, repository.json.name], [200, 'Repository', 'open'])
  assert.equal((await get(`/activitypub/repository-id/${await repoIdOf(forge, secret.api)}`)).status, 404)
  const own = new ForgeClient(forge.url, async () => ({ token: (await forge.account('lovelace')).token }))
  assert.equal((await own.get(`/activitypub/repository-id/${await repoIdOf(forge, secret.api)}`)).status, 404)
})

test('wellKnownWebFinger: only local accounts are found', async () => {
  await using peer = await Peer.start()
  await using forge = await startForge({ users: ['ada', 'shy'], settings: { federation: federationSettings } })
  const host = new URL(forge.url).host
  const ask = (resource: string) =>
    forge.guest.get(`/.well-known/webfinger?resource=${encodeURIComponent(resource)}`, { site: true })
  const found = await ask(`acct:Ada@${host.toUpperCase()}`)
  assert.deepEqual([found.status, found.json.subject], [200, `acct:ada@${host}`])
  assert.equal(found.headers.get('access-control-allow-origin'), '*')
  await forge.as('shy').must('PATCH', '/user/settings', { hide_email: true })
  const shy = await ask(`acct:shy@${host}`)
  assert.ok(!shy.text.includes('shy@example.com'))
  assert.equal((await sendAs(forge, peer.actor('bob'), 'GET', `/activitypub/user/ada`)).status, 200)
  const bob = `bob-${peer.host.replace(':', '-')}`
  assert.equal((await forge.as('ada').get(`/users/${bob}`)).status, 200)
  const statuses: [string, number][] = [
    [`acct:${bob}@${host}`, 404],
    ['mailto:shy@example.com', 404],
    ['mailto:ada@example.com', 200],
    [`${forge.url}/ada`, 200],
    [`${forge.url}/ada/`, 200],
    [`${forge.url}/`, 404],
    [`${forge.url}/ada//`, 404],
    [`${forge.url}/ada/x`, 404],
    [`acct:ada@${host}@other.example`, 400],
    ['acct:%ff@' + host, 400],
    ['acct:', 400],
    ['x'.repeat(3000), 400],
  ]
  for (const [resource, status] of statuses) assert.equal((await ask(resource)).status, status, resource.slice(0, 60))
  const { user } = (await forge.account('ada')) as { user: { id: number } }
  const remote = (await forge.as('ada').get(`/users/${bob}`)).json
  assert.notEqual(remote.id, user.id)
  assert.equal((await sendAs(forge, peer.actor('eve'), 'GET', `/activitypub/user-id/${remote.id}`)).status, 404)
})
