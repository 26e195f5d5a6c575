import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessage, generateKey, sign } from 'openpgp'
import { Browser, hiddenFields } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { publicKey } from '../../../testing/samples.ts'

const path = '/user/settings/keys'

test('keysPage, addSshKeySubmit, removeSshKeySubmit: a person adds and removes keys of the own account only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const guest = await new Browser(forge).get(path)
  assert.equal(guest.headers.get('location'), `/user/login?redirect_to=${encodeURIComponent(path)}`)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const add = (key: string, title = '') => alice.submit(path, '/keys/ssh"', { key, title })
  const wrong = await add('hello', 'laptop')
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="key_problem">[^<]*not a public SSH key/)
  assert.match(wrong.text, /<details class="disclosure" open>[^]*value="laptop"/)
  assert.match((await add(publicKey)).text, /id="title_problem">The key has no comment/)
  assert.equal((await add(`${publicKey} alice@laptop`)).status, 303)
  const [key] = (await forge.as('alice').get('/user/keys')).json as { id: number; title: string; fingerprint: string }[]
  assert.equal(key?.title, 'alice@laptop', 'its comment')
  assert.match((await add(publicKey, 'again')).text, /already in use/)
  const shown = await alice.get(path)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.ok(shown.text.includes(key.fingerprint))
  const csrf = await bob.csrf(path)
  assert.equal((await bob.post(`${path}/ssh/delete`, { _csrf: csrf, id: String(key.id) })).status, 403)
  assert.equal((await alice.submit(path, 'ssh/delete')).status, 303)
  assert.deepEqual((await forge.as('alice').get('/user/keys')).json, [])
})

test('addGpgKeySubmit, verifyGpgKeySubmit, removeGpgKeySubmit: a key of the own address is added; a signature verifies it', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = await Browser.of(forge, 'alice')
  const newKey = (email: string) =>
    generateKey({
      type: 'ecc',
      curve: 'ed25519Legacy',
      userIDs: [{ name: 'Ada', email }],
      date: new Date('2024-01-01T00:00:00Z'),
      format: 'object',
    })
  const add = (armored: string, signature = '') =>
    alice.submit(path, '/keys/gpg"', { armored_public_key: armored, armored_signature: signature })
  const foreign = await newKey('ada@elsewhere.example')
  assert.match((await add('hello')).text, /id="armored_public_key_problem"/)
  assert.match(
    (await add(foreign.publicKey.armor())).text,
    /id="armored_signature_problem">The key contains no confirmed/,
  )
  const own = await newKey('alice@example.com')
  assert.equal((await add(own.publicKey.armor())).status, 303)
  const keys = async () =>
    (await forge.as('alice').get('/user/gpg_keys')).json as { key_id: string; verified: boolean }[]
  const id = own.publicKey.getKeyID().toHex().toUpperCase()
  assert.deepEqual(
    (await keys()).map((key) => [key.key_id, key.verified]),
    [[id, false]],
  )
  const { text } = await alice.get(path)
  const token = /echo "([0-9a-f]+)"/.exec(text.replaceAll('&quot;', '"'))?.[1] ?? ''
  const armored_signature = (await sign({
    message: await createMessage({ text: token }),
    signingKeys: own.privateKey,
    detached: true,
  })) as string
  const form = hiddenFields(text, 'gpg/verify')
  assert.equal(form['key_id'], id)
  const wrong = await alice.post(`${path}/gpg/verify`, { ...form, armored_signature: 'no' })
  assert.equal(wrong.status, 422)
  assert.equal((await alice.post(`${path}/gpg/verify`, { ...form, armored_signature })).status, 303)
  assert.equal((await keys())[0]?.verified, true)
  assert.equal((await alice.submit(path, 'gpg/delete')).status, 303)
  assert.deepEqual(await keys(), [])
})
