import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { Credentials } from '../testing/client.ts'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'
import { createToken } from '../users/credentials/token.service.ts'

/** Returns a new SSH key. */
function freshKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')]
  const blob = parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part])
  return `ssh-ed25519 ${Buffer.concat(blob).toString('base64')}`
}

let made = 0
const name = () => `made-${++made}`
const key = () => ({ title: name(), key: freshKey() })

/** Operations that issue a credential. */
const issuing: Readonly<
  Record<string, readonly { what: string; method: string; path: string; body: () => object; plain?: true }[]>
> = {
  userCreateToken: [
    { what: 'all', method: 'POST', path: '/users/root/tokens', body: () => ({ name: name(), scopes: ['all'] }) },
    {
      what: 'write:admin',
      method: 'POST',
      path: '/users/root/tokens',
      body: () => ({ name: name(), scopes: ['write:user', 'write:admin'] }),
    },
    {
      what: 'private things',
      method: 'POST',
      path: '/users/root/tokens',
      body: () => ({ name: name(), scopes: ['read:repository'] }),
    },
    {
      what: 'a narrow scope',
      method: 'POST',
      path: '/users/root/tokens',
      body: () => ({ name: name(), scopes: ['admin:public_key'] }),
    },
    {
      what: 'a token of somebody else',
      method: 'POST',
      path: '/users/alice/tokens',
      body: () => ({ name: name(), scopes: ['all'] }),
    },
  ],
  userCurrentPostKey: [{ what: 'a key', method: 'POST', path: '/user/keys', body: key }],
  adminCreatePublicKey: [{ what: 'a key', method: 'POST', path: '/admin/users/alice/keys', body: key }],
  repoCreateKey: [{ what: 'a key', method: 'POST', path: '/repos/root/open/keys', body: key }],
  adminCreateUser: [
    {
      what: 'an account',
      method: 'POST',
      path: '/admin/users',
      plain: true,
      body: () => {
        const username = name()
        return { username, email: `${username}@example.com`, password: testPassword }
      },
    },
  ],
  adminEditUser: [
    {
      what: 'a password',
      method: 'PATCH',
      path: '/admin/users/alice',
      plain: true,
      body: () => ({ password: testPassword }),
    },
    {
      what: 'one’s own password',
      method: 'PATCH',
      path: '/admin/users/root',
      body: () => ({ password: testPassword, must_change_password: false }),
    },
    { what: 'an administrator', method: 'PATCH', path: '/admin/users/bob', body: () => ({ admin: true }) },
  ],
}

interface Narrow {
  readonly scopes: readonly string[]
  /** Scopes of the contract that permit it. */
  readonly may: readonly string[]
  /** Scopes that permit it with `[ingot].STRICT_TOKENS`. */
  readonly mayStrictly?: readonly string[]
}

/** Credentials with fewer rights than their account. */
const narrow: Readonly<Record<string, Narrow>> = {
  'write:user': { scopes: ['write:user'], may: ['userCurrentPostKey a key'], mayStrictly: [] },
  'public-only, all': { scopes: ['public-only', 'all'], may: ['repoCreateKey a key'] },
  'admin:public_key': { scopes: ['admin:public_key'], may: ['userCurrentPostKey a key'] },
  'write:user, admin': {
    scopes: ['write:user', 'write:admin'],
    may: [
      'userCreateToken write:admin',
      'userCurrentPostKey a key',
      'adminCreatePublicKey a key',
      'adminCreateUser an account',
      'adminEditUser a password',
      'adminEditUser one’s own password',
      'adminEditUser an administrator',
    ],
    mayStrictly: ['userCreateToken write:admin', 'adminCreateUser an account', 'adminEditUser a password'],
  },
  'write:user, repository': {
    scopes: ['write:user', 'write:repository'],
    may: ['userCreateToken private things', 'userCurrentPostKey a key', 'repoCreateKey a key'],
  },
}

async function ask(forge: Forge, credentials: Credentials) {
  const client = forge.as('root', credentials)
  const answers: Record<string, number> = {}
  for (const [id, requests] of Object.entries(issuing)) {
    for (const { what, method, path, body } of requests) {
      answers[`${id} ${what}`] = (await client.send(method, path, body())).status
    }
  }
  return answers
}

const passed = (answers: Readonly<Record<string, number>>) =>
  Object.keys(answers).filter((each) => (answers[each] as number) < 300)

for (const isStrict of [false, true]) {
  const title = `userCreateToken, userCurrentPostKey, adminCreatePublicKey, repoCreateKey, adminCreateUser, adminEditUser: a narrow token issues ${isStrict ? 'no more than it opens, with STRICT_TOKENS' : 'what its scopes are for'}`
  test(title, () => issuesOf(isStrict))
}

async function issuesOf(isStrict: boolean): Promise<void> {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ingot: { STRICT_TOKENS: isStrict } } })
  await forge.given.repo({ owner: 'root', name: 'open' })
  const { user } = await forge.account('root')
  for (const [label, { scopes, may: usually, mayStrictly = usually }] of Object.entries(narrow)) {
    const may = isStrict ? mayStrictly : usually
    const { token } = await createToken(forge.services, user, { name: label, scopes })
    const credentials = [
      { token },
      { basic: { login: 'root', password: token } },
      { basic: { login: token, password: '' } },
    ]
    for (const each of credentials) {
      await forge.as('root').must('PATCH', '/admin/users/bob', { admin: false })
      const answers = await ask(forge, each)
      const wanted = may.filter((one) => each.basic !== undefined || !one.startsWith('userCreateToken'))
      assert.deepEqual(passed(answers), wanted, `${label}: ${JSON.stringify(Object.keys(each))}`)
      const refused = Object.values(answers).filter((status) => status >= 300)
      assert.ok(
        refused.every((status) => status === 403 || status === 401),
        `${label}: ${refused.join(' ')}`,
      )
    }
  }
}

test('userCreateToken and the like: a password or a token with all scopes can issue each credential', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.repo({ owner: 'root', name: 'open' })
  const { token } = await forge.account('root')
  for (const password of [token, testPassword]) {
    await forge.as('root').must('PATCH', '/admin/users/bob', { admin: false })
    const answers = await ask(forge, { basic: { login: 'root', password } })
    assert.deepEqual(passed(answers), Object.keys(answers))
  }
})

test('userCreateToken: a public-only token cannot create a token, and a narrow one only a token of its scopes', async () => {
  await using forge = await startForge()
  const { user } = await forge.account('root')
  const make = async (own: readonly string[], wanted: readonly string[]) => {
    const { token } = await createToken(forge.services, user, { name: name(), scopes: own })
    const client = forge.as('root', { basic: { login: 'root', password: token } })
    return (await client.post('/users/root/tokens', { name: name(), scopes: wanted })).status
  }
  assert.equal(await make(['public-only', 'write:user'], ['public-only', 'read:user']), 403)
  assert.equal(await make(['public-only', 'write:user'], ['read:user']), 403)
  assert.equal(await make(['write:user', 'admin:gpg_key'], ['admin:gpg_key']), 201)
  assert.equal(await make(['write:user'], ['read:user,read:issue']), 403)
  assert.equal(await make(['write:user', 'read:issue'], ['write:issue']), 403)
  assert.equal(await make(['all'], ['all', 'admin:application']), 201)
})

test('the tested operations include each one with a key, a password or token scopes in its body', async () => {
  await using forge = await startForge()
  const members = (body: unknown): string[] => Object.keys((body as { properties?: object })?.properties ?? {})
  const found = forge.services
    .operations()
    .filter(({ method }) => method !== 'GET' && method !== 'DELETE')
    // A password in a webhook, a migration or a mirror belongs to another system.
    .filter(({ base, path }) => base === 'api' && !/hooks|migrate|mirror/.test(path))
    // An OpenPGP key grants no access; it only attributes signatures.
    .filter(({ body }) => members(body).some((each) => ['key', 'password', 'scopes'].includes(each)))
    .map(({ id }) => id)
  assert.deepEqual(found.toSorted(), Object.keys(issuing).toSorted())
})

test('a parameter with a zero byte, sudo included, is refused instead of ignored', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  for (const query of ['sudo=a%00', 'sudo=%00', 'sudo=alice&x=%00', 'sudo%00=alice', 'page=%00', 'token=%00']) {
    const reply = await root.get(`/user?${query}`)
    assert.deepEqual([reply.status, reply.json.code], [400, 'zero_byte'], query)
  }
  assert.equal((await forge.guest.get('/version?token=%00')).status, 400)
  assert.equal((await forge.guest.get('/user/login?a=%00', { site: true })).status, 400)
  assert.equal((await root.get('/user?sudo=alice')).json.login, 'alice')
  assert.equal((await root.get('/user?sudo=%ff')).status, 404)
  assert.equal((await root.get('/user', { headers: { sudo: 'alice, bob' } })).status, 404)
})

test('credentials that are too long are refused instead of treated as a guest', async () => {
  await using forge = await startForge()
  const reply = await forge.guest.get('/version', { headers: { authorization: `token ${'a'.repeat(5000)}` } })
  assert.deepEqual([reply.status, reply.json.code], [401, 'credentials_malformed'])
})
