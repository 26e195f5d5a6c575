import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { anyone, signedIn } from '../access/requirements.ts'
import { operation, type Requirement } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { Unauthenticated } from '../lib/errors.ts'
import { startForge, testPassword } from '../testing/forge.ts'
import { createToken } from '../users/credentials/token.service.ts'
import type { CredentialReader } from './credentials.ts'
import { basicAuthorization } from '../testing/samples.ts'

/** A credential of a machine, as a feature with runners would define it. */
class Machine {
  constructor(readonly name: string) {}
}

const machines: CredentialReader = {
  kind: 'runner',
  read: (_services, _call, presented) =>
    presented.kind === 'bearer' && presented.token.startsWith('machine-')
      ? { viewer: undefined, principal: new Machine(presented.token.slice(8)) }
      : undefined,
}

const isMachine: Requirement<Ctx, { readonly machine: Machine }> = {
  codes: ['machine'],
  refuses: [401],
  check({ principal }) {
    if (!(principal instanceof Machine)) throw new Unauthenticated('a machine is asked for')
    return { machine: principal }
  },
}

const Who = Type.Object({ who: Type.String() })
const routes = {
  machineName: operation({
    method: 'GET',
    path: '/machine',
    cost: 'usual',
    scope: null,
    accepts: ['runner'],
    requires: [isMachine],
    reply: { 200: Who },
    run: async ({ ctx }) => ok({ who: ctx.machine.name }),
  }),
  byPassword: operation({
    method: 'GET',
    path: '/by-password',
    cost: 'usual',
    scope: null,
    accepts: ['basic'],
    requires: [signedIn],
    reply: { 200: Who },
    run: async ({ ctx }) => ok({ who: ctx.viewer.user.name }),
  }),
  guestOrSignedIn: operation({
    method: 'GET',
    path: '/lenient',
    cost: 'usual',
    base: 'site',
    scope: null,
    requires: [anyone],
    reply: { 200: Who },
    run: async ({ ctx }) => ok({ who: ctx.viewer?.user.name ?? ctx.refusedCredential?.code ?? 'a guest' }),
  }),
}

const features = [{ credentials: [machines], routes: [routes] }]

test('a credential is refused where its kind is not accepted', async () => {
  await using forge = await startForge({ features, users: ['alice'] })
  const asAlice = forge.as('alice')
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const basic = (login: string, password: string) => ({
    headers: { authorization: basicAuthorization(login, password) },
  })
  const { token } = await forge.account('alice')
  assert.deepEqual(await codeOf(forge.guest.get('/user', bearer('machine-one'))), [401, 'credentials_wrong'])
  assert.deepEqual(await codeOf(asAlice.get('/machine')), [401, 'credentials_wrong'])
  assert.deepEqual(await codeOf(forge.guest.get('/machine')), [401, 'unauthenticated'])
  assert.deepEqual(await codeOf(asAlice.get('/by-password')), [401, 'credentials_wrong'])
  assert.deepEqual(await codeOf(forge.guest.get('/by-password', basic('alice', token))), [401, 'credentials_wrong'])

  assert.deepEqual(await codeOf(forge.guest.get('/user', basic('ali\0ce', testPassword))), [
    401,
    'credentials_malformed',
  ])

  assert.deepEqual((await forge.guest.get('/machine', bearer('machine-one'))).json, { who: 'one' })
  assert.deepEqual((await forge.guest.get('/by-password', basic('alice', testPassword))).json, { who: 'alice' })
  assert.deepEqual((await forge.guest.get('/user', basic('alice', token))).json.login, 'alice')
})

test('outside the API a guest with wrong credentials gets the reason', async () => {
  await using forge = await startForge({ features, users: ['alice'] })
  const who = async (token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `token ${token}` }
    return (await forge.guest.get('/lenient', { site: true, headers })).json.who
  }
  assert.equal(await who('0'.repeat(40)), 'credentials_wrong')
  assert.equal(await who(), 'a guest')
  assert.equal(await who((await forge.account('alice')).token), 'alice')
})

test('tokens in the query work unless the setting disables them', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { token } = await forge.account('alice')
  assert.equal((await forge.guest.get(`/user?access_token=${token}`)).json.login, 'alice')
  await using strict = await startForge({
    users: ['alice'],
    settings: { security: { DISABLE_QUERY_AUTH_TOKEN: true } },
  })
  const { token: other } = await strict.account('alice')
  assert.equal((await strict.guest.get(`/user?token=${other}`)).status, 401)
})

test('a narrow scope permits its addresses and no others', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { user } = await forge.account('alice')
  const { token } = await createToken(forge.services, user, { name: 'keys', scopes: ['admin:public_key'] })
  const client = forge.as('alice', { token })
  assert.equal((await client.get('/user')).status, 403)
  assert.equal((await client.get('/user/emails')).status, 403)
  assert.equal((await client.get('/user/keys')).status, 200)
})

test('each operation below an address of a narrow scope declares the scope', async () => {
  await using forge = await startForge()
  const prefixes = {
    '/user/keys': 'admin:public_key',
    '/user/applications': 'admin:application',
    '/user/gpg_keys': 'admin:gpg_key',
  }
  for (const { id, base, path, narrowScope } of forge.services.operations()) {
    const wanted = Object.entries(prefixes).find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
    assert.equal(narrowScope, base === 'api' ? wanted?.[1] : undefined, id)
  }
})

const codeOf = async (answer: Promise<{ status: number; json: { code: string } }>): Promise<[number, string]> => {
  const { status, json } = await answer
  return [status, json.code]
}
