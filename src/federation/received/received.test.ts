import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { countQueries } from '../../testing/count-queries.ts'
import { federationSettings, keysOf, Peer, sendAs, type PeerActor } from '../peer.test-support.ts'

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  readonly una: PeerActor
  readonly adaUrl: string
  readonly send: (activity: Record<string, unknown>, actor?: PeerActor) => Promise<number>
  // oxlint-disable-next-line typescript/no-explicit-any -- the test states the shape of the reply itself
  readonly feed: (name?: string) => Promise<any[]>
}

const everybody = 'https://www.w3.org/ns/activitystreams#Public'

async function withUna(use: (around: Surroundings) => Promise<void>): Promise<void> {
  await using peer = await Peer.start('gotosocial')
  await using forge = await startForge({ users: ['ada'], settings: { federation: federationSettings } })
  const una = peer.actor('una', { path: '/users/una' })
  peer.documents.set(`/.well-known/webfinger?resource=${encodeURIComponent(`acct:una@${peer.host}`)}`, {
    subject: `acct:una@${peer.host}`,
    links: [
      { rel: 'http://webfinger.net/rel/profile-page', type: 'text/html', href: `${peer.url}/@una` },
      { rel: 'self', type: 'application/activity+json', href: una.id },
    ],
  })
  const { user } = await forge.account('ada')
  const inbox = `/activitypub/user-id/${user.id}/inbox`
  await forge.as('ada').must('POST', '/user/federation/following', { account: `una@${peer.host}` })
  await forge.settle()
  await use({
    forge,
    peer,
    una,
    adaUrl: `${forge.url}/api/v1/activitypub/user-id/${user.id}`,
    send: async (activity, actor = una) => (await sendAs(forge, actor, 'POST', inbox, activity)).status,
    feed: async (name = 'ada') => (await forge.as(name).get('/user/federation/feed')).json,
  })
}

const create = (actor: PeerActor, number: number, object: object = {}, changes: object = {}) => ({
  '@context': [
    'https://www.w3.org/ns/activitystreams',
    { ostatus: 'http://ostatus.org#', conversation: 'ostatus:conversation' },
  ],
  id: `${actor.id}/statuses/${number}/activity`,
  type: 'Create',
  actor: actor.id,
  published: '2026-01-02T03:04:05Z',
  to: [everybody],
  cc: [`${actor.id}/followers`],
  object: {
    id: `${actor.id}/statuses/${number}`,
    type: 'Note',
    attributedTo: actor.id,
    content: `<p>note ${number}</p>`,
    url: `${actor.id}/@${number}`,
    ...object,
  },
  ...changes,
})

test('userListFederatedFeed: notes of followed accounts are sanitised, and their authors can edit and delete them', () =>
  withUna(async ({ forge, peer, una, send, feed }) => {
    const [request] = peer.received('Follow')
    assert.equal(request?.json.object, una.id)
    const evil =
      '<p>hello <b>world</b></p><script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:x">y</a>'
    assert.equal(await send(create(una, 1, { content: evil, name: 'a <i>title</i>\u202e' })), 204)
    assert.equal(await send(create(una, 1, { content: 'again' })), 204)
    const [entry, ...more] = await feed()
    assert.equal(more.length, 0, 'the same activity once')
    assert.deepEqual(
      [entry.type, entry.object_type, entry.title, entry.direct, entry.published_at, entry.html_url],
      ['Create', 'Note', 'a <i>title</i>', false, '2026-01-02T03:04:05Z', `${una.id}/@1`],
    )
    assert.ok(entry.content.includes('hello <b>world</b>'))
    assert.ok(!/script|onerror|javascript/.test(entry.content), entry.content)
    const update = { ...create(una, 1, { content: '<p>changed</p>' }), type: 'Update', id: `${una.id}#u` }
    assert.equal(await send(update), 204)
    assert.match((await feed())[0].content, /changed/)
    const eve = peer.actor('eve', { path: '/users/eve', keys: keysOf(1) })
    const object = `${una.id}/statuses/1`
    assert.equal(await send({ id: `${eve.id}#d`, type: 'Delete', actor: eve.id, object }, eve), 204)
    assert.equal((await feed()).length, 1, 'others take nothing back')
    assert.equal(
      await send({ id: `${una.id}#d`, type: 'Delete', actor: una.id, object: { id: object, type: 'Tombstone' } }),
      204,
    )
    assert.deepEqual(await feed(), [])
    await forge.settle()
  }))

test('userListFederatedFeed: direct notes arrive; notes of strangers and notes about objects of others do not', () =>
  withUna(async ({ forge, peer, una, adaUrl, send, feed }) => {
    await forge.as('eve').must('PUT', `/user/following/una-${peer.host.replace(':', '-')}`)
    await forge.settle()
    assert.equal(await send(create(una, 1, {}, { to: [adaUrl], cc: [] })), 204)
    assert.deepEqual([(await feed()).length, (await feed('eve')).length, (await feed())[0].direct], [1, 0, true])
    const zed = peer.actor('zed', { path: '/users/zed', keys: keysOf(1) })
    assert.equal(await send(create(zed, 1), zed), 204)
    assert.equal(await send(create(una, 2, { attributedTo: zed.id })), 204)
    assert.equal(await send({ ...create(una, 3), id: 'https://elsewhere.example/3' }), 204)
    assert.equal(await send({ ...create(una, 4), object: 'not an address' }), 204)
    assert.equal((await feed()).length, 1)
    const boost = {
      id: `${una.id}/a/1`,
      type: 'Announce',
      actor: una.id,
      to: [everybody],
      object: `${zed.id}/statuses/9`,
    }
    assert.equal(await send(boost), 204)
    assert.deepEqual(
      (await feed()).map((entry) => [entry.type, entry.content, entry.html_url]),
      [
        ['Announce', '', `${zed.id}/statuses/9`],
        ['Create', '<p>note 1</p>', `${una.id}/@1`],
      ],
    )
    assert.equal(await send({ ...create(zed, 5), to: [adaUrl], cc: [] }, zed), 204)
    assert.equal((await feed()).length, 3, 'direct notes of strangers arrive')
    await forge.as('ada').must('PUT', `/user/block/zed-${peer.host.replace(':', '-')}`)
    assert.equal(await send({ ...create(zed, 6), to: [adaUrl], cc: [] }, zed), 204)
    assert.equal((await feed()).length, 3, 'but not by those who are blocked')
  }))

test('userListFederatedFeed: pages, with a fixed number of queries', () =>
  withUna(async ({ forge, una, send }) => {
    for (let number = 1; number <= 5; number++) assert.equal(await send(create(una, number)), 204)
    const page = await forge.as('ada').get('/user/federation/feed?page=2&limit=2')
    assert.deepEqual(
      page.json.map((entry: { object_url: string }) => entry.object_url.split('/').at(-1)),
      ['3', '2'],
    )
    assert.equal(page.headers.get('x-total-count'), '5')
    const counts: number[] = []
    for (const limit of [1, 5]) {
      await forge.settle()
      using queries = await countQueries(forge)
      await forge.as('ada').get(`/user/federation/feed?limit=${limit}`)
      counts.push(queries.count)
    }
    assert.equal(counts[0], counts[1])
  }))

test('an actor that announces an update is fetched from its server', () =>
  withUna(async ({ forge, peer, una, send }) => {
    const update = { id: `${una.id}#p`, type: 'Update', actor: una.id, object: { ...una.document, name: 'Mallory' } }
    peer.actor('una', { path: '/users/una', changes: { name: 'Una the first' } })
    const login = `una-${peer.host.replace(':', '-')}`
    assert.equal(await send(update), 204)
    await forge.services.db.selectFrom('federated_account').select('user_id').executeTakeFirstOrThrow()
    const name = async () => (await forge.as('ada').get(`/users/${login}`)).json.full_name
    assert.equal(await name(), 'una', 'not again within a minute')
    forge.clock.advance(61_000)
    assert.equal(
      (await sendAs(forge, una, 'POST', `/activitypub/user/ada/inbox`, update, { date: new Date(forge.clock.nowMs()) }))
        .status,
      204,
    )
    assert.equal(await name(), 'Una the first')
  }))
