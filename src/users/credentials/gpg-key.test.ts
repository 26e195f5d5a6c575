import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessage, generateKey, revokeKey, sign, type PrivateKey } from 'openpgp'
import { startForge } from '../../testing/forge.ts'

interface TestKey {
  readonly secret: PrivateKey
  readonly armored: string
  readonly id: string
}

async function newKey(...emails: readonly string[]): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: emails.map((email) => ({ name: 'Ada', email })),
    date: new Date('2024-01-01T00:00:00Z'),
    format: 'object',
  })
  return { secret: privateKey, armored: publicKey.armor(), id: publicKey.getKeyID().toHex().toUpperCase() }
}

const signed = async ({ secret }: TestKey, text: string): Promise<string> =>
  (await sign({ message: await createMessage({ text }), signingKeys: secret, detached: true })) as string

test('userCurrentPostGPGKey: refuses anything but a public key of a reasonable size', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const key = await newKey('alice@example.com')
  const post = (armored_public_key: string) => alice.post('/user/gpg_keys', { armored_public_key })
  for (const [text, code] of [
    ['hello', 'gpg_key_no_key'],
    [key.armored.slice(0, 200), 'gpg_key_no_key'],
    [key.secret.armor(), 'gpg_key_private_key'],
  ] as const) {
    const { status, json } = await post(text)
    assert.deepEqual([status, json.code], [422, code])
  }
  assert.equal((await post('x'.repeat(300_000))).status, 422)
  const around = `some words\n\n${key.armored.replaceAll('\n', '\r\n')}\nmore words\n`
  assert.equal((await post(around)).status, 201, 'words and line breaks around it do not matter')
})

test('userCurrentListGPGKeys, userCurrentGetGPGKey, userCurrentDeleteGPGKey, userListGPGKeys: keys with their subkeys', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const key = await newKey('Alice@Example.com', 'other@example.net')
  const { json } = await alice.must('POST', '/user/gpg_keys', { armored_public_key: key.armored })
  assert.deepEqual(
    [json.key_id, json.emails, json.verified, json.can_sign, json.expires_at],
    [key.id, [{ email: 'alice@example.com', verified: true }], false, true, '0001-01-01T00:00:00Z'],
  )
  assert.deepEqual(
    json.subkeys.map((subkey: Record<string, unknown>) => [
      subkey['primary_key_id'],
      subkey['can_sign'],
      subkey['can_encrypt_comms'],
    ]),
    [[key.id, false, true]],
  )
  assert.deepEqual((await bob.must('GET', '/users/alice/gpg_keys')).json, [json])
  assert.deepEqual((await alice.must('GET', '/user/gpg_keys')).json, [json])
  assert.equal((await forge.guest.get('/users/alice/gpg_keys')).status, 401)
  assert.equal((await bob.get(`/user/gpg_keys/${json.id}`)).status, 404)
  assert.equal((await alice.get(`/user/gpg_keys/${json.subkeys[0].id}`)).status, 404, 'a subkey is no key by itself')
  assert.equal((await bob.post('/user/gpg_keys', { armored_public_key: key.armored })).status, 422, 'taken')
  assert.equal((await bob.delete(`/user/gpg_keys/${json.id}`)).status, 204)
  assert.deepEqual((await alice.must('GET', `/user/gpg_keys/${json.id}`)).json, json, "another's stays")
  assert.equal((await alice.delete(`/user/gpg_keys/${json.id}`)).status, 204)
  assert.equal((await alice.get(`/user/gpg_keys/${json.id}`)).status, 404)
  assert.equal((await alice.post('/user/gpg_keys', { armored_public_key: key.armored })).status, 201, 'and again')
})

test('userCurrentPostGPGKey: an address needs the key’s self-signature and the account’s confirmation', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const key = await newKey('bob@example.com')
  const add = (login: string) => forge.as(login).post('/user/gpg_keys', { armored_public_key: key.armored })
  assert.equal((await add('alice')).status, 404)
  const stranger = await newKey('stranger@example.net')
  const [own] = stranger.secret.toPublic().users
  const mixed = key.secret.toPublic()
  mixed.users.push(own!)
  const { status, json } = await forge.as('bob').post('/user/gpg_keys', { armored_public_key: mixed.armor() })
  assert.deepEqual([status, json.emails.length], [201, 1], 'an address that another key signed is none')
})

test('getVerificationToken, userVerifyGPGKey: a signature over the token of this minute or the one before', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const token = async (of: typeof alice) => (await of.must('GET', '/user/gpg_key_token')).text
  const mine = await token(alice)
  assert.match(mine, /^[0-9a-f]{64}$/)
  assert.notEqual(await token(bob), mine)
  const key = await newKey('alice@example.com')
  await alice.must('POST', '/user/gpg_keys', { armored_public_key: key.armored })
  const verify = async (armored_signature: string, key_id = key.id) =>
    (await alice.post('/user/gpg_key_verify', { key_id, armored_signature })).status
  assert.equal(await verify('no signature'), 422)
  assert.equal(await verify(await signed(key, 'something else')), 422)
  assert.equal(await verify(await signed(key, await token(bob))), 422)
  assert.equal(await verify(await signed(await newKey('alice@example.com'), mine)), 422, 'another key')
  assert.equal(await verify(await signed(key, mine), '0123456789ABCDEF'), 404)
  assert.equal((await bob.post('/user/gpg_key_verify', { key_id: key.id, armored_signature: 'x' })).status, 404)
  forge.clock.advance(59_000)
  assert.equal(await verify(await signed(key, `${mine}\n`), key.id.toLowerCase()), 200)
  assert.equal((await alice.must('GET', '/user/gpg_keys')).json[0].verified, true)

  const other = await newKey('stranger@example.net')
  const proof = { armored_public_key: other.armored, armored_signature: await signed(other, mine) }
  forge.clock.advance(120_000)
  assert.equal((await alice.post('/user/gpg_keys', proof)).status, 422, 'the token is old')
  const fresh = await signed(other, await token(alice))
  const { json } = await alice.must('POST', '/user/gpg_keys', { ...proof, armored_signature: fresh })
  assert.deepEqual([json.verified, json.emails], [true, []])
  const revoked = await revokeKey({ key: (await newKey('alice@example.com')).secret, format: 'object' })
  const answer = await alice.post('/user/gpg_keys', { armored_public_key: revoked.publicKey.armor() })
  assert.equal(answer.status, 422, 'a revoked key is not added')
})
