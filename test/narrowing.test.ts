import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { narrowingHeaders } from '../src/http/narrowing-headers.ts'
import { startForge, testPassword } from '../src/testing/forge.ts'
import { basicAuthorization } from '../src/testing/samples.ts'
import { bodyFor, eachOf, everythingOn, pathFor, makeWorld } from './authorization-world.ts'

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly ObjectSchema[]
  readonly items?: ObjectSchema
}

/** Operations that need the account's own credential although they create none. */
const makesNoCredential = new Set(['adminCreateOrg', 'orgCreate', 'repoTransfer'])

/** Rules are no credentials, so their operations do not declare `outlivesCredential`. */
const rulePath = /\/(?:branch_protections|tag_protections|quota\/|cleanup-rules|upstreams)/

const isOfCredentialOrRule = (operation: NamedOperation): boolean =>
  !isPage(operation) &&
  !makesNoCredential.has(operation.id) &&
  operation.method !== 'GET' &&
  (operation.outlivesCredential !== false || rulePath.test(operation.path))

/** Returns the objects of a schema that ignore unknown members, by path. */
const openObjects = (schema: ObjectSchema, path: string): string[] => [
  ...(schema.properties && schema.additionalProperties !== false ? [path] : []),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => openObjects(inner, `${path}.${name}`)),
  ...(schema.anyOf ?? []).flatMap((inner) => openObjects(inner, path)),
  ...(schema.items ? openObjects(schema.items, `${path}[]`) : []),
]

const withFields = (operations: readonly NamedOperation[]) =>
  operations.filter((operation) => isOfCredentialOrRule(operation) && bodyFor(operation) !== undefined)

test('an unknown field of a credential or rule is refused by each operation, with its name', async () => {
  await using forge = await startForge({ settings: everythingOn })
  const { repositories } = await makeWorld(forge)
  const operations = withFields(forge.services.operations())
  assert.ok(operations.length > 40, `${operations.length} operations`)
  assert.deepEqual(
    operations.flatMap(({ id, body }) => openObjects(body as ObjectSchema, id)),
    [],
  )
  const repository = repositories.find(({ isPrivate, isArchived }) => !isPrivate && !isArchived)
  assert.ok(repository)
  // A token needs the password of its account.
  const headers = { authorization: basicAuthorization('root', testPassword) }
  const refused = new Set<string>()
  await eachOf(operations, 4, async (operation) => {
    // The setting that permits it is off.
    if (operation.id === 'repoEditGitHook') return
    const path = `${operation.base === 'vendor' ? '/api/forgejo/v1' : '/api/v1'}${pathFor(operation, repository)}`
    for (const field of ['expires_at', 'repositories', 'Only_From']) {
      const body = { ...(bodyFor(operation) as object), [field]: ['2030-01-01'] }
      const { status, json } = await forge.guest.send(operation.method, path, body, { headers, site: true })
      // A requirement before the body may miss the thing that the address names.
      if (status === 404) continue
      refused.add(operation.id)
      assert.deepEqual(
        [status, json?.code, json?.message],
        [422, 'unknown_field', `[${field}]: is not supported here; the request changed nothing`],
        operation.id,
      )
    }
  })
  assert.ok(refused.size > 30, `${refused.size} operations`)
})

test('repoCreateBranchProtection, repoEditBranchProtection: fields of clients that limit nothing are accepted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const rule = {
    rule_name: 'main',
    priority: 0,
    enable_force_push: false,
    force_push_allowlist_usernames: [],
    bypass_allowlist_teams: null,
    block_admin_merge_override: false,
  }
  const { status, json } = await alice.post(`${repo.api}/branch_protections`, rule)
  assert.equal(status, 201)
  assert.equal((await alice.patch(`${repo.api}/branch_protections/main`, json)).status, 200)
  for (const [name, value] of Object.entries({ block_admin_merge_override: true, bypass_allowlist_teams: ['a'] })) {
    const refused = await alice.patch(`${repo.api}/branch_protections/main`, { [name]: value })
    assert.deepEqual([refused.status, refused.json.code], [422, 'unknown_field'])
  }
})

test('a change that the client limits in a way that the server does not obey is refused and changes nothing', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const limits: [string, string][] = [
    ['If-Match', '"1"'],
    ['If-None-Match', '*'],
    ['If-Unmodified-Since', 'Wed, 21 Oct 2015 07:28:00 GMT'],
    ['Prefer', 'return=minimal, dry-run'],
    ['Idempotency-Key', '7f3c'],
    ['Content-Range', 'bytes 0-9/20'],
    ['Dry-Run', 'true'],
    ['X-Dry-Run', '1'],
  ]
  assert.deepEqual(limits.map(([name]) => name.toLowerCase()).toSorted(), narrowingHeaders.toSorted())
  for (const [name, value] of limits) {
    const { status, json } = await alice.post(`${repo.api}/issues`, { title: name }, { headers: { [name]: value } })
    assert.deepEqual([status, json.code], [501, 'condition_unsupported'], name)
    assert.match(json.message, new RegExp(name, 'i'))
    assert.ok((await alice.get(repo.api, { headers: { [name]: value } })).status < 400, `${name} of a read`)
  }
  assert.equal((await alice.post(`${repo.api}/issues?dry_run=true`, { title: 'x' })).status, 501)
  assert.deepEqual((await alice.get(`${repo.api}/issues`)).json, [])
  for (const [name, value] of [
    ['Prefer', 'respond-async'],
    ['Dry-Run', 'false'],
    ['If-Modified-Since', limits[2]?.[1] ?? ''],
  ] as const) {
    const { status } = await alice.post(`${repo.api}/issues`, { title: name }, { headers: { [name]: value } })
    assert.equal(status, 201, name)
  }
  // A refusal of the requirements comes first.
  const guest = await forge.guest.post(`${repo.api}/issues`, { title: 'x' }, { headers: { 'If-Match': '"1"' } })
  assert.equal(guest.status, 401)
})

test('every operation that obeys such a header is one that changes something', async () => {
  await using forge = await startForge()
  const obeying = forge.services.operations().filter(({ obeys }) => obeys.length > 0)
  assert.ok(obeying.length > 0 && obeying.every(({ writes }) => writes))
})
