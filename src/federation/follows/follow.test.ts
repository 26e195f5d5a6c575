import assert from 'node:assert/strict'
import { createHash, verify } from 'node:crypto'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { federationSettings, keysOf, Peer, sendAs, type PeerActor, type PeerRequest } from '../peer.test-support.ts'

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  readonly una: PeerActor
  readonly adaUrl: string
  readonly inbox: string
  readonly followers: () => Promise<string[]>
}

/** Una has an account on a server that looks like Mastodon. */
async function withUna(use: (around: Surroundings) => Promise<void>): Promise<void> {
  await using peer = await Peer.start('mastodon')
  await using forge = await startForge({ users: ['ada'], settings: { federation: federationSettings } })
  const { user } = await forge.account('ada')
  const path = '/users/una'
  const una = peer.actor('una', {
    path,
    changes: {
      '@context': [
        'https://www.w3.org/ns/activitystreams',
        'https://w3id.org/security/v1',
        {
          toot: 'http://joinmastodon.org/ns#',
          featured: { '@id': 'toot:featured', '@type': '@id' },
          schema: 'http://schema.org#',
          PropertyValue: 'schema:PropertyValue',
          value: 'schema:value',
          discoverable: 'toot:discoverable',
          publicKey: { '@id': 'sec:publicKey', '@type': '@id' },
        },
      ],
      endpoints: { sharedInbox: `${peer.url}/inbox` },
      followers: `${peer.url}${path}/followers`,
      summary: '<p>bio</p>',
    },
  })
  await use({
    forge,
    peer,
    una,
    adaUrl: `${forge.url}/api/v1/activitypub/user-id/${user.id}`,
    inbox: `/activitypub/user-id/${user.id}/inbox`,
    followers: async () =>
      (await forge.as('ada').get('/users/ada/followers')).json.map((follower: { login: string }) => follower.login),
  })
}

const follow = (actor: PeerActor, object: string, id = '1') => ({
  '@context': 'https://www.w3.org/ns/activitystreams',
  id: `${actor.id}#follows/${id}`,
  type: 'Follow',
  actor: actor.id,
  object,
})

/** Whether a delivery is rightly signed by the key of an actor, as draft-cavage says it. */
function isSignedBy(request: PeerRequest, publicKeyPem: string): boolean {
  const header = String(request.headers['signature'])
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? ''
  const text = field('headers')
    .split(' ')
    .map((name) =>
      name === '(request-target)' ? `${name}: post ${request.path}` : `${name}: ${String(request.headers[name])}`,
    )
    .join('\n')
  const digest = `SHA-256=${createHash('sha256').update(JSON.stringify(request.json)).digest('base64')}`
  return (
    request.headers['digest'] === digest &&
    verify('sha256', Buffer.from(text), publicKeyPem, Buffer.from(field('signature'), 'base64'))
  )
}

test('activitypubPersonInbox: a follow from other software is accepted, answered and undone', () =>
  withUna(async ({ forge, peer, una, adaUrl, inbox, followers }) => {
    const followActivity = follow(una, adaUrl)
    assert.equal((await sendAs(forge, una, 'POST', inbox, followActivity)).status, 204)
    await forge.settle()
    const [login = ''] = await followers()
    assert.match(login, /^una-127\.0\.0\.1-\d+$/)
    const [accept] = peer.received('Accept')
    assert.ok(accept)
    assert.deepEqual(
      [accept.path, accept.json.actor, accept.json.object.id, accept.json.object.actor],
      ['/users/una/inbox', adaUrl, followActivity.id, una.id],
    )
    const actor = await sendAs(forge, peer.application(), 'GET', inbox.replace('/inbox', ''))
    assert.ok(isSignedBy(accept, actor.json.publicKey.publicKeyPem), 'by the key of the one who accepts')
    assert.equal(accept.headers['content-type'], 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"')

    const repo = await forge.given.repo({ owner: 'ada', name: 'open' })
    await forge.as('ada').must('POST', `${repo.api}/issues`, { title: 'a story' })
    await forge.settle()
    const sent = peer.received('Create')
    assert.deepEqual([...new Set(sent.map(({ path }) => path))], ['/inbox'], 'the shared inbox')
    const note = sent.map(({ json }) => json.object).find(({ content }) => content.includes('a story'))
    assert.deepEqual([note.type, note.attributedTo], ['Note', adaUrl])
    assert.ok(note.to.includes('https://www.w3.org/ns/activitystreams#Public'))
    const page = await sendAs(forge, una, 'GET', note.id.slice(`${forge.url}/api/v1`.length))
    assert.deepEqual([page.status, page.json.content], [200, note.content], 'activitypubPersonNote')
    const activity = await sendAs(forge, una, 'GET', `${note.id.slice(`${forge.url}/api/v1`.length)}/activity`)
    assert.deepEqual([activity.status, activity.json.type], [200, 'Create'], 'activitypubPersonActivity')

    const forged = {
      id: `${una.id}#x`,
      type: 'Undo',
      actor: una.id,
      object: { ...followActivity, actor: `${peer.url}/users/eve` },
    }
    assert.equal((await sendAs(forge, una, 'POST', inbox, forged)).status, 204)
    assert.equal((await followers()).length, 1, 'only what one asked for oneself is taken back')
    const undo = { id: `${una.id}#undo`, type: 'Undo', actor: una.id, object: followActivity }
    assert.equal((await sendAs(forge, una, 'POST', inbox, undo)).status, 204)
    assert.deepEqual(await followers(), [])
    await forge.settle()
    assert.equal(forge.services.config.federation.enabled, true)
  }))

test('activitypubPersonInbox: a follow of another account, a replay, and a follow by a blocked account change nothing', () =>
  withUna(async ({ forge, peer, una, adaUrl, inbox, followers }) => {
    const eve = peer.actor('eve', { path: '/users/eve', keys: keysOf(1) })
    const inTheNameOf = await sendAs(forge, eve, 'POST', inbox, follow(una, adaUrl))
    assert.deepEqual([inTheNameOf.status, inTheNameOf.json.code], [403, 'actor_not_signer'])
    for (const odd of [
      follow(una, `${adaUrl}9`),
      { ...follow(una, adaUrl), object: 7 },
      { ...follow(una, adaUrl), id: undefined },
      { ...follow(una, adaUrl), '@context': [{ object: 'https://example.com/x' }] },
      { ...follow(una, adaUrl), type: ['Dance', 'Follow'] },
    ]) {
      assert.equal((await sendAs(forge, una, 'POST', inbox, odd)).status, 204)
    }
    assert.deepEqual(await followers(), [])
    const date = new Date(Date.now() - 5000)
    const sendFollow = () => sendAs(forge, una, 'POST', inbox, follow(una, adaUrl), { date })
    assert.equal((await sendFollow()).status, 204)
    const again = await sendFollow()
    assert.deepEqual([again.status, again.json.code], [403, 'signature_replayed'])
    const [login = ''] = await followers()
    await forge.as('ada').must('PUT', `/user/block/${login}`)
    assert.deepEqual(await followers(), [])
    peer.seen.length = 0
    assert.equal((await sendAs(forge, una, 'POST', inbox, follow(una, adaUrl, '2'))).status, 204)
    await forge.settle()
    assert.deepEqual([await followers(), peer.received('Reject').length], [[], 1])
  }))

test('activitypubPersonInbox: an actor that is deleted on its server is deleted here', () =>
  withUna(async ({ forge, una, adaUrl, inbox, followers }) => {
    assert.equal((await sendAs(forge, una, 'POST', inbox, follow(una, adaUrl))).status, 204)
    const [login = ''] = await followers()
    const gone = { id: `${una.id}#delete`, type: 'Delete', actor: una.id, object: una.id }
    const date = new Date(Date.now() - 5000)
    const sendGone = () => sendAs(forge, una, 'POST', inbox, gone, { date })
    assert.equal((await sendGone()).status, 204)
    await forge.settle()
    assert.deepEqual(await followers(), [])
    assert.equal((await forge.as('ada').get(`/users/${login}`)).status, 404)
    // Una comes back with the same address and key.
    assert.equal((await sendAs(forge, una, 'POST', inbox, follow(una, adaUrl, '2'))).status, 204)
    const replayed = await sendGone()
    assert.deepEqual([replayed.status, replayed.json.code], [403, 'signature_replayed'])
    assert.equal((await followers()).length, 1, 'a replay deletes nobody')
  }))

test('activitypubPersonOutbox, activitypubPersonFollowers, activitypubPersonFollowing, activitypubInstanceActorOutbox', () =>
  withUna(async ({ forge, una, adaUrl, inbox, peer }) => {
    const path = inbox.replace('/inbox', '')
    await forge.given.repo({ owner: 'ada', name: 'open' })
    await forge.given.repo({ owner: 'ada', name: 'secret', private: true })
    await forge.addUser('hidden', { visibility: 'private' })
    await forge.as('hidden').must('PUT', '/user/following/ada')
    await forge.as('root').must('PUT', '/user/following/ada')
    assert.equal((await sendAs(forge, una, 'POST', inbox, follow(una, adaUrl))).status, 204)
    await forge.settle()
    const get = async (what: string) => (await sendAs(forge, una, 'GET', path + what)).json
    const outbox = await get('/outbox')
    assert.deepEqual([outbox.type, outbox.first], ['OrderedCollection', `${adaUrl}/outbox?page=1`])
    const page = await get('/outbox?page=1')
    assert.equal(page.orderedItems.length, outbox.totalItems)
    assert.ok(page.orderedItems.length > 0 && !JSON.stringify(page).includes('secret'))
    const { user } = await forge.account('root')
    const followers = await get('/followers?page=1')
    assert.deepEqual(
      followers.orderedItems.toSorted(),
      [una.id, adaUrl.replace(/\d+$/, String(user.id))].toSorted(),
      'public accounts alone',
    )
    assert.equal((await get('/followers')).totalItems, 2)
    assert.deepEqual((await get('/following')).orderedItems, [])
    assert.equal((await get('/followers?page=2')).orderedItems.length, 0)
    assert.equal((await forge.guest.get(`${path}/outbox`)).status, 400)
    assert.equal((await forge.guest.get('/activitypub/actor/outbox')).json.totalItems, 0)
    assert.equal((await sendAs(forge, peer.application(), 'GET', `${path}/activities/999999`)).status, 404)
    const secret = await forge.services.db
      .selectFrom('activity')
      .innerJoin('repo', 'repo.id', 'activity.repo_id')
      .select('activity.id')
      .where('repo.name', '=', 'secret')
      .executeTakeFirstOrThrow()
    assert.equal((await sendAs(forge, una, 'GET', `${path}/activities/${secret.id}`)).status, 404)
  }))
