import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import { createToken } from '../src/users/credentials/token.service.ts'
import { addressOf, bodyFor, everythingOn } from './authorization-world.ts'
import { keyOf } from './belongings.ts'

/** Tables, or columns of tables, that hold what outlives the credential that created it. */
const lasting: Readonly<Record<string, string>> = {
  access_token: 'id, scopes',
  public_key: 'id',
  deploy_key: 'id',
  gpg_key: 'id, is_verified',
  webhook: '*',
  oauth_application: 'id, secret_hash, redirect_uris',
  email: '*',
  action_registration_token: 'id, token_hash',
  action_secret: '*',
  action_variable: '*',
  push_mirror: 'id',
  collaboration: '*',
  invitation: 'id',
  team: 'id, access_mode, unit_modes',
  team_user: '*',
  team_repo: '*',
  '"user"': 'id, is_admin, password_hash, email',
}

/** Changes of these tables by operations with another purpose. */
const byTheWay: Readonly<Record<string, string>> = {
  orgCreate: 'the founder of an organization is its owner',
  adminCreateOrg: 'the founder of an organization is its owner',
  createOrgRepo: 'teams that hold all repositories hold the new one',
  createOrgRepoDeprecated: 'teams that hold all repositories hold the new one',
}

/** Words in addresses and bodies that indicate something lasting. */
const lastingPath =
  /\/(?:tokens|keys|gpg_keys|gpg_key_verify|hooks|registration-token|secrets|variables|oauth2|emails|push_mirrors|collaborators|invitations|sources)(?:\/|$)/
const lastingMembers = ['key', 'password', 'scopes', 'admin', 'emails', 'redirect_uris', 'authorization_header']

/** Operations with such a word that create nothing lasting. */
const harmless: Readonly<Record<string, string>> = {
  repoTestHook: 'sends a delivery of a webhook that exists',
  redeliverRepoHookDelivery: 'sends a delivery again',
  adminTestSignInSource: 'tries a source that exists',
  repoMigrate: 'a password for another server, whose content is copied here',
}

const isAsked = ({ base, accepts }: NamedOperation): boolean => base !== 'site' && accepts.includes('token')

const hook = {
  type: 'forgejo',
  active: true,
  events: ['push'],
  config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
}

/** Bodies for operations that refuse the smallest body of their schema. */
const bodies: Readonly<Record<string, unknown>> = {
  repoCreateHook: hook,
  orgCreateHook: hook,
  userCreateHook: hook,
  adminCreateHook: hook,
  userCurrentPostKey: { title: 'one', key: keyOf('a', 1) },
  adminCreatePublicKey: { title: 'two', key: keyOf('a', 2) },
  repoCreateKey: { title: 'three', key: keyOf('a', 3) },
  userCreateToken: { name: 'one', scopes: ['all'] },
  userAddEmail: { emails: ['more@example.com'] },
  userCreateOAuth2Application: { name: 'app', redirect_uris: ['https://app.example.com/cb'] },
  adminCreateUser: { username: 'fresh', email: 'fresh@example.com', password: testPassword },
  adminEditUser: { admin: true },
  repoAddCollaborator: { permission: 'write' },
  orgCreateInvitation: { team_id: 1 },
  orgCreateTeam: { name: 'crew', permission: 'write', units: ['repo.code'] },
}

async function stateOf(forge: Forge): Promise<Map<string, string>> {
  const state = new Map<string, string>()
  for (const [table, columns] of Object.entries(lasting)) {
    const { rows } = await sql`select ${sql.raw(columns)} from ${sql.raw(table)}`.execute(forge.services.db)
    state.set(table, JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()))
  }
  return state
}

test('every operation that creates something that outlives the credential declares it', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['bob', 'carol'] })
  await forge.given.repo({ owner: 'root', name: 'open' })
  await forge.given.org({ owner: 'root', name: 'guild' })
  const { token } = await forge.account('root')
  const clients = [forge.as('root'), forge.as('root', { basic: { login: 'root', password: token } })]
  const undeclared: string[] = []
  const seen = new Set<string>()
  const moving = /transfer|rename/i
  for (const operation of forge.services.operations()) {
    const { id, method, base, writes, path, cost } = operation
    if (!isAsked(operation) || !writes || method === 'DELETE' || cost === 'waiting' || moving.test(id)) continue
    const username = path.startsWith('/users/') || path.startsWith('/repos/') ? 'root' : 'bob'
    const address = addressOf(operation, {
      username,
      reponame: 'open',
      collaborator: 'carol',
      teamid: '1',
      team: 'crew',
    })
    for (const client of clients) {
      const before = await stateOf(forge)
      const root = base === 'vendor' ? '/api/service/v1' : ''
      await client.send(method, root + address, bodies[id] ?? bodyFor(operation), { site: base !== 'api' })
      const after = await stateOf(forge)
      const changed = [...after].filter(([table, rows]) => before.get(table) !== rows).map(([table]) => table)
      if (changed.length === 0) continue
      for (const table of changed) seen.add(table)
      if (operation.outlivesCredential === false && byTheWay[id] === undefined) {
        undeclared.push(`${id}: ${changed.join()}`)
      }
    }
  }
  assert.deepEqual(undeclared, [])
  // The test proves nothing when the requests are refused.
  assert.ok(seen.size >= 9, [...seen].join())
})

test('every operation whose address or body names something that outlives the credential declares it', async () => {
  await using forge = await startForge()
  const members = ({ body }: NamedOperation): string[] =>
    Object.keys((body as { properties?: object } | undefined)?.properties ?? {})
  const undeclared = forge.services
    .operations()
    .filter((operation) => isAsked(operation) && operation.writes && operation.method !== 'DELETE')
    .filter(
      (operation) =>
        lastingPath.test(operation.path) || members(operation).some((each) => lastingMembers.includes(each)),
    )
    .filter(
      ({ id, outlivesCredential, path }) =>
        outlivesCredential === false && harmless[id] === undefined && !path.includes('/deliveries'),
    )
  assert.deepEqual(
    undeclared.map(({ id, path }) => `${id} ${path}`),
    [],
  )
})

const placeCode = /^resolve:(?:repo|org|team)$/

test('every such operation refuses read tokens, public-only tokens and jobs, whatever its method', async () => {
  await using forge = await startForge({ settings: everythingOn })
  await forge.given.repo({ owner: 'root', name: 'open' })
  const { user } = await forge.account('root')
  const make = async (scopes: readonly string[]) =>
    forge.as('root', { token: (await createToken(forge.services, user, { name: scopes.join(), scopes })).token })
  const reading = ['repository', 'user', 'organization', 'admin', 'issue'].map((each) => `read:${each}`)
  const [reader, publicOnly] = [await make(reading), await make(['public-only', 'all'])]
  const wrong: string[] = []
  const declared = forge.services.operations().filter(({ outlivesCredential }) => outlivesCredential !== false)
  for (const operation of declared) {
    // A public-only token acts on public repositories and organizations (A2; src/access/public-only.test.ts).
    const isOfRepository = operation.requires.some(({ codes }) => codes.some((code) => placeCode.test(code)))
    const isPermitted = isOfRepository && operation.outlivesCredential !== 'account'
    for (const client of isPermitted ? [reader] : [reader, publicOnly]) {
      const address = addressOf(operation, { username: 'root', reponame: 'open' })
      const root = operation.base === 'vendor' ? '/api/service/v1' : ''
      const { status, headers } = await client.send(
        operation.method,
        root + address,
        operation.method === 'GET' ? undefined : (bodies[operation.id] ?? {}),
        {
          site: operation.base !== 'api',
        },
      )
      // A page accepts no token: it takes its sender for a guest, who has to sign in.
      if (
        status !== 403 &&
        !(isPage(operation) && status === 303 && headers.get('location')?.startsWith('/user/login'))
      ) {
        wrong.push(`${operation.id}: ${status}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(declared.length > 40, `${declared.length}`)
})

test('repoGetRunnerRegistrationToken and its siblings: a token that may write reads the registration token', async () => {
  await using forge = await startForge({ settings: everythingOn })
  await forge.given.repo({ owner: 'root', name: 'open' })
  const { user } = await forge.account('root')
  const { token } = await createToken(forge.services, user, { name: 'w', scopes: ['write:repository'] })
  const reply = await forge.as('root', { token }).get('/repos/root/open/actions/runners/registration-token')
  assert.equal(reply.status, 200)
})
