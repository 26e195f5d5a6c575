import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { federationSettings, Peer, sendAs, type PeerActor } from '../peer.test-support.ts'

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  readonly una: PeerActor
  /** Ada does something that is sent to Una. */
  readonly act: (title: string) => Promise<void>
  readonly titles: () => string[]
}

const minute = 60_000

/** Una follows Ada. Time stands still until it is moved. */
async function withUna(use: (around: Surroundings) => Promise<void>, settings: Record<string, number> = {}) {
  await using peer = await Peer.start('mastodon')
  await using forge = await startForge({
    users: ['ada'],
    standAt: Date.now(),
    settings: { federation: { ...federationSettings, ...settings } },
  })
  const { user } = await forge.account('ada')
  const una = peer.actor('una', { path: '/users/una' })
  const object = `${forge.url}/api/v1/activitypub/user-id/${user.id}`
  const follow = { id: `${una.id}#1`, type: 'Follow', actor: una.id, object }
  const date = new Date(forge.clock.nowMs())
  await sendAs(forge, una, 'POST', `/activitypub/user-id/${user.id}/inbox`, follow, { date })
  const repo = await forge.given.repo({ owner: 'ada', name: 'open' })
  await forge.settle()
  assert.equal(peer.received('Accept').length, 1)
  peer.seen.length = 0
  await use({
    forge,
    peer,
    una,
    act: async (title) => {
      await forge.as('ada').must('POST', `${repo.api}/issues`, { title })
      await forge.settle()
    },
    titles: () => peer.received('Create').map(({ json }) => />([^<]*)<\/pre>/.exec(json.object.content)?.[1] ?? ''),
  })
}

const answering = (peer: Peer, status: number) => {
  peer.intercept = ({ method }, response) => {
    if (method !== 'POST') return false
    response.writeHead(status).end()
    return true
  }
}

test('deliveries: a server that is down is retried with growing delays, and then gets all activities in order', () =>
  withUna(async ({ forge, peer, act, titles }) => {
    answering(peer, 503)
    await act('one')
    await act('two')
    assert.deepEqual(titles(), ['one'], 'the first failure keeps back the rest')
    const waits: number[] = []
    for (let failure = 0; failure < 3; failure++) {
      const { retry_at_ms: retryAtMs } = await forge.services.db
        .selectFrom('federated_server')
        .select('retry_at_ms')
        .executeTakeFirstOrThrow()
      waits.push(retryAtMs - forge.clock.nowMs())
      forge.clock.advance(retryAtMs - forge.clock.nowMs())
      await forge.settle()
    }
    assert.ok(
      waits.every((wait, index) => wait >= 7500 * 2 ** index && wait <= 12_500 * 2 ** index),
      waits.join(),
    )
    peer.intercept = () => false
    peer.seen.length = 0
    forge.clock.advance(10 * minute)
    await forge.settle()
    assert.deepEqual(titles(), ['one', 'two'])
    assert.deepEqual(await forge.services.db.selectFrom('activity_delivery').selectAll().execute(), [])
  }))

test('deliveries: a server that sends a request gets its waiting activities at once', () =>
  withUna(async ({ forge, peer, una, act, titles }) => {
    answering(peer, 500)
    await act('one')
    peer.intercept = () => false
    peer.seen.length = 0
    const date = new Date(forge.clock.nowMs())
    await sendAs(forge, una, 'POST', '/activitypub/actor/inbox', { type: 'Like', actor: una.id }, { date })
    await forge.settle()
    assert.deepEqual(titles(), ['one'])
  }))

test('deliveries: a refused activity is sent once; one with a rejected signature is retried and delays no others', () =>
  withUna(async ({ forge, peer, act, titles }) => {
    answering(peer, 410)
    await act('gone')
    forge.clock.advance(10 * minute)
    await forge.settle()
    assert.deepEqual(titles(), ['gone'])
    answering(peer, 401)
    await act('who?')
    peer.intercept = () => false
    await act('later')
    assert.deepEqual(titles(), ['gone', 'who?'], 'the same inbox waits')
    forge.clock.advance(minute)
    await forge.settle()
    assert.deepEqual(titles(), ['gone', 'who?', 'who?', 'later'])
    answering(peer, 401)
    await act('never')
    for (let hour = 0; hour < 20; hour++) {
      forge.clock.advance(60 * minute)
      await forge.settle()
    }
    assert.equal(titles().filter((title) => title === 'never').length, 7)
    assert.deepEqual(await forge.services.db.selectFrom('activity_delivery').selectAll().execute(), [])
  }))

test('deliveries: the oldest activities beyond the backlog are given up, and all after three days', () =>
  withUna(
    async ({ forge, peer, act, titles }) => {
      answering(peer, 503)
      for (const title of ['one', 'two', 'three']) await act(title)
      forge.clock.advance(minute)
      await forge.settle()
      peer.intercept = () => false
      peer.seen.length = 0
      forge.clock.advance(60 * minute)
      await forge.settle()
      assert.deepEqual(titles(), ['two', 'three'])
      answering(peer, 503)
      await act('four')
      forge.clock.advance(3 * 24 * 60 * minute + 1)
      await forge.settle()
      assert.deepEqual(await forge.services.db.selectFrom('activity_delivery').selectAll().execute(), [])
    },
    { MAX_BACKLOG: 2 },
  ))

test('deliveries: RFC 9421 signatures are used for servers that know them, and cavage signatures after a refusal', () =>
  withUna(async ({ forge, peer, act }) => {
    await transaction(forge.services.db, (tx) =>
      tx.updateTable('federated_server').set({ signature_form: 'rfc9421' }).execute(),
    )
    peer.intercept = ({ method, headers }, response) => {
      if (method !== 'POST' || headers['signature-input'] === undefined) return false
      response.writeHead(401).end()
      return true
    }
    await act('one')
    const forms = peer.received('Create').map(({ headers }) => ('signature-input' in headers ? 'rfc9421' : 'cavage'))
    assert.deepEqual(forms, ['rfc9421', 'cavage'])
    await act('two')
    assert.equal(peer.received('Create').length, 3, 'and that is remembered')
  }))
