import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startForge, type Forge } from '../../testing/forge.ts'
import {
  ed25519Keys,
  federationSettings,
  keysOf,
  Peer,
  sendAs,
  type PeerActor,
  type SignOptions,
} from '../peer.test-support.ts'
import { parseCavage } from './cavage.rules.ts'
import { digestMatches } from './digest.rules.ts'
import { parsePublicKey } from './key.rules.ts'
import { signatureBase } from './message-signature.rules.ts'
import { parseSignatureInput } from './structured.rules.ts'

const hour = 3_600_000

test('draft-cavage: a malformed header is refused', () => {
  const good =
    'keyId="https://a.example/x#main-key",algorithm="rsa-sha256",headers="(request-target) Host Date",signature="YWI="'
  assert.deepEqual(parseCavage(good), {
    keyId: 'https://a.example/x#main-key',
    algorithm: 'rsa-sha256',
    headers: ['(request-target)', 'host', 'date'],
    signature: Buffer.from('ab'),
    created: undefined,
    expires: undefined,
  })
  const wrong = [
    '',
    'nonsense',
    good.replace('keyId=', 'keyid='),
    `${good},keyId="https://b.example/x"`,
    good.replace('YWI=', '<>'),
    good.replace('Host Date', 'Host Host'),
    good.replace('Host Date', 'Host  Date'),
    `${good},created=soon`,
    `${good},x="${'y'.repeat(9000)}"`,
  ]
  for (const header of wrong) assert.equal(parseCavage(header), undefined, header.slice(0, 100))
})

test('RFC 9421: the example of appendix B.2.6 has the given signature base', () => {
  const input = parseSignatureInput(
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  )
  assert.ok(input)
  assert.deepEqual(
    [...input.params],
    [
      ['created', 1_618_884_473],
      ['keyid', 'test-key-ed25519'],
    ],
  )
  const headers: Record<string, string> = {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-length': '18',
  }
  const base = signatureBase(
    {
      method: 'POST',
      target: '/foo?param=Value&Pet=dog',
      origin: 'https://example.com',
      host: 'example.com',
      header: (name) => headers[name],
    },
    input.components,
    input.text,
  )
  assert.equal(
    base,
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    ].join('\n'),
  )
  for (const wrong of [
    '',
    'sig=',
    'sig=("a"',
    'sig=("a" "a")',
    'sig=("a";sf)',
    'sig=("a")created=1',
    'sig=("a");x=1;x=2',
  ]) {
    assert.equal(parseSignatureInput(wrong), undefined, wrong)
  }
})

test('digests: one wrong digest of several is enough to refuse', () => {
  const body = Buffer.from('{"hello": "world"}')
  // RFC 9421, appendix B.2
  assert.ok(digestMatches('SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=', body, 'digest'))
  assert.ok(digestMatches('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:', body, 'content-digest'))
  assert.ok(!digestMatches('SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=,SHA-512=AAAA', body, 'digest'))
  assert.ok(!digestMatches('md5=AAAA', body, 'digest'))
  assert.ok(!digestMatches('', body, 'digest'))
})

test('keys: RSA of 2048 to 8192 bits and Ed25519 as SPKI are accepted', () => {
  assert.equal(parsePublicKey(keysOf(0).publicKey)?.asymmetricKeyType, 'rsa')
  assert.equal(parsePublicKey(ed25519Keys().publicKey)?.asymmetricKeyType, 'ed25519')
  assert.equal(parsePublicKey(keysOf(0).privateKey), undefined)
  assert.equal(parsePublicKey('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'), undefined)
})

interface Surroundings {
  readonly forge: Forge
  readonly peer: Peer
  readonly app: PeerActor
  readonly person: string
}

async function withPeer(
  use: (around: Surroundings) => Promise<void>,
  settings: Record<string, string | number | boolean> = {},
) {
  await using peer = await Peer.start()
  await using forge = await startForge({
    users: ['ada'],
    standAt: Date.now(),
    settings: { federation: { ...federationSettings, ...settings } },
  })
  const { user } = await forge.account('ada')
  await use({ forge, peer, app: peer.application(), person: `/activitypub/user-id/${user.id}` })
}

test('activitypubPerson: valid signatures are accepted, others are refused with a reason', () =>
  withPeer(async ({ forge, peer, app, person }) => {
    const now = new Date(forge.clock.nowMs())
    const late = new Date(now.getTime() - hour - 60_000)
    const early = new Date(now.getTime() + hour + 60_000)
    const table: [string, SignOptions, number, string?][] = [
      ['all of it', {}, 200],
      ['hs2019', { algorithm: 'hs2019' }, 200],
      ['RFC 9421', { form: 'rfc9421' }, 200],
      ['RFC 9421, by authority and path', { form: 'rfc9421', covered: ['@method', '@authority', '@path'] }, 200],
      ['RFC 9421, named', { form: 'rfc9421', algorithm: 'rsa-v1_5-sha256' }, 200],
      ['RFC 9421 without a method', { form: 'rfc9421', covered: ['@target-uri'] }, 400, 'signature_incomplete'],
      ['RFC 9421 without an address', { form: 'rfc9421', covered: ['@method', '@path'] }, 400, 'signature_incomplete'],
      ['RFC 9421, old', { form: 'rfc9421', date: late }, 403, 'signature_expired'],
      ['RFC 9421, another host', { form: 'rfc9421', host: 'other.example' }, 403, 'signature_wrong'],
      ['another key', { keys: keysOf(1) }, 403, 'signature_wrong'],
      ['another host', { host: 'other.example' }, 403, 'signature_wrong'],
      ['an algorithm for other keys', { algorithm: 'ed25519' }, 403, 'signature_wrong'],
      ['an unknown algorithm', { algorithm: 'md5' }, 400, 'algorithm_unknown'],
      ['old', { date: late }, 403, 'signature_expired'],
      ['of the future', { date: early }, 403, 'signature_expired'],
      ['without the address', { covered: ['host', 'date'] }, 400, 'signature_incomplete'],
      ['without the host', { covered: ['(request-target)', 'date'] }, 400, 'signature_incomplete'],
      ['without the date', { covered: ['(request-target)', 'host'] }, 400, 'signature_incomplete'],
      ['a key that is nowhere', { keyId: `${peer.url}/nowhere#main-key` }, 400, 'key_unknown'],
      ['a key that is no address', { keyId: 'mailto:x@example.com' }, 400, 'key_unknown'],
      ['a key with a password in its address', { keyId: app.keyId.replace('//', '//a:b@') }, 400, 'key_unknown'],
    ]
    for (const [what, options, status, code] of table) {
      const answer = await sendAs(forge, app, 'GET', person, undefined, { date: now, ...options })
      assert.deepEqual([answer.status, status === 200 ? undefined : answer.json.code], [status, code], what)
      if (status !== 200) assert.ok(answer.json.message.length > 10, `${what}: a reason is given`)
    }
    assert.equal(peer.requestCount('/actor'), 1, 'a key that fits is kept')
    const unsigned = await forge.guest.get(person)
    assert.deepEqual([unsigned.status, unsigned.json.code], [400, 'signature_missing'])
  }))

test('activitypubPersonInbox: the signature must cover a digest of the body', () =>
  withPeer(async ({ forge, peer, person }) => {
    const bob = peer.actor('bob')
    const date = new Date(forge.clock.nowMs())
    const body = { type: 'Like', actor: bob.id }
    const table: [SignOptions, number, string?][] = [
      [{}, 204],
      [{ form: 'rfc9421' }, 204],
      [{ digestOf: 'something else' }, 403, 'digest_wrong'],
      [{ form: 'rfc9421', digestOf: 'something else' }, 403, 'digest_wrong'],
      [{ covered: ['(request-target)', 'host', 'date'] }, 400, 'signature_incomplete'],
      [{ form: 'rfc9421', covered: ['@method', '@target-uri'] }, 400, 'signature_incomplete'],
    ]
    for (const [options, status, code] of table) {
      const answer = await sendAs(forge, bob, 'POST', `${person}/inbox`, body, { date, ...options })
      assert.deepEqual([answer.status, answer.json?.code], [status, code], JSON.stringify(options))
    }
  }))

test('keys: a key on another server than its owner, of another owner, or in a wrong document is refused', () =>
  withPeer(async ({ forge, peer, app, person }) => {
    await using other = await Peer.start('forgejo', '127.0.0.2')
    const victim = other.actor('victim')
    const date = new Date(forge.clock.nowMs())
    const mallory = (changes: Record<string, unknown>) => peer.actor('mallory', { changes, keys: keysOf(1) })
    const pem = keysOf(1).publicKey
    const odd: [string, PeerActor][] = [
      ['it says that it is another', mallory({ id: victim.id })],
      [
        'a key whose owner is on another server',
        mallory({ publicKey: { id: '', owner: victim.id, publicKeyPem: pem } }),
      ],
      ['no key', mallory({ publicKey: undefined })],
      ['no type', mallory({ type: 7 })],
      ['a type that signs nothing', mallory({ type: 'Repository' })],
      ['no inbox', mallory({ inbox: undefined })],
      ['an inbox on another server', mallory({ inbox: victim.document['inbox'] })],
      ['no name', mallory({ preferredUsername: undefined })],
      ['a name that is nothing', mallory({ preferredUsername: '///' })],
      ['a context that turns words around', mallory({ '@context': [{ owner: 'https://example.com/lender' }] })],
      ['a context that is taken from somewhere', mallory({ '@context': [{ '@import': 'http://169.254.169.254/' }] })],
    ]
    for (const [what, actor] of odd) {
      const document = actor.document['publicKey'] as { id: string } | undefined
      if (document?.id === '') document.id = actor.keyId
      const answer = await sendAs(forge, actor, 'GET', person, undefined, { date })
      assert.deepEqual([answer.status, answer.json.code], [400, 'key_unknown'], what)
    }
    // The document of one server names a key of another, which does not know of it.
    const thief = peer.actor('thief', { keys: keysOf(1) })
    other.documents.set('/thief', { ...thief.document, id: `${other.url}/thief` })
    const stolen = await sendAs(forge, thief, 'GET', person, undefined, { date, keyId: `${other.url}/thief#main-key` })
    assert.equal(stolen.status, 400)
    // What a redirect leads to is not read.
    peer.intercept = ({ path }, response) => {
      if (path !== '/moved') return false
      response.writeHead(302, { location: `${peer.url}/actor` }).end()
      return true
    }
    const moved = await sendAs(forge, app, 'GET', person, undefined, { date, keyId: `${peer.url}/moved#main-key` })
    assert.deepEqual([moved.status, moved.json.code], [400, 'key_unknown'])
    assert.equal(peer.requestCount('/actor'), 0)
    const seenBefore = other.seen.length
    assert.ok(seenBefore <= 1, `${seenBefore} requests to a server that has nothing to do with it`)
  }))

test('keys: a key in a document of its own is accepted when its owner confirms it', () =>
  withPeer(async ({ forge, peer, person }) => {
    const date = new Date(forge.clock.nowMs())
    const path = '/users/zork'
    const keyId = `${peer.url}${path}/main-key`
    const key = { id: keyId, owner: peer.url + path, publicKeyPem: keysOf(0).publicKey }
    const zork = peer.actor('zork', { path, changes: { publicKey: key } })
    const { id, type, preferredUsername } = zork.document
    peer.documents.set(`${path}/main-key`, {
      '@context': zork.document['@context'],
      id,
      type,
      preferredUsername,
      publicKey: key,
    })
    assert.equal((await sendAs(forge, zork, 'GET', person, undefined, { date, keyId })).status, 200)
    const liar = `${peer.url}/liar/main-key`
    peer.documents.set('/liar/main-key', { id, type, preferredUsername, publicKey: { ...key, id: liar } })
    assert.equal((await sendAs(forge, zork, 'GET', person, undefined, { date, keyId: liar })).status, 400)
  }))

test('keys: a changed key is fetched again, at most every five minutes; Ed25519 keys are accepted', () =>
  withPeer(async ({ forge, peer, person }) => {
    const path = '/api/v1/activitypub/user-id/7'
    const ask = async (actor: PeerActor, options: SignOptions = {}) =>
      (await sendAs(forge, actor, 'GET', person, undefined, { date: new Date(forge.clock.nowMs()), ...options })).status
    const before = peer.actor('bob', { path })
    assert.equal(await ask(before), 200)
    const after = peer.actor('bob', { path, keys: keysOf(1), changes: { name: 'Bob' } })
    assert.deepEqual([await ask(after), peer.requestCount(path)], [403, 1])
    forge.clock.advance(6 * 60_000)
    assert.deepEqual([await ask(after), peer.requestCount(path)], [200, 2])
    assert.equal(await ask(before), 403, 'the old one counts no more')
    forge.clock.advance(6 * 60_000)
    assert.equal(await ask(before), 403)
    assert.deepEqual([await ask(before), peer.requestCount(path)], [403, 3])
    const { json } = await forge.as('root').get(`/users/search?q=bob-127.0.0.1`)
    assert.deepEqual(
      json.data.map((user: { full_name: string }) => user.full_name),
      ['Bob'],
      'names follow as well',
    )
    const edwards = peer.actor('edwards', { keys: ed25519Keys() })
    assert.equal(await ask(edwards, { algorithm: 'hs2019' }), 200)
    assert.equal(await ask(edwards, { form: 'rfc9421', algorithm: 'ed25519' }), 200)
  }))

test('documents: one that is too large, too deep, of another type or too slow gives no key', () =>
  withPeer(
    async ({ forge, peer, app, person }) => {
      const date = new Date(forge.clock.nowMs())
      const answers: Record<string, (response: ServerResponse) => unknown> = {
        '/large': (response) =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${'x'.repeat(1_100_000)}"}`),
        '/deep': (response) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
        '/html': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
        '/list': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
        '/cut': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
        '/gone': (response) => response.writeHead(410).end(),
        '/closed': (response) => response.destroy(),
      }
      peer.intercept = ({ path }, response) => {
        const answer = answers[path]
        answer?.(response)
        return answer !== undefined
      }
      for (const path of Object.keys(answers)) {
        const keyId = `${peer.url}${path}#main-key`
        const answer = await sendAs(forge, app, 'GET', person, undefined, { date, keyId })
        assert.deepEqual([answer.status, answer.json.code], [400, 'key_unknown'], path)
        await sendAs(forge, app, 'GET', person, undefined, { date, keyId })
        assert.equal(peer.requestCount(path), 1, `${path} is not asked for again at once`)
      }
    },
    { MAX_SIZE: 1 },
  ))

test('servers: internal addresses, blocked names and names outside the allow list are refused', async () => {
  await using peer = await Peer.start()
  await withPeer(
    async ({ forge, app, person }) => {
      const answer = await sendAs(forge, app, 'GET', person)
      assert.deepEqual([answer.status, answer.json.code], [400, 'key_unknown'])
      assert.doesNotMatch(answer.json.message, /127\.0\.0\.1:\d+ .*refused/)
    },
    { ALLOWED_HOST_LIST: 'external' },
  )
  const lists: Record<string, string>[] = [{ BLOCKED_SERVERS: '127.*' }, { ALLOWED_SERVERS: 'friends.example' }]
  for (const settings of lists) {
    await withPeer(async ({ forge, app, person }) => {
      const answer = await sendAs(forge, app, 'GET', person)
      assert.deepEqual([answer.status, answer.json.code], [403, 'server_blocked'])
    }, settings)
  }
  assert.equal(peer.seen.length, 0)
})

test('limits: too many requests of one server within a minute are refused, those of others are not', () =>
  withPeer(
    async ({ forge, peer, app, person }) => {
      await using other = await Peer.start('forgejo', '127.0.0.3')
      const date = new Date(forge.clock.nowMs())
      const statuses: number[] = []
      for (let index = 0; index < 7; index++) {
        statuses.push((await sendAs(forge, app, 'GET', person, undefined, { date })).status)
      }
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
      assert.equal((await sendAs(forge, other.application(), 'GET', person, undefined, { date })).status, 200)
      forge.clock.advance(61_000)
      const later = new Date(forge.clock.nowMs())
      assert.equal((await sendAs(forge, app, 'GET', person, undefined, { date: later })).status, 200)
      assert.equal(peer.requestCount('/actor'), 1)
    },
    { MAX_REQUESTS_PER_SERVER: 5 },
  ))

test('[federation].SIGNATURE_ENFORCED: without it unsigned requests are accepted', () =>
  withPeer(
    async ({ forge, person }) => {
      assert.equal((await forge.guest.get(person)).status, 200)
      assert.equal((await forge.guest.send('POST', `${person}/inbox`, { type: 'Create' })).status, 204)
    },
    { SIGNATURE_ENFORCED: false },
  ))
