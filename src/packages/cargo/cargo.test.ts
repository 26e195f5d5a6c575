import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge } from '../../testing/forge.ts'
import { digest, refusedTo, registryOf, storedFiles } from '../packages.test-support.ts'

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function crateBody(name: string, vers: string, more: object = {}, content = `crate ${name} ${vers}`): Buffer {
  const json = Buffer.from(JSON.stringify({ name, vers, deps: [], features: {}, description: 'small', ...more }))
  return Buffer.concat([u32(json.length), json, u32(content.length), Buffer.from(content)])
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('cargoPublish: refuses callers without rights, invalid crates and bodies with wrong lengths, and stores nothing', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const path = 'cargo/api/v1/crates/new'
  const whole = crateBody('tool', '1.0.0')
  assert.deepEqual(await refusedTo(forge, 'PUT', path, whole), [401, 401])
  const bad: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['half a length', whole.subarray(0, 2)],
    ['half a description', whole.subarray(0, 20)],
    ['half an archive', whole.subarray(0, -3)],
    ['more than an archive', Buffer.concat([whole, Buffer.from('x')])],
    ['a length of 4 GiB', Buffer.concat([u32(0xffffffff), whole])],
    ['no JSON', Buffer.concat([u32(1), Buffer.from('{'), u32(0)])],
    ['a name', crateBody('1tool', '1.0.0')],
    ['a path', crateBody('../tool', '1.0.0')],
    ['a version', crateBody('tool', '1.0')],
  ]
  for (const [what, body] of bad) {
    const { status, json } = await alice('PUT', path, body)
    assert.deepEqual([status, json.ok, typeof json.errors[0].detail], [400, false, 'string'], what)
  }
  assert.deepEqual(await storedFiles(forge), [])
})

test('cargoPublish, cargoIndex, cargoIndexOfShort, cargoDownload: crates appear in the sparse index', async () => {
  await using forge = await startForge()
  const alice = registryOf(forge.as('alice'), 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const put = async (body: Buffer) => (await alice('PUT', 'cargo/api/v1/crates/new', body)).status
  const deps = [{ name: 'real', version_req: '^1', explicit_name_in_toml: 'alias', kind: 'dev' }]
  const features = { a: ['dep:alias'], b: [] }
  assert.equal(await put(crateBody('Tool-Kit', '1.0.0+b.1', { deps, features, links: 'z', rust_version: '1.70' })), 200)
  assert.equal(await put(crateBody('tool-kit', '1.0.0+b.1')), 409)
  assert.equal(await put(crateBody('ab', '1.0.0')), 200)
  const [line] = linesOf((await guest('GET', 'cargo/to/ol/tool-kit')).text)
  assert.deepEqual(line, {
    name: 'Tool-Kit',
    vers: '1.0.0+b.1',
    deps: [
      {
        name: 'alias',
        req: '^1',
        features: [],
        optional: false,
        default_features: true,
        target: null,
        kind: 'dev',
        registry: null,
        package: 'real',
      },
    ],
    cksum: digest('sha256', 'crate Tool-Kit 1.0.0+b.1'),
    features: { b: [] },
    yanked: false,
    links: 'z',
    rust_version: '1.70',
    features2: { a: ['dep:alias'] },
    v: 2,
  })
  assert.equal(linesOf((await guest('GET', 'cargo/2/ab')).text).length, 1)
  assert.equal((await guest('GET', 'cargo/2/xx')).json.ok, false)
  assert.equal((await guest('GET', 'cargo/api/v1/crates/ab/1.0.0/download')).text, 'crate ab 1.0.0')
})

test('cargoConfig, cargoSearch, cargoListOwners, cargoYank, cargoUnyank: configuration, search, owners and yanking work', async () => {
  await using forge = await startForge()
  await forge.addUser('hidden', { visibility: 'limited' })
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const vers of ['1.0.0', '1.1.0', '2.0.0-rc.1']) {
    await alice('PUT', 'cargo/api/v1/crates/new', crateBody('tool', vers))
  }
  const config = (await alice('GET', 'cargo/config.json')).json
  assert.deepEqual(config, {
    dl: `${forge.url}/api/packages/alice/cargo/api/v1/crates`,
    api: `${forge.url}/api/packages/alice/cargo`,
    'auth-required': false,
  })
  assert.equal((await registryOf(forge.as('alice'), 'hidden')('GET', 'cargo/config.json')).json['auth-required'], true)
  const found = (await alice('GET', 'cargo/api/v1/crates?q=oo')).json
  assert.deepEqual(found, {
    crates: [{ name: 'tool', max_version: '1.1.0', description: 'small' }],
    meta: { total: 1 },
  })
  assert.equal((await alice('GET', 'cargo/api/v1/crates/tool/owners')).json.users[0].login, 'alice')
  const crate = 'cargo/api/v1/crates/tool/1.0.0'
  assert.deepEqual(await refusedTo(forge, 'DELETE', `${crate}/yank`), [401, 401])
  assert.deepEqual(await refusedTo(forge, 'PUT', `${crate}/unyank`), [401, 401])
  const yanked = async () => linesOf((await alice('GET', 'cargo/to/ol/tool')).text).map((line) => line['yanked'])
  assert.equal((await alice('DELETE', `${crate}/yank`)).json.ok, true)
  assert.deepEqual(await yanked(), [true, false, false])
  assert.equal((await alice('PUT', `${crate}/unyank`)).json.ok, true)
  assert.deepEqual(await yanked(), [false, false, false])
  assert.equal((await alice('DELETE', 'cargo/api/v1/crates/tool/9.0.0/yank')).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})
