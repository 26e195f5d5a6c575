import assert from 'node:assert/strict'
import { pbkdf2Sync } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Invalid, Unavailable } from '../lib/errors.ts'
import { loadInstanceKeys } from './instance-key.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { createSecrets, equalSecrets, SealError } from './secrets.ts'
import { hashToken, newToken } from './tokens.ts'

const secretsOf = (current: string, previous: string[] = []) => createSecrets({ current, previous, isNew: false })

test('open returns a sealed text only for its purpose', () => {
  const secrets = secretsOf('one')
  const sealed = secrets.seal('webhook-secret', 'häß 🔑')
  assert.equal(secrets.open('webhook-secret', sealed), 'häß 🔑')
  assert.notEqual(sealed, secrets.seal('webhook-secret', 'häß 🔑'))
  assert.match(sealed, /^v1\.[A-Za-z0-9]{8}\.[A-Za-z0-9_-]+$/)
  assert.throws(
    () => secrets.open('mirror-password', sealed),
    (error) => error instanceof SealError && error.reason === 'damaged',
  )
  assert.throws(() => secrets.open('webhook-secret', `${sealed.slice(0, -4)}AAAA`), SealError)
  assert.throws(() => secrets.open('webhook-secret', 'plain'), SealError)
  assert.equal(secrets.open('empty', secrets.seal('empty', '')), '')
})

test('rotation: texts of the old key are opened and resealed, until the old key is removed', () => {
  const old = secretsOf('one')
  const both = secretsOf('two', ['one'])
  const fresh = secretsOf('two')
  const sealed = old.seal('p', 'text')
  assert.equal(both.open('p', sealed), 'text')
  const again = both.reseal('p', sealed)
  assert.ok(again !== undefined)
  assert.equal(both.reseal('p', again), undefined)
  assert.equal(fresh.open('p', again), 'text')
  assert.throws(
    () => fresh.open('p', sealed),
    (error) => error instanceof SealError && error.reason === 'unknown_key',
  )
})

test('signed values: expired, foreign and forged values are refused', () => {
  const secrets = secretsOf('one')
  const signed = secrets.sign('reset', { user: 7, mail: 'a@b' }, 1000)
  assert.deepEqual(secrets.verify('reset', signed, 999), { user: 7, mail: 'a@b' })
  assert.equal(secrets.verify('reset', signed, 1000), undefined)
  assert.equal(secrets.verify('activate', signed, 999), undefined)
  const [id, , mac] = signed.split('.')
  const forged = Buffer.from(JSON.stringify([9999, { user: 8 }])).toString('base64url')
  assert.equal(secrets.verify('reset', `${id}.${forged}.${mac}`, 999), undefined)
  assert.equal(secrets.verify('reset', 'x', 1), undefined)
  assert.equal(secrets.verify('reset', '', 1), undefined)
  assert.deepEqual(secretsOf('two', ['one']).verify('reset', signed, 1), { user: 7, mail: 'a@b' })
})

test('instance key: it is generated once with mode 0600, also by concurrent starts, and previous keys still open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ingot-secrets-'))
  try {
    const keyFile = join(folder, 'deep', 'secret.key')
    const loaded = await Promise.all(Array.from({ length: 8 }, () => loadInstanceKeys({ secretKey: '', keyFile })))
    assert.equal(new Set(loaded.map((keys) => keys.current)).size, 1)
    assert.equal(loaded.filter((keys) => keys.isNew).length, 1)
    assert.equal((await stat(keyFile)).mode & 0o777, 0o600)
    const first = loaded[0]?.current ?? ''
    await writeFile(keyFile, `new key\n${first}\n`)
    const rotated = await loadInstanceKeys({ secretKey: '', keyFile })
    assert.deepEqual(rotated, { current: 'new key', previous: [first], isNew: false })
    const configured = await loadInstanceKeys({ secretKey: 'chosen', oldSecretKeys: 'a, b', keyFile })
    assert.deepEqual(configured, { current: 'chosen', previous: ['a', 'b', rotated.current, first], isNew: false })
    await writeFile(keyFile, '\n')
    await assert.rejects(loadInstanceKeys({ secretKey: '', keyFile }), /contains no key/)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('passwords: argon2id with the documented cost; bad passwords and unknown accounts are refused', async () => {
  const stored = await hashPassword('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await verifyPassword('correct horse', stored), true)
  assert.equal(await verifyPassword('wrong', stored), false)
  assert.equal(await verifyPassword('x', undefined), false)
  assert.equal(await verifyPassword('x', 'nonsense'), false)
  assert.equal(await verifyPassword('x'.repeat(2000), stored), false)
  await assert.rejects(hashPassword(''), Invalid)
  await assert.rejects(hashPassword('x'.repeat(2000)), Invalid)
})

test('passwords: imported pbkdf2 hashes are verified', async () => {
  const salt = '00112233445566778899aabbccddeeff'
  const digest = pbkdf2Sync('secret', Buffer.from(salt, 'hex'), 1000, 50, 'sha256').toString('hex')
  const stored = `pbkdf2$1000$50$${salt}$${digest}`
  assert.equal(await verifyPassword('secret', stored), true)
  assert.equal(await verifyPassword('Secret', stored), false)
  const oldest = pbkdf2Sync('secret', 'tensaltchr', 1000, 50, 'sha256').toString('hex')
  assert.equal(await verifyPassword('secret', `pbkdf2$1000$50$tensaltchr$${oldest}`), true)
  assert.equal(await verifyPassword('secret', `pbkdf2$99999999$50$${salt}$${digest}`), false)
})

test('passwords: excess requests are refused', async () => {
  const results = await Promise.allSettled(Array.from({ length: 320 }, () => verifyPassword('x', 'pbkdf2$1$1$0011$00')))
  const refused = results.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 320 - 303)
  assert.ok(refused.every((result) => result.reason instanceof Unavailable))
  assert.equal(await verifyPassword('x', 'pbkdf2$1$1$0011$00'), false)
})

test('tokens: 40 lower-case hexadecimal digits with a stable hash', () => {
  const token = newToken()
  assert.match(token, /^[0-9a-f]{40}$/)
  assert.match(hashToken(token), /^[0-9a-f]{64}$/)
  assert.equal(hashToken(token), hashToken(token))
  assert.notEqual(hashToken(token), hashToken(newToken()))
  assert.equal(equalSecrets(token, token), true)
  assert.equal(equalSecrets(token, `${token}x`), false)
})
