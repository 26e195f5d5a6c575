import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { packageUsageOf, storedFiles, tgzOf } from '../packages.test-support.ts'

const digestOf = (content: string | Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`
const manifestType = 'application/vnd.oci.image.manifest.v1+json'

const manifestOf = (config: string, layers: string[], more: object = {}) =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
    layers: layers.map((layer) => ({ mediaType: 'x', digest: digestOf(layer), size: layer.length })),
    ...more,
  })

/** Sends requests with a token of the token service. */
async function registryAs(forge: Forge, name?: string, password = testPassword) {
  const authorization = name === undefined ? undefined : basicAuthorization(name, password)
  if (name !== undefined) await forge.account(name)
  const got = await fetch(`${forge.url}/v2/token`, { headers: authorization ? { authorization } : {} })
  assert.equal(got.status, 200)
  const { token } = (await got.json()) as { token: string }
  return (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
    forge.guest.send(method, `/v2/${path}`, undefined, {
      site: true,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { raw: body }),
    })
}

type Registry = Awaited<ReturnType<typeof registryAs>>

async function push(ask: Registry, image: string, tag: string, config: string, layers: string[], more: object = {}) {
  for (const content of [config, ...layers]) {
    await ask('POST', `${image}/blobs/uploads/?digest=${digestOf(content)}`, content)
  }
  return ask('PUT', `${image}/manifests/${tag}`, manifestOf(config, layers, more), { 'content-type': manifestType })
}

test('containerVersion, containerToken: a token ends with its credential and has the same rights', async () => {
  await using forge = await startForge()
  const reply = await fetch(`${forge.url}/v2/`)
  assert.equal(reply.status, 401)
  assert.match(
    reply.headers.get('www-authenticate') ?? '',
    /^Bearer realm="http.*\/v2\/token",service="container_registry"/,
  )
  assert.equal(
    (await fetch(`${forge.url}/v2/token`, { headers: { authorization: basicAuthorization('alice', 'x') } })).status,
    401,
  )
  const guest = await registryAs(forge)
  assert.equal((await guest('GET', '')).status, 200)
  assert.equal((await guest('POST', 'alice/app/blobs/uploads/')).status, 401)
  const alice = await registryAs(forge, 'alice')
  assert.equal((await alice('POST', 'alice/app/blobs/uploads/')).status, 202)
  const basic = { headers: { authorization: basicAuthorization('alice', testPassword) } }
  const make = (scopes: string[]) =>
    forge.as('root').must('POST', '/users/alice/tokens', { name: scopes[0], scopes }, basic)
  const reader = await registryAs(forge, 'alice', (await make(['read:package'])).json.sha1)
  assert.equal((await reader('POST', 'alice/app/blobs/uploads/')).status, 401)
  const writer = await registryAs(forge, 'alice', (await make(['write:package'])).json.sha1)
  assert.equal((await writer('POST', 'alice/app/blobs/uploads/')).status, 202)
  await forge.as('root').must('DELETE', '/users/alice/tokens/write:package', undefined, basic)
  assert.equal((await writer('POST', 'alice/app/blobs/uploads/')).status, 401)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, password: 'An0ther!Word' })
  assert.equal((await alice('POST', 'alice/app/blobs/uploads/')).status, 401)
  const api = await fetch(`${forge.url}/api/v1/user`, { headers: { authorization: 'Bearer a.b.c' } })
  assert.equal(api.status, 401)
})

test('containerVersion, containerBeginUpload: Basic authentication with a password or an access token signs in', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const basic = { headers: { authorization: basicAuthorization('alice', testPassword) } }
  const make = async (...scopes: string[]) =>
    (await forge.as('alice').must('POST', '/users/alice/tokens', { name: scopes.join(), scopes }, basic)).json.sha1
  const statuses = async (headers: Record<string, string>) => {
    const ask = async (method: string, path: string) =>
      (await fetch(`${forge.url}/v2/${path}`, { method, headers })).status
    return [
      await ask('GET', ''),
      await ask('GET', 'alice/app/tags/list'),
      await ask('POST', 'alice/app/blobs/uploads/'),
    ]
  }
  const by = (password: string) => ({ authorization: basicAuthorization('alice', password) })
  assert.deepEqual(await statuses(by(testPassword)), [200, 404, 202])
  assert.deepEqual(await statuses(by(await make('write:package'))), [200, 404, 202])
  assert.deepEqual(await statuses(by(await make('read:package'))), [200, 404, 401])
  assert.deepEqual(await statuses(by(await make('read:user'))), [200, 401, 401])
  assert.deepEqual(await statuses(by('wrong')), [401, 401, 401])
  for (const headers of [{}, by('wrong')]) {
    const refused = await fetch(`${forge.url}/v2/`, { headers })
    assert.match(refused.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer realm=/)
    const { errors } = (await refused.json()) as { errors: Record<string, unknown>[] }
    assert.deepEqual(Object.keys(errors[0] ?? {}), ['code', 'message', 'detail'])
    assert.equal(errors[0]?.['code'], 'UNAUTHORIZED')
  }
})

test('containerBeginUpload, containerAddPart, containerUploadState, containerCompleteUpload, containerAbortUpload: chunks are accepted in order only', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = await registryAs(forge, 'alice')
  const content = randomBytes(100_000)
  const begin = async () => (await alice('POST', 'alice/app/blobs/uploads/')).headers.get('location')?.slice(4) ?? ''
  const upload = await begin()
  const part = (from: number, to: number) =>
    alice('PATCH', upload, content.subarray(from, to), { 'content-range': `${from}-${to - 1}` })
  assert.equal((await part(0, 60_000)).status, 202)
  assert.equal((await part(70_000, 80_000)).status, 416)
  assert.equal((await alice('PATCH', upload, content.subarray(60_000))).status, 400)
  assert.equal((await alice('PATCH', upload, 'x', { 'content-range': '9-1' })).status, 400)
  assert.equal((await part(60_000, 90_000)).headers.get('range'), '0-89999')
  assert.equal((await alice('GET', upload)).headers.get('range'), '0-89999')
  assert.equal((await (await registryAs(forge, 'bob'))('GET', upload)).status, 401)
  assert.equal((await alice('GET', upload.replace('app', 'other'))).status, 404)
  assert.equal((await alice('PUT', `${upload}?digest=${digestOf('other')}`, '')).status, 400)
  assert.equal((await alice('PUT', `${upload}?digest=${digestOf(content)}`, content.subarray(90_000))).status, 201)
  assert.equal((await alice('GET', upload)).status, 404)
  assert.deepEqual((await alice('GET', `alice/app/blobs/${digestOf(content)}`)).bytes, content)
  const second = await begin()
  const storm = await Promise.all([1, 2, 3, 4].map(() => alice('PATCH', second, 'part', { 'content-range': '0-3' })))
  for (const { status } of storm) assert.ok([202, 409, 416].includes(status), `answered ${status}`)
  assert.equal((await alice('GET', second)).headers.get('range'), '0-3')
  assert.equal((await alice('DELETE', second)).status, 204)
  assert.equal((await alice('DELETE', second)).status, 404)
  assert.equal((await storedFiles(forge)).length, 1)
  assert.equal(await packageUsageOf(forge, 'alice'), content.length)
  assert.deepEqual(
    (await forge.as('alice').must('GET', '/packages/alice')).json,
    [],
    'what no manifest names is no version',
  )
  assert.deepEqual(await examined(forge.services), [])
})

test('containerAddPart, containerAbortUpload: chunks of unfinished uploads are charged, and abandoned ones are deleted', async () => {
  await using forge = await startForge({
    settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 100_000 } },
  })
  const alice = await registryAs(forge, 'alice')
  const begin = async () => (await alice('POST', 'alice/app/blobs/uploads/')).headers.get('location')?.slice(4) ?? ''
  const uploads = await Promise.all(Array.from({ length: 8 }, begin))
  const send = (upload: string) => alice('PATCH', upload, randomBytes(60_000), { 'content-range': '0-59999' })
  const statuses = (await Promise.all(uploads.map(send))).map(({ status }) => status)
  const accepted = statuses.filter((status) => status === 202).length
  assert.equal(accepted, 2, statuses.join())
  assert.ok(statuses.every((status) => status === 202 || status === 413))
  assert.equal(await packageUsageOf(forge, 'alice'), 120_000)
  assert.deepEqual(await examined(forge.services), [])
  assert.equal((await alice('POST', 'alice/app/blobs/uploads/')).status, 413)
  const kept = uploads[statuses.indexOf(202)]!
  assert.equal((await alice('DELETE', kept)).status, 204)
  assert.equal(await packageUsageOf(forge, 'alice'), 60_000)
  forge.clock.advance(8 * 86_400_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
  await forge.settle()
  assert.equal(await packageUsageOf(forge, 'alice'), 0)
})

test('containerAddPart: an interrupted upload can be continued', async () => {
  await using forge = await startForge()
  const alice = await registryAs(forge, 'alice')
  const { token } = (await (
    await fetch(`${forge.url}/v2/token`, { headers: { authorization: basicAuthorization('alice', testPassword) } })
  ).json()) as { token: string }
  const location = (await alice('POST', 'alice/app/blobs/uploads/')).headers.get('location') ?? ''
  await new Promise<void>((resolve) => {
    const headers = { authorization: `Bearer ${token}`, 'content-length': 1 << 20 }
    const broken = request(`${forge.url}${location}`, { method: 'PATCH', headers })
    broken.on('error', () => resolve())
    broken.on('close', () => resolve())
    broken.write('x'.repeat(10), () => broken.destroy())
  })
  let state = await alice('GET', location.slice(4))
  for (let tries = 0; state.status !== 204 && tries < 50; tries += 1) state = await alice('GET', location.slice(4))
  let have = -1
  let answer = await alice('PATCH', location.slice(4), 'rest', { 'content-range': '9999-10002' })
  while (answer.status === 409) {
    answer = await alice('PATCH', location.slice(4), 'rest', { 'content-range': '9999-10002' })
  }
  assert.equal(answer.status, 416)
  have = Number((await alice('GET', location.slice(4))).headers.get('range')?.split('-')[1])
  const content = have === 0 ? 'rest' : `${'x'.repeat(have + 1)}rest`
  const from = content.length - 4
  const more = await alice('PATCH', location.slice(4), 'rest', { 'content-range': `${from}-${from + 3}` })
  assert.equal(more.status, 202)
  assert.equal((await alice('PUT', `${location.slice(4)}?digest=${digestOf(content)}`, '')).status, 201)
})

test('containerPutManifest, containerGetManifest, containerListTags, containerDeleteManifest: a manifest needs its blobs', async () => {
  await using forge = await startForge()
  const alice = await registryAs(forge, 'alice')
  const guest = await registryAs(forge)
  const put = (reference: string, text: string, type = manifestType) =>
    alice('PUT', `alice/app/manifests/${reference}`, text, { 'content-type': type })
  assert.equal((await put('latest', manifestOf('{}', ['one']))).status, 404)
  assert.equal((await push(alice, 'alice/app', 'latest', '{}', ['one', 'two'])).status, 201)
  const text = manifestOf('{}', ['one'])
  const bad: [string, string, string, number][] = [
    ['no JSON', 'a', '{', 400],
    ['another version', 'a', '{"schemaVersion":1}', 501],
    ['a list', 'a', '[]', 400],
    ['a media type', 'a', text.replaceAll('image.manifest', 'image.other'), 400],
    ['a digest', 'a', text.replaceAll('sha256:', 'md5:'), 400],
    ['a size', 'a', text.replace('"size":3', '"size":4'), 400],
    ['its own digest', digestOf('other'), text, 400],
    ['a tag', '.a', text, 400],
    ['too many contents', 'a', manifestOf('{}', Array<string>(2001).fill('one')), 400],
    ['more than 10 MiB', 'a', manifestOf('{}', ['one'], { annotations: { x: 'x'.repeat(10 << 20) } }), 413],
  ]
  for (const [what, reference, content, status] of bad) {
    const answer = await put(reference, content, what === 'a media type' ? 'text/plain' : manifestType)
    assert.deepEqual([answer.status, typeof answer.json?.errors?.[0]?.code], [status, 'string'], what)
  }
  const digest = digestOf(text)
  for (const reference of ['b', 'a', digest]) assert.equal((await put(reference, text)).status, 201)
  const got = await guest('GET', 'alice/app/manifests/a', undefined, { accept: manifestType })
  assert.deepEqual(
    [got.text, got.headers.get('docker-content-digest'), got.headers.get('content-type')],
    [text, digest, manifestType],
  )
  assert.equal(
    (await guest('HEAD', `alice/app/manifests/${digest}`)).headers.get('content-length'),
    String(text.length),
  )
  assert.deepEqual((await guest('GET', 'alice/app/tags/list')).json, { name: 'alice/app', tags: ['a', 'b', 'latest'] })
  const page = await guest('GET', 'alice/app/tags/list?n=2&last=a')
  assert.deepEqual([page.json.tags, page.headers.get('link')], [['b', 'latest'], null])
  assert.equal((await guest('DELETE', 'alice/app/manifests/a')).status, 401)
  assert.equal((await alice('DELETE', `alice/app/manifests/${digest}`)).status, 202)
  assert.equal((await alice('DELETE', 'alice/app/manifests/latest')).status, 202)
  assert.deepEqual((await guest('GET', 'alice/app/tags/list')).json.tags, [])
  assert.deepEqual(await examined(forge.services), [])
})

test('containerListReferrers, containerCatalog: lists referrers, and images that the caller may see', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await forge.addUser('hidden', { visibility: 'private' })
  const [alice, hidden, guest] = await Promise.all([
    registryAs(forge, 'alice'),
    registryAs(forge, 'hidden'),
    registryAs(forge),
  ])
  await push(alice, 'alice/deep/app', 'latest', '{}', ['one'])
  await push(hidden, 'hidden/app', 'latest', '{}', ['one'])
  const subject = digestOf(manifestOf('{}', ['one']))
  const more = {
    artifactType: 'application/x-sbom',
    subject: { mediaType: manifestType, digest: subject, size: 1 },
    annotations: { a: 'b' },
  }
  const pushed = await push(alice, 'alice/deep/app', 'sbom', '{}', [], more)
  assert.equal(pushed.headers.get('oci-subject'), subject)
  const { json } = await guest('GET', `alice/deep/app/referrers/${subject}`)
  assert.deepEqual(json.manifests[0].annotations, { a: 'b' })
  const filtered = await guest('GET', `alice/deep/app/referrers/${subject}?artifactType=other`)
  assert.deepEqual([filtered.json.manifests, filtered.headers.get('oci-filters-applied')], [[], 'artifactType'])
  // Each page names the next one.
  await push(alice, 'alice/deep/app', 'Signature', '{}', [], { ...more, artifactType: 'application/x-signature' })
  const one = await guest('GET', `alice/deep/app/referrers/${subject}?n=1`)
  const next = /^<\/v2\/(.+)>; rel="next"$/.exec(one.headers.get('link') ?? '')?.[1] ?? ''
  const two = await guest('GET', next)
  assert.deepEqual(
    [one, two].map((page) => page.json.manifests.map((each: { artifactType: string }) => each.artifactType)),
    [['application/x-sbom'], ['application/x-signature']],
  )
  assert.equal(two.headers.get('link'), null)
  // A tag that moves no longer refers to its former subject.
  await push(alice, 'alice/deep/app', 'sbom', '{}', [])
  assert.equal((await guest('GET', `alice/deep/app/referrers/${subject}`)).json.manifests.length, 1)
  const tags = await guest('GET', 'alice/deep/app/tags/list')
  assert.deepEqual(tags.json.tags, ['latest', 'sbom', 'Signature'])
  assert.deepEqual((await guest('GET', 'alice/deep/app/tags/list?n=1&last=SBOM')).json.tags, ['Signature'])
  assert.equal((await guest('GET', 'alice/deep/app/referrers/x')).status, 400)
  assert.deepEqual((await guest('GET', '_catalog')).json, { repositories: ['alice/deep/app'] })
  assert.deepEqual((await hidden('GET', '_catalog?n=1')).json, { repositories: ['alice/deep/app'] })
  assert.deepEqual((await hidden('GET', '_catalog?last=alice/deep/app')).json, { repositories: ['hidden/app'] })
  assert.equal((await guest('GET', 'hidden/app/tags/list')).status, 401)
})

test('containerPutManifest, containerGetManifest, containerGetBlob: contents are found by SHA-256 and SHA-512', async () => {
  await using forge = await startForge()
  const alice = await registryAs(forge, 'alice')
  const wide = (content: string) => `sha512:${createHash('sha512').update(content).digest('hex')}`
  const sent = await alice('POST', `alice/app/blobs/uploads/?digest=${wide('one')}`, 'one')
  assert.deepEqual([sent.status, sent.headers.get('docker-content-digest')], [201, wide('one')])
  assert.equal((await alice('POST', `alice/app/blobs/uploads/?digest=${wide('one')}`, 'other')).status, 400)
  const upload = (await alice('POST', 'alice/app/blobs/uploads/')).headers.get('location')?.slice(4) ?? ''
  assert.equal((await alice('PUT', `${upload}?digest=${wide('{}')}`, 'other')).status, 400)
  const begun = (await alice('POST', 'alice/app/blobs/uploads/')).headers.get('location')?.slice(4) ?? ''
  assert.equal((await alice('PUT', `${begun}?digest=${wide('{}')}`, '{}')).status, 201)
  assert.equal((await alice('GET', `alice/app/blobs/${digestOf('one')}`)).text, 'one')
  assert.equal((await alice('GET', `alice/app/blobs/${wide('one')}`)).text, 'one')
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: wide('{}'), size: 2 }
  const layers = [{ mediaType: 'x', digest: digestOf('one'), size: 3 }]
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers })
  const type = { 'content-type': manifestType }
  assert.equal((await alice('PUT', `alice/app/manifests/${wide('x')}`, manifest, type)).status, 400)
  assert.equal((await alice('PUT', `alice/app/manifests/${wide(manifest)}`, manifest, type)).status, 201)
  assert.equal((await alice('GET', `alice/app/manifests/${wide(manifest)}`)).text, manifest)
  assert.equal((await alice('GET', `alice/app/manifests/${digestOf(manifest)}`)).text, manifest)
  assert.equal((await alice('DELETE', `alice/app/manifests/${digestOf(manifest)}`)).status, 202)
  assert.equal((await alice('GET', `alice/app/manifests/${wide(manifest)}`)).status, 404)
  assert.deepEqual(await examined(forge.services), [])
})

test('containerBeginUpload, containerGetBlob, containerDeleteBlob: blobs are mounted from readable images only', async () => {
  await using forge = await startForge({ users: ['bob'] })
  await forge.addUser('hidden', { visibility: 'private' })
  const [alice, bob, hidden] = await Promise.all([
    registryAs(forge, 'alice'),
    registryAs(forge, 'bob'),
    registryAs(forge, 'hidden'),
  ])
  await push(alice, 'alice/app', 'latest', '{}', ['open'])
  await push(hidden, 'hidden/app', 'latest', '{}', ['secret'])
  const mount = (content: string, from: string) =>
    bob('POST', `bob/app/blobs/uploads/?mount=${digestOf(content)}&from=${from}`)
  assert.equal((await mount('open', 'alice/app')).status, 201)
  assert.equal((await mount('secret', 'hidden/app')).status, 202)
  assert.equal((await mount('secret', 'alice/app')).status, 202)
  assert.equal((await bob('GET', `bob/app/blobs/${digestOf('secret')}`)).status, 404)
  assert.equal((await bob('DELETE', `bob/app/blobs/${digestOf('open')}`)).status, 202)
  assert.equal((await bob('HEAD', `bob/app/blobs/${digestOf('open')}`)).status, 404)
  assert.equal((await alice('GET', `alice/app/blobs/${digestOf('open')}`)).text, 'open')
  assert.deepEqual(await examined(forge.services), [])
})

test('cleanup_packages: abandoned uploads and blobs without a manifest are deleted after a day', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const alice = await registryAs(forge, 'alice')
  await push(alice, 'alice/app', 'latest', '{}', ['kept'])
  await alice('POST', `alice/other/blobs/uploads/?digest=${digestOf('lost')}`, 'lost')
  const upload = (await alice('POST', 'alice/other/blobs/uploads/')).headers.get('location')?.slice(4) ?? ''
  forge.clock.advance(25 * 3_600_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
  await forge.settle()
  const later = await registryAs(forge, 'alice')
  assert.equal((await later('GET', upload)).status, 404)
  assert.equal((await later('GET', `alice/other/blobs/${digestOf('lost')}`)).status, 404)
  assert.equal((await later('GET', `alice/app/blobs/${digestOf('kept')}`)).text, 'kept')
  assert.equal(await packageUsageOf(forge, 'alice'), manifestOf('{}', ['kept']).length + '{}kept'.length)
  assert.deepEqual(await examined(forge.services), [])
})

test('containerPutManifest: an index of blobs without platforms, as build caches have, keeps its blobs', async () => {
  await using forge = await startForge()
  const alice = await registryAs(forge, 'alice')
  const indexType = 'application/vnd.oci.image.index.v1+json'
  const [layer, config] = ['cached layer', '{"records":[]}']
  const entry = (mediaType: string, content: string) => ({ mediaType, digest: digestOf(content), size: content.length })
  const image = manifestOf('{}', ['one'])
  const cache = JSON.stringify({
    schemaVersion: 2,
    mediaType: indexType,
    manifests: [
      entry('application/vnd.oci.image.layer.v1.tar+gzip', layer),
      entry('application/vnd.buildkit.cacheconfig.v0', config),
      entry(manifestType, image),
    ],
  })
  const put = () => alice('PUT', 'alice/app/manifests/cache', cache, { 'content-type': indexType })
  assert.equal((await put()).status, 404)
  for (const content of [layer, config]) {
    await alice('POST', `alice/app/blobs/uploads/?digest=${digestOf(content)}`, content)
  }
  assert.equal((await put()).status, 404)
  await push(alice, 'alice/app', digestOf(image), '{}', ['one'])
  const made = await put()
  assert.equal(made.status, 201, made.text)
  forge.clock.advance(8 * 86_400_000)
  await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
  await forge.settle()
  const guest = await registryAs(forge)
  assert.equal((await guest('GET', 'alice/app/manifests/cache', undefined, { accept: indexType })).text, cache)
  assert.equal((await guest('GET', `alice/app/blobs/${digestOf(layer)}`)).text, layer)
  const page = await forge.guest.get('/alice/-/packages/container/app/cache', { site: true })
  assert.equal(page.status, 200)
  assert.deepEqual(await examined(forge.services), [])
})

const skopeo = await runProgram('skopeo', ['--version'])
const withoutSkopeo = skopeo.code !== 0 && process.env['CI'] === undefined ? 'skopeo is not installed' : false

test('skopeo copies an image in and out, and deletes it', { skip: withoutSkopeo }, async () => {
  await using forge = await startForge({ users: ['alice'] })
  const folder = mkdtempSync(join(tmpdir(), 'ingot-skopeo-'))
  try {
    const layer = await tgzOf({ hello: 'hello\n' })
    const config = '{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[]}}'
    const layout = join(folder, 'layout')
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true })
    const put = (content: string | Buffer) =>
      writeFileSync(join(layout, 'blobs/sha256', digestOf(content).slice(7)), content)
    const describe = (mediaType: string, content: string | Buffer) => ({
      mediaType,
      digest: digestOf(content),
      size: content.length,
    })
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: describe('application/vnd.oci.image.config.v1+json', config),
      layers: [describe('application/vnd.oci.image.layer.v1.tar+gzip', layer)],
    })
    for (const content of [layer, config, manifest]) put(content)
    writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
    const named = { ...describe(manifestType, manifest), annotations: { 'org.opencontainers.image.ref.name': '1.0' } }
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [named] }))
    const run = async (...args: string[]) => {
      const ended = await runProgram('skopeo', ['--insecure-policy', ...args], { env: { HOME: folder } })
      assert.equal(ended.code, 0, `skopeo ${args.join(' ')}: ${ended.err}`)
      return ended.out
    }
    const remote = `docker://${forge.url.replace('http://', '')}/alice/app:1.0`
    const creds = `alice:${testPassword}`
    await run('copy', '--dest-tls-verify=false', '--dest-creds', creds, `oci:${layout}:1.0`, remote)
    assert.equal(JSON.parse(await run('inspect', '--tls-verify=false', remote)).Digest, digestOf(manifest))
    await run('copy', '--src-tls-verify=false', remote, `oci:${join(folder, 'copy')}:1.0`)
    await run('delete', '--tls-verify=false', '--creds', creds, remote)
    assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
