import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import { federationSettings, keysOf, Peer, repoIdOf, sendAs, sign, type PeerActor } from '../peer.test-support.ts'

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  /** The inbox of likes. */
  readonly inbox: string
  /** The inbox that the actor names. */
  readonly forgeInbox: string
  readonly object: string
  readonly api: string
  readonly like: (actor: PeerActor, changes?: Record<string, unknown>) => Record<string, unknown>
  readonly stars: () => Promise<string[]>
}

async function withRepo(use: (around: Surroundings) => Promise<void>, software = 'forgejo'): Promise<void> {
  await using peer = await Peer.start(software)
  await using forge = await startForge({
    users: ['ada'],
    settings: { federation: { ...federationSettings, ISSUES_ENABLED: true } },
  })
  const repo = await forge.given.repo({ owner: 'ada', name: 'liked' })
  const path = `/activitypub/repository-id/${await repoIdOf(forge, repo.api)}`
  const object = `${forge.url}/api/v1${path}`
  await use({
    forge,
    peer,
    api: repo.api,
    inbox: `${path}/inbox`,
    forgeInbox: `${path}/forgefed/inbox`,
    object,
    like: (actor, changes) => ({
      '@context': ['https://www.w3.org/ns/activitystreams'],
      type: 'Like',
      actor: actor.id,
      object,
      startTime: new Date().toISOString(),
      ...changes,
    }),
    stars: async () => {
      const [{ json: repository }, { json: people }] = await Promise.all([
        forge.as('ada').get(repo.api),
        forge.as('ada').get(`${repo.api}/stargazers`),
      ])
      assert.equal(repository.stars_count, people.length)
      return people.map((user: { login: string }) => user.login)
    },
  })
}

const suffix = (peer: Peer) => peer.host.replace(':', '-')

test('activitypubRepositoryInbox: a like adds a star; a repeated request does not', () =>
  withRepo(async ({ forge, peer, inbox, like, stars }) => {
    const bob = peer.actor('bob', { changes: { name: 'Bob <img src=x onerror=alert(1)>\u202e\n' } })
    const body = JSON.stringify(like(bob))
    const headers = {
      'content-type': 'application/activity+json',
      ...sign(forge, bob, 'POST', `/api/v1${inbox}`, body),
    }
    const send = () => forge.guest.send('POST', inbox, undefined, { raw: body, headers })
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await send()).status))
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [204, 406, 406, 406],
      'of the same at once one counts',
    )
    const again = await send()
    assert.deepEqual([again.status, again.json.code], [406, 'like_too_early'])
    assert.deepEqual(await stars(), [`bob-${suffix(peer)}`])
    const { json } = await forge.as('root').get(`/users/bob-${suffix(peer)}`)
    assert.equal(json.full_name, 'Bob <img src=x onerror=alert(1)>', 'a name is one line of plain text')
    assert.deepEqual([json.active, json.is_admin, json.restricted], [false, false, false])
    const { defects } = forge
    assert.deepEqual(defects, [])
  }))

test('activitypubRepositoryInbox: every activity except a like is refused, whatever the settings', () =>
  withRepo(async ({ forge, peer, inbox, like, stars, object }) => {
    const bob = peer.actor('bob')
    const given = like(bob)
    assert.equal((await sendAs(forge, bob, 'POST', inbox, given)).status, 204)
    const note = {
      id: `${bob.id}/notes/1`,
      type: 'Note',
      attributedTo: bob.id,
      content: 'x',
      context: `${object}/issues/1`,
    }
    const others = ['Undo', 'Offer', 'Create', 'Update', 'Delete', 'Follow', 'Accept', 'Announce', 'Dislike']
    for (const type of others) {
      const activity = {
        id: `${bob.id}/acts/${type}`,
        type,
        actor: bob.id,
        target: object,
        object: type === 'Undo' ? given : note,
      }
      const { status, json } = await sendAs(forge, bob, 'POST', inbox, activity)
      assert.deepEqual([status, json.code], [406, 'activity_not_accepted'], type)
    }
    assert.equal((await stars()).length, 1)
  }))

test('activitypubRepositoryForgeInbox: Undo removes only the star of its actor', () =>
  withRepo(async ({ forge, peer, forgeInbox: inbox, like, stars, object }) => {
    const bob = peer.actor('bob')
    const eve = peer.actor('eve', { keys: keysOf(1) })
    const given = like(bob)
    assert.equal((await sendAs(forge, bob, 'POST', inbox, given)).status, 204)
    const undo = { type: 'Undo', actor: bob.id, object: given }
    const forged = await sendAs(forge, eve, 'POST', inbox, undo)
    assert.deepEqual([forged.status, forged.json.code], [403, 'actor_not_signer'])
    assert.equal((await sendAs(forge, eve, 'POST', inbox, { ...undo, actor: eve.id })).status, 403)
    assert.equal(
      (await sendAs(forge, bob, 'POST', inbox, { ...undo, object: like(bob, { object: `${object}9` }) })).status,
      406,
    )
    assert.equal((await stars()).length, 1)
    const body = JSON.stringify(undo)
    const headers = {
      'content-type': 'application/activity+json',
      ...sign(forge, bob, 'POST', `/api/v1${inbox}`, body),
    }
    const send = () => forge.guest.send('POST', inbox, undefined, { raw: body, headers })
    assert.equal((await send()).status, 204)
    assert.deepEqual(await stars(), [])
    assert.equal((await sendAs(forge, bob, 'POST', inbox, like(bob))).status, 204)
    const replayed = await send()
    assert.deepEqual([replayed.status, replayed.json.code], [403, 'signature_replayed'])
    assert.equal((await stars()).length, 1, 'a replay takes nothing back')
  }))

test('activitypubRepositoryInbox: an invalid like is refused with a reason', () =>
  withRepo(async ({ forge, peer, inbox, like, stars, object }) => {
    const bob = peer.actor('bob')
    const eve = peer.actor('eve', { keys: keysOf(1) })
    await using other = await Peer.start('forgejo', '127.0.0.2')
    const far = other.actor('far')
    const table: [unknown, number, string][] = [
      [like(bob, { startTime: '2999-01-01T00:00:00Z' }), 406, 'like_invalid'],
      [like(bob, { startTime: '0001-01-01T00:00:00Z' }), 406, 'like_invalid'],
      [like(bob, { startTime: 5 }), 406, 'like_invalid'],
      [like(bob, { actor: 7 }), 406, 'like_invalid'],
      [like(bob, { actor: 'not an address' }), 406, 'like_invalid'],
      [like(bob, { object: [object] }), 406, 'like_invalid'],
      [like(bob, { object: `${object}9` }), 406, 'like_invalid'],
      [like(bob, { '@context': [{ actor: 'https://example.com/victim' }] }), 406, 'activity_not_accepted'],
      [like(bob, { type: ['Follow', 'Like'] }), 406, 'activity_not_accepted'],
      [{ ...like(bob), type: '<script>' }, 406, 'activity_not_accepted'],
      [like(eve), 403, 'actor_not_signer'],
      [like(far), 403, 'actor_not_signer'],
      ['[', 422, 'invalid_json'],
      [`${'['.repeat(200)}${']'.repeat(200)}`, 413, 'too_large'],
      ['7', 406, 'activity_not_accepted'],
    ]
    for (const [body, status, code] of table) {
      const answer = await sendAs(forge, bob, 'POST', inbox, body)
      assert.deepEqual([answer.status, answer.json.code], [status, code], JSON.stringify(body).slice(0, 200))
      assert.ok(!answer.text.includes('<script>'))
    }
    assert.deepEqual(await stars(), [])
    assert.equal(other.seen.length, 0, 'a request of another server causes no fetch')
    const large = await sendAs(forge, bob, 'POST', inbox, `{"a":"${'x'.repeat(5 * 1024 * 1024)}"}`)
    assert.equal(large.status, 413)
  }))

test('activitypubRepositoryInbox: likes need a person on known software that is not blocked; 503 while the server does not answer', () =>
  withRepo(async ({ forge, peer, inbox, like, stars }) => {
    const zed = peer.actor('zed')
    const refused = await sendAs(forge, zed, 'POST', inbox, like(zed))
    assert.deepEqual([refused.status, refused.json.code], [406, 'software_unknown'])
    await using mastodon = await Peer.start('Mastodon')
    const una = mastodon.actor('una', { path: '/users/una' })
    mastodon.intercept = ({ path }, response) => {
      if (path !== '/nodeinfo') return false
      response.writeHead(503).end()
      return true
    }
    const silent = await sendAs(forge, una, 'POST', inbox, like(una))
    assert.deepEqual([silent.status, silent.json.code], [503, 'peer_silent'])
    mastodon.intercept = () => false
    await using other = await Peer.start('Mastodon')
    const eva = other.actor('eva', { path: '/users/eva' })
    assert.equal((await sendAs(forge, eva, 'POST', inbox, like(eva))).status, 204)
    assert.deepEqual(await stars(), [`eva-${suffix(other)}`])
    await forge.as('ada').must('PUT', `/user/block/eva-${suffix(other)}`)
    assert.deepEqual(await stars(), [])
    const blocked = await sendAs(forge, eva, 'POST', inbox, like(eva))
    assert.deepEqual([blocked.status, blocked.json.code], [403, 'user_blocked'])
    assert.deepEqual(await stars(), [])
  }, 'something-else'))

test('activitypubInstanceActorInbox, activitypubPersonByNameInbox: a signed unknown activity is answered 204 and has no effect', async () => {
  await using peer = await Peer.start()
  await using forge = await startForge({
    users: ['ada'],
    settings: { federation: { ...federationSettings, ISSUES_ENABLED: true } },
  })
  const bob = peer.actor('bob')
  for (const path of ['/activitypub/actor/inbox', '/activitypub/user/ada/inbox']) {
    for (const body of ['nothing', '[]', { type: 'Dance', actor: bob.id }, { type: 'Follow' }]) {
      assert.equal((await sendAs(forge, bob, 'POST', path, body)).status, 204)
    }
    assert.equal((await forge.guest.post(path, {})).status, 400)
  }
})

test('a remote account whose login is taken gets another one', () =>
  withRepo(async ({ forge, peer, inbox, like, stars }) => {
    const bob = peer.actor('bob')
    const taken = `bob-${suffix(peer)}`
    await forge.addUser(taken)
    assert.equal((await sendAs(forge, bob, 'POST', inbox, like(bob))).status, 204)
    const [login = ''] = await stars()
    assert.match(login, new RegExp(`^${taken.replaceAll('.', '\\.')}-[0-9a-f]{8}$`))
    const { json } = await forge.guest.get('/nodeinfo')
    assert.equal(json.usage.users.total, 3, 'people of other servers are not counted')
  }))
