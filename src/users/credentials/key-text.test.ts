import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, readKeys } from 'openpgp'
import { Browser } from '../../testing/browser.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { basicAuthorization, publicKey } from '../../testing/samples.ts'

test('userSshKeysText, userGpgKeysText: return keys as text to anyone who can see the account', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, root] = [forge.as('alice'), forge.as('root')]
  const get = (path: string, as = forge.guest) => as.get(path, { site: true })
  for (const path of ['/alice.keys', '/alice.gpg']) {
    const { status, text, headers } = await get(path)
    assert.deepEqual([status, text, headers.get('content-type')], [200, '', 'text/plain; charset=utf-8'], path)
  }
  for (const path of ['/nobody.keys', '/nobody.gpg', '/.keys', '/alice.key']) {
    assert.equal((await get(path)).status, 404, path)
  }
  await alice.must('POST', '/user/keys', { title: 'laptop', key: `${publicKey} alice@secret.example` })
  const armored = await Promise.all(
    ['laptop', 'desk'].map(
      async (name) => (await generateKey({ type: 'ecc', userIDs: [{ name, email: 'alice@example.com' }] })).publicKey,
    ),
  )
  for (const key of armored) {
    await alice.must('POST', '/user/gpg_keys', { armored_public_key: `some words\n\n${key}\nmore words\n` })
  }
  assert.equal((await get('/ALICE.keys')).text, `${publicKey}\n`, 'without the comment')
  const { text } = await get('/alice.gpg')
  assert.ok(text.startsWith('-----BEGIN PGP PUBLIC KEY BLOCK-----') && !text.includes('words'))
  const blocks = text.split(/(?<=-----END PGP PUBLIC KEY BLOCK-----\n)/)
  const ids = await Promise.all(blocks.map(async (armoredKeys) => (await readKeys({ armoredKeys })).length))
  assert.deepEqual(ids, [1, 1])

  const show = (visibility: string) =>
    root.must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, visibility })
  await show('private')
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  for (const path of ['/alice.keys', '/alice.gpg']) {
    assert.equal((await get(path)).status, 404, path)
    assert.equal((await get(path, forge.as('bob'))).status, 404, path)
    assert.deepEqual([(await get(path, alice)).status, (await get(path, root)).status], [200, 200], path)
    assert.equal((await browser.get(path)).status, 200, path)
  }
  const made = await forge.guest.send(
    'POST',
    '/users/alice/tokens',
    { name: 'x', scopes: ['public-only', 'read:user'] },
    { headers: { authorization: basicAuthorization('alice', testPassword) } },
  )
  assert.equal((await get('/alice.keys', forge.as('alice', { token: made.json.sha1 }))).status, 403)
  await show('public')
  await root.must('POST', '/admin/users/alice/rename', { new_username: 'ada' })
  const moved = await get('/alice.keys')
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/ada.keys'])

  await using closed = await startForge({ users: ['alice'], settings: { service: { REQUIRE_SIGNIN_VIEW: true } } })
  assert.equal((await closed.guest.get('/alice.keys', { site: true })).status, 401)
  assert.equal((await closed.as('alice').get('/alice.keys', { site: true })).status, 200)
})
