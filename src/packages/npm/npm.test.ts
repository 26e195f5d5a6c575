import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { examined } from '../../testing/doctor.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { packageUsageOf, registryOf, storedFiles } from '../packages.test-support.ts'
import { readDocument } from './document.ts'

function documentOf(name: string, version: string, more: Record<string, unknown> = {}, tag = 'latest') {
  const archive = Buffer.from(`archive of ${name} ${version}`)
  const hash = (algorithm: string, form: 'hex' | 'base64') => createHash(algorithm).update(archive).digest(form)
  const dist = { integrity: `sha512-${hash('sha512', 'base64')}`, shasum: hash('sha1', 'hex') }
  return {
    _id: name,
    name,
    'dist-tags': { [tag]: version },
    versions: { [version]: { name, version, description: 'small', dist, ...more } },
    _attachments: { [`${name}-${version}.tgz`]: { data: archive.toString('base64'), length: archive.length } },
  }
}

const asJson = { 'content-type': 'application/json' }

const publishWith = (forge: Forge, owner: string, as = owner) => {
  const ask = registryOf(forge.as(as), owner)
  return (name: string, document: unknown) =>
    ask('PUT', `npm/${name}`, typeof document === 'string' ? document : JSON.stringify(document), asJson)
}

test('npmPublish: refuses callers without rights, invalid packages, wrong checksums and incomplete documents, and stores nothing', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const publish = publishWith(forge, 'alice')
  assert.equal((await registryOf(forge.guest, 'alice')('PUT', 'npm/tool', '{}', asJson)).status, 401)
  assert.equal((await publishWith(forge, 'alice', 'bob')('tool', documentOf('tool', '1.0.0'))).status, 401)
  const whole = JSON.stringify(documentOf('tool', '1.0.0'))
  const bad: [string, unknown][] = [
    ['no JSON', 'nothing'],
    ['half', whole.slice(0, -20)],
    ['half of the archive', whole.slice(0, whole.indexOf('"data":"') + 20)],
    ['a list', '[]'],
    ['a name in capitals', documentOf('Tool', '1.0.0')],
    ['a path for a name', documentOf('../tool', '1.0.0')],
    ['no semantic version', documentOf('tool', '1.0')],
    ['another archive', documentOf('tool', '1.0.0', { dist: { integrity: 'sha512-AAAA' } })],
    ['another sum', documentOf('tool', '1.0.0', { dist: { shasum: '00' } })],
    ['a tag that looks like a version', documentOf('tool', '1.0.0', {}, '1.x')],
    ['no archive', { ...documentOf('tool', '1.0.0'), _attachments: {} }],
    ['deep', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`],
  ]
  for (const [what, document] of bad) assert.equal((await publish('tool', document)).status, 400, what)
  const refused = await publish('tool', documentOf('tool', '1.0.0', { readme: 'x'.repeat(5 << 20) }))
  assert.deepEqual([refused.status, Object.keys(refused.json as object)], [413, ['error']])
  const large = await publish('tool', documentOf('tool', '1.0.0', { keywords: ['k'.repeat(300 << 10)] }))
  assert.deepEqual([large.status, Object.keys(large.json as object)], [413, ['error']])
  assert.deepEqual(await storedFiles(forge), [])
  assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
})

test('npmPublish, npmMetadata, npmSearch: a long README is cut, and the descriptions that one answer contains have a limit', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const publish = publishWith(forge, 'alice')
  for (const name of ['tool', 'other']) {
    assert.equal((await publish(name, documentOf(name, '1.0.0', { readme: 'x'.repeat(300 << 10) }))).status, 201)
  }
  const guest = registryOf(forge.guest, 'alice')
  assert.equal((await guest('GET', 'npm/tool')).json.readme.length, 64 << 10)
  const body = JSON.stringify({ description: 'x'.repeat(17 << 20) })
  await transaction(forge.services.db, (tx) => tx.updateTable('package_version_metadata').set({ body }).execute())
  for (const path of ['npm/other', 'npm/-/v1/search']) assert.equal((await guest('GET', path)).status, 422, path)
  assert.equal((await guest('GET', 'npm/-/package/other/dist-tags')).status, 200)
})

test('npmPublish, npmMetadata, npmDownload, npmDownloadByName: concurrent uploads publish each version once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const publish = publishWith(forge, 'alice')
  const guest = registryOf(forge.guest, 'alice')
  const same = await Promise.all(Array.from({ length: 6 }, () => publish('@a%2Ftool', documentOf('@a/tool', 'v1.0.0'))))
  assert.deepEqual(
    same.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409, 409],
  )
  await publish('@a/tool', documentOf('@a/tool', '1.1.0-rc.1', { dependencies: { x: '1' } }, 'next'))
  const { json } = await guest('GET', 'npm/@a/tool')
  assert.deepEqual(json['dist-tags'], { latest: '1.0.0', next: '1.1.0-rc.1' })
  assert.deepEqual(Object.keys(json.versions), ['1.0.0', '1.1.0-rc.1'])
  assert.deepEqual(json.versions['1.1.0-rc.1'].dependencies, { x: '1' })
  const { tarball } = json.versions['1.0.0'].dist
  assert.equal(tarball, `${forge.url}/api/packages/alice/npm/%40a%2Ftool/-/1.0.0/tool-1.0.0.tgz`)
  assert.equal(await (await fetch(tarball)).text(), 'archive of @a/tool v1.0.0')
  assert.equal((await guest('GET', 'npm/@a%2Ftool/-/tool-1.0.0.tgz')).status, 200)
  assert.equal((await guest('GET', 'npm/@a%2Ftool/-/tool-9.0.0.tgz')).status, 404)
  assert.equal((await guest('GET', 'npm/none')).json.error, 'the package does not exist')
  assert.equal((await eventsNamed(forge, 'package.created')).length, 2)
  assert.deepEqual(await examined(forge.services), [])
})

test('npmPublish: links the repository in package.json if the publisher may; a note deprecates a version', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.as('alice').must('POST', '/user/repos', { name: 'source' })
  const publish = publishWith(forge, 'alice')
  const repository = { type: 'git', url: `git+${forge.url}/alice/source.git` }
  assert.equal((await publish('tool', documentOf('tool', '1.0.0', { repository }))).status, 201)
  const { json: linked } = await forge.as('alice').must('GET', '/packages/alice/npm/tool/1.0.0')
  assert.equal(linked.repository.full_name, 'alice/source')
  const foreign = { type: 'git', url: `${forge.url}/bob/source` }
  assert.equal((await publish('other', documentOf('other', '1.0.0', { repository: foreign }))).status, 201)
  const note = { name: 'tool', versions: { '1.0.0': { deprecated: 'use other' } } }
  assert.equal((await publish('tool', note)).status, 201)
  const deprecated = async () =>
    (await registryOf(forge.guest, 'alice')('GET', 'npm/tool')).json.versions['1.0.0'].deprecated
  assert.equal(await deprecated(), 'use other')
  await publish('tool', { name: 'tool', versions: { '1.0.0': { deprecated: '' } } })
  assert.equal(await deprecated(), undefined)
  assert.equal((await publish('none', { name: 'none', versions: {} })).status, 404)
})

test('npmListTags, npmSetTag, npmDeleteTag: tags move, are deleted with their versions, and cannot look like versions', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const publish = publishWith(forge, 'alice')
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const version of ['1.0.0', '2.0.0']) await publish('tool', documentOf('tool', version))
  const tags = 'npm/-/package/tool/dist-tags'
  assert.equal((await registryOf(forge.guest, 'alice')('PUT', `${tags}/old`, '"1.0.0"')).status, 401)
  assert.equal((await alice('PUT', `${tags}/old`, '"1.0.0"')).status, 200)
  assert.equal((await alice('PUT', `${tags}/1.x`, '"1.0.0"')).status, 400)
  assert.equal((await alice('PUT', `${tags}/old`, '"9.0.0"')).status, 404)
  assert.equal((await alice('PUT', `${tags}/old`, 'x'.repeat(5000))).status, 413)
  assert.deepEqual((await alice('GET', tags)).json, { latest: '2.0.0', old: '1.0.0' })
  const refused = await publish('tool', documentOf('tool', '3.0.0', {}, '3.0'))
  assert.equal(refused.status, 400)
  assert.equal((await alice('GET', 'npm/tool')).json.versions['3.0.0'], undefined)
  await alice('DELETE', `${tags}/latest`)
  assert.deepEqual((await alice('GET', tags)).json, { old: '1.0.0' })
  await forge.as('alice').must('DELETE', '/packages/alice/npm/tool/1.0.0')
  assert.deepEqual((await alice('GET', tags)).json, {})
})

test('npmSearch, npmWhoami, npmUpdateDocument, npmDeleteVersion, npmDeletePackage: packages are found, and deleted completely', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const publish = publishWith(forge, 'alice')
  const alice = registryOf(forge.as('alice'), 'alice')
  for (const [name, version] of [
    ['tool', '1.0.0'],
    ['tool', '1.1.0'],
    ['%', '1.0.0'],
    ['wide', '0.1.0'],
    ['@team/scoped', '0.1.0'],
  ] as const) {
    await publish(name, documentOf(name, version))
  }
  const { json: scoped } = await alice('GET', 'npm/-/v1/search?text=scoped')
  assert.deepEqual([scoped.objects[0].package.name, scoped.objects[0].package.scope], ['@team/scoped', '@team'])
  assert.equal((await alice('GET', 'npm/-/whoami')).json.username, 'alice')
  assert.equal((await registryOf(forge.guest, 'alice')('GET', 'npm/-/whoami')).status, 401)
  const { json: found } = await alice('GET', 'npm/-/v1/search?text=OO&size=1')
  assert.deepEqual([found.total, found.objects[0].package.version], [1, '1.1.0'])
  assert.equal((await alice('GET', 'npm/-/v1/search?from=1&size=1')).json.objects.length, 1)
  assert.equal((await alice('PUT', 'npm/tool/-rev/1', '{}')).status, 200)
  const guest = registryOf(forge.guest, 'alice')
  assert.equal((await guest('DELETE', 'npm/tool/-/1.0.0/tool-1.0.0.tgz/-rev/1')).status, 401)
  assert.equal((await alice('DELETE', 'npm/tool/-/1.0.0/tool-1.0.0.tgz/-rev/1')).status, 200)
  assert.deepEqual(Object.keys((await guest('GET', 'npm/tool')).json.versions), ['1.1.0'])
  assert.equal((await alice('DELETE', 'npm/tool/-rev/1')).status, 200)
  assert.equal((await alice('DELETE', 'npm/wide/-rev/1')).status, 200)
  assert.equal((await alice('DELETE', 'npm/@team%2Fscoped/-rev/1')).status, 200)
  assert.equal((await guest('GET', 'npm/tool')).status, 404)
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('a document is read alike at any chunk boundaries', async () => {
  const document = {
    name: 'ü"\\',
    _attachments: { 'a"b': { data: Buffer.from('content!').toString('base64'), length: 8 } },
    versions: [],
  }
  const bytes = Buffer.from(JSON.stringify(document).replaceAll('/', '\\/'))
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const taken: string[] = []
    const body = Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)])
    const rest = (await readDocument(body, 1000, async (name, content) => {
      taken.push(name, await text(content))
    })) as typeof document
    assert.deepEqual(taken, ['a"b', 'content!'])
    assert.deepEqual([rest.name, rest['_attachments']['a"b'].data], [document.name, ''])
  }
})

test('npm publishes, tags, installs and unpublishes', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { token } = await forge.account('alice')
  const folder = mkdtempSync(join(tmpdir(), 'ingot-npm-'))
  try {
    const host = forge.url.replace('http:', '')
    const registry = `${forge.url}/api/packages/alice/npm/`
    writeFileSync(
      join(folder, '.npmrc'),
      `@alice:registry=${registry}\n${host}/api/packages/alice/npm/:_authToken=${token}\n`,
    )
    const env = {
      HOME: folder,
      npm_config_userconfig: join(folder, '.npmrc'),
      npm_config_cache: join(folder, 'cache'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    }
    const npm = async (cwd: string, ...args: string[]) => {
      const ended = await runProgram('npm', args, { cwd: join(folder, cwd), env })
      assert.equal(ended.code, 0, `npm ${args.join(' ')}: ${ended.err}`)
      return ended.out
    }
    mkdirSync(join(folder, 'tool'))
    mkdirSync(join(folder, 'app'))
    writeFileSync(join(folder, 'app/package.json'), '{"private":true}')
    writeFileSync(join(folder, 'tool/index.js'), 'module.exports = 42')
    writeFileSync(join(folder, 'tool/package.json'), JSON.stringify({ name: '@alice/tool', version: '1.0.0' }))
    await npm('tool', 'publish')
    await npm('tool', 'dist-tag', 'add', '@alice/tool@1.0.0', 'stable')
    await npm('app', 'install', '@alice/tool@stable')
    assert.equal(readFileSync(join(folder, 'app/node_modules/@alice/tool/index.js'), 'utf8'), 'module.exports = 42')
    await npm('tool', 'unpublish', '@alice/tool', '--force')
    assert.equal((await registryOf(forge.guest, 'alice')('GET', 'npm/@alice/tool')).status, 404)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
