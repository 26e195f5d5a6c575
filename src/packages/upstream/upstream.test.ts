import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { examined } from '../../testing/doctor.ts'
import { startForge, testPassword, type Forge, type ForgeOptions } from '../../testing/forge.ts'
import { runProgram } from '../../testing/program.ts'
import { basicAuthorization } from '../../testing/samples.ts'
import { digest, packageUsageOf, registryOf, storedFiles, tgzOf, zipOf } from '../packages.test-support.ts'

const loopback = { packages: { UPSTREAM_ALLOWED_HOST_LIST: 'loopback' } }
const asJson = { 'content-type': 'application/json' }

const setUpstream = (forge: Forge, type: string, url: string, more: object = {}) =>
  forge.as('alice').must('PUT', `/packages/alice/-/upstreams/${type}`, { url, ...more })

/** A foreign server, and the paths that it was asked for. */
async function withStranger(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (url: string, requests: string[], away: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const away = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, away)
  } finally {
    await away()
  }
}

const npmDocument = (name: string, versions: Record<string, Buffer>, url: string, lies: object = {}) => ({
  name,
  'dist-tags': { latest: Object.keys(versions).at(-1) },
  versions: Object.fromEntries(
    Object.entries(versions).map(([version, archive]) => {
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
      return [version, { name, version, dist: { tarball: `${url}/files/${version}.tgz`, integrity, ...lies } }]
    }),
  ),
})

const startWith = (options: ForgeOptions = {}) =>
  startForge({ users: ['alice', 'bob'], settings: loopback, ...options })

test('setPackageUpstream, listPackageUpstreams, deletePackageUpstream: only the owner and administrators may; a secret is dropped with its URL', async () => {
  await using forge = await startWith()
  const path = '/packages/alice/-/upstreams/npm'
  const url = 'https://registry.example.com'
  assert.equal((await forge.guest.put(path, { url })).status, 401)
  assert.equal((await forge.as('bob').put(path, { url })).status, 403)
  assert.equal((await forge.as('bob').get('/packages/alice/-/upstreams')).status, 403)
  for (const bad of ['ftp://x', 'nothing', 'https://user:pass@x', 'https://x/?a=b', `https://x/${'y'.repeat(2000)}`]) {
    assert.equal((await forge.as('alice').put(path, { url: bad })).status, 422, bad)
  }
  assert.equal((await forge.as('alice').put(path, { url, reserved: [''] })).status, 422)
  assert.equal((await forge.as('alice').put('/packages/alice/-/upstreams/generic', { url })).status, 404)
  const set = await setUpstream(forge, 'npm', `${url}/`, { secret: 's3cret', reserved: ['@Alice/*'] })
  assert.deepEqual(set.json, { type: 'npm', url, username: '', has_secret: true, reserved: ['@alice/*'] })
  assert.equal((await setUpstream(forge, 'npm', url)).json.has_secret, true)
  assert.equal((await setUpstream(forge, 'npm', 'https://other.example.com')).json.has_secret, false)
  assert.equal((await forge.as('root').must('GET', '/packages/alice/-/upstreams')).json.length, 1)
  await forge.as('alice').must('DELETE', path)
  assert.equal((await forge.as('alice').delete(path)).status, 404)
})

test('npmMetadata, npmDownload, releasePackageName: files are fetched, verified and stored; published names and guests cause no requests', async () => {
  await using forge = await startWith()
  const archive = await tgzOf({ 'package/package.json': '{"name":"tool","version":"1.0.0"}' })
  let url = ''
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/tool') response.end(JSON.stringify(npmDocument('tool', { '1.0.0': archive }, url)))
    else if (request.url === '/files/1.0.0.tgz') response.end(archive)
    else response.writeHead(404).end()
  }
  await withStranger(answer, async (at, upstreamRequests, away) => {
    url = at
    await setUpstream(forge, 'npm', url, { reserved: ['@alice/*', 'secret-*'] })
    const bob = registryOf(forge.as('bob'), 'alice')
    const guest = registryOf(forge.guest, 'alice')
    assert.equal((await guest('GET', 'npm/tool')).status, 401)
    for (const name of ['@alice%2fx', 'secret-tool']) assert.equal((await bob('GET', `npm/${name}`)).status, 404)
    assert.deepEqual(upstreamRequests, [])
    // Concurrent requests share one fetch.
    const documents = await Promise.all(Array.from({ length: 20 }, () => bob('GET', 'npm/tool')))
    assert.ok(documents.every(({ status }) => status === 200))
    const tarball: unknown = documents[0]?.json.versions['1.0.0'].dist.tarball
    const path = new URL(String(tarball)).pathname.replace('/api/packages/alice/', '')
    const archives = await Promise.all(Array.from({ length: 20 }, () => bob('GET', path)))
    assert.ok(archives.every(({ bytes }) => bytes.equals(archive)))
    assert.deepEqual(upstreamRequests, ['/tool', '/files/1.0.0.tgz'])
    assert.deepEqual((await guest('GET', path)).bytes, archive, 'what is kept is for guests too')
    assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [], 'lists show what is published')
    assert.ok((await packageUsageOf(forge, 'alice')) >= archive.length, 'what is kept counts')
    for (let time = 0; time < 3; time += 1) assert.equal((await bob('GET', 'npm/missing')).status, 404)
    assert.deepEqual(upstreamRequests.slice(2), ['/missing'], 'what is missing is not asked for each time')
    // A name that the owner published is never looked up at the upstream.
    const own = Buffer.from('own')
    const document = {
      name: 'tool',
      'dist-tags': { latest: '0.1.0' },
      versions: { '0.1.0': { name: 'tool', version: '0.1.0', dist: {} } },
      _attachments: { 'tool-0.1.0.tgz': { data: own.toString('base64'), length: own.length } },
    }
    const alice = registryOf(forge.as('alice'), 'alice')
    assert.equal((await alice('PUT', 'npm/tool', JSON.stringify(document), asJson)).status, 201)
    assert.deepEqual(Object.keys((await bob('GET', 'npm/tool')).json.versions), ['0.1.0'])
    assert.equal((await bob('GET', path)).status, 404)
    // The name stays the owner's when nothing of it is left.
    const names = '/packages/alice/-/upstreams/npm/names'
    assert.equal((await forge.as('alice').delete(`${names}/tool`)).status, 409)
    await forge.as('alice').must('DELETE', '/packages/alice/npm/tool/0.1.0')
    const requests = upstreamRequests.length
    assert.equal((await bob('GET', 'npm/tool')).status, 404)
    assert.equal(upstreamRequests.length, requests)
    assert.equal((await forge.as('bob').delete(`${names}/tool`)).status, 403)
    await forge.as('alice').must('DELETE', `${names}/tool`)
    assert.equal((await forge.as('alice').delete(`${names}/tool`)).status, 404)
    assert.deepEqual(Object.keys((await bob('GET', 'npm/tool')).json.versions), ['1.0.0'])
    await away()
    const gone = await bob('GET', 'npm/other')
    assert.equal(gone.status, 503)
    assert.match(gone.json.error, /^the upstream is away: /)
    await forge.as('alice').must('DELETE', '/packages/alice/-/upstreams/npm')
    assert.equal(await packageUsageOf(forge, 'alice'), 0)
    assert.deepEqual(await examined(forge.services), [])
  })
})

test('wrong, incomplete and redirected files of an upstream are neither served nor stored', async () => {
  await using forge = await startWith({ settings: { packages: { ...loopback.packages, LIMIT_SIZE_NPM: 500_000 } } })
  const good = Buffer.alloc(100_000, 'x')
  let url = ''
  let archive: (response: ServerResponse) => void = (response) => response.end(good)
  let lies: object = {}
  let document: (() => string) | undefined
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const name = (request.url ?? '').slice(1)
    if (name.startsWith('files/')) return archive(response)
    response.end(document?.() ?? JSON.stringify(npmDocument(name, { '1.0.0': good }, url, lies)))
  }
  await withStranger(answer, async (at) => {
    url = at
    await setUpstream(forge, 'npm', url, { secret: 's3cret' })
    const bob = registryOf(forge.as('bob'), 'alice')
    let number = 0
    /** Requests a package with its own name. Returns the status of its archive or document. */
    const want = async () => {
      const name = `tool${number++}`
      const answer = await bob('GET', `npm/${name}`)
      if (answer.status !== 200) return answer.status
      return (await bob('GET', `npm/${name}/-/1.0.0/${name}-1.0.0.tgz`)).status
    }
    archive = (response) => response.end('other')
    assert.equal(await want(), 503, 'another content')
    archive = (response) => {
      response.writeHead(200, { 'content-length': good.length })
      response.write(good.subarray(0, 1000), () => response.destroy())
    }
    assert.equal(await want(), 503, 'half a content')
    archive = (response) => response.end(Buffer.alloc(600_000))
    assert.equal(await want(), 503, 'more than the settings allow')
    archive = (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
    assert.equal(await want(), 503, 'an address that is not allowed')
    archive = (response) => response.end(good)
    lies = { integrity: undefined }
    assert.equal(await want(), 503, 'no checksum')
    lies = { tarball: 'file:///etc/passwd' }
    assert.equal(await want(), 503, 'a file of this machine')
    lies = {}
    document = () => '{"name":"other","versions":{}}'
    assert.equal(await want(), 503, 'another package')
    document = () => '{'
    assert.equal(await want(), 503, 'no JSON')
    document = () => `"${'x'.repeat(20 << 20)}"`
    assert.equal(await want(), 503, 'a document without end')
    document = undefined
    assert.equal((await storedFiles(forge)).length, 6, 'the documents that made sense')
    assert.equal(await want(), 200)
    assert.deepEqual(await examined(forge.services), [])
  })
})

test('an old document is served while the upstream is unavailable; secrets are sent to the upstream only', async () => {
  await using forge = await startWith({ standAt: Date.now() })
  const archive = Buffer.from('archive')
  const seen: (string | undefined)[] = []
  let url = ''
  const other = (request: IncomingMessage, response: ServerResponse) => {
    seen.push(request.headers.authorization)
    response.end(archive)
  }
  await withStranger(other, async (elsewhere) => {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      seen.push(request.headers.authorization)
      response.end(JSON.stringify(npmDocument('tool', { '1.0.0': archive }, elsewhere)))
    }
    await withStranger(answer, async (at, requests, away) => {
      url = at
      await setUpstream(forge, 'npm', url, { secret: 's3cret' })
      const bob = registryOf(forge.as('bob'), 'alice')
      assert.equal((await bob('GET', 'npm/tool')).status, 200)
      assert.equal((await bob('GET', 'npm/tool/-/1.0.0/tool-1.0.0.tgz')).text, 'archive')
      assert.deepEqual(seen, ['Bearer s3cret', undefined])
      forge.clock.advance(600_000)
      assert.equal((await bob('GET', 'npm/tool')).status, 200)
      assert.equal(requests.length, 2, 'an old document is asked for again')
      await away()
      forge.clock.advance(600_000)
      assert.equal((await bob('GET', 'npm/tool')).status, 200)
      forge.clock.advance(31 * 24 * 3_600_000)
      await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
      await forge.settle()
      assert.equal((await bob('GET', 'npm/tool')).status, 503, 'what nobody fetched for a month is gone')
      assert.equal(await packageUsageOf(forge, 'alice'), 0)
    })
  })
})

/** An instance with packages of each type, and another one that uses it as upstream. */
async function withTwo(use: (forge: Forge, from: Forge, away: () => Promise<void>) => Promise<void>): Promise<void> {
  const from = await startForge({ users: ['alice'] })
  let isAway = false
  const away = async () => {
    if (!isAway) await from[Symbol.asyncDispose]()
    isAway = true
  }
  try {
    await using forge = await startWith()
    for (const type of ['npm', 'pypi', 'maven', 'cargo', 'go']) {
      await setUpstream(forge, type, `${from.url}/api/packages/alice/${type}`)
    }
    await setUpstream(forge, 'container', from.url, { username: 'alice', secret: testPassword })
    await use(forge, from, away)
  } finally {
    await away()
  }
}

/** Uploads a wheel like twine. */
async function uploadWheel(forge: Forge, fields: Readonly<Record<string, string>>, wheel: Buffer): Promise<void> {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.set(key, value)
  form.set('content', new Blob([new Uint8Array(wheel)]), 'tool-1.0-py3-none-any.whl')
  const packed = new Response(form)
  const type = { 'content-type': packed.headers.get('content-type') ?? '' }
  const body = Buffer.from(await packed.arrayBuffer())
  assert.equal((await registryOf(forge.as('alice'), 'alice')('POST', 'pypi', body, type)).status, 201)
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

test('pypiSimple, pypiDownload, mavenDownload, cargoIndex, cargoDownload, goListVersions, goLatest, goFile: fetched from another instance, and served when that is gone', () =>
  withTwo(async (forge, from, away) => {
    const publish = registryOf(from.as('alice'), 'alice')
    const bob = registryOf(forge.as('bob'), 'alice')
    const wheel = zipOf({ 'tool.py': 'V = 1\n' })
    await uploadWheel(from, { name: 'Tool', version: '1.0', requires_python: '>=3.8' }, wheel)
    await publish('PUT', 'maven/org/x/tool/1.0/tool-1.0.jar', 'jar')
    const about = Buffer.from(JSON.stringify({ name: 'tool', vers: '1.0.0', deps: [], features: {} }))
    const crate = Buffer.from('crate')
    await publish('PUT', 'cargo/api/v1/crates/new', Buffer.concat([u32(about.length), about, u32(crate.length), crate]))
    const module = zipOf({ 'example.com/Tool@v1.0.0/x.go': 'package x\n' })
    assert.equal((await publish('PUT', 'go/upload', module)).status, 201)
    const paths = [
      'pypi/simple/tool',
      `pypi/files/tool/-/tool-1.0-py3-none-any.whl`,
      'maven/org/x/tool/maven-metadata.xml',
      'maven/org/x/tool/maven-metadata.xml.sha1',
      'maven/org/x/tool/1.0/tool-1.0.jar',
      'maven/org/x/tool/1.0/tool-1.0.jar.sha1',
      'cargo/to/ol/tool',
      'cargo/api/v1/crates/tool/1.0.0/download',
      'go/example.com/!tool/@v/list',
      'go/example.com/!tool/@latest',
      'go/example.com/!tool/@v/v1.0.0.info',
      'go/example.com/!tool/@v/v1.0.0.mod',
      'go/example.com/!tool/@v/v1.0.0.zip',
    ]
    const got = new Map<string, Buffer>()
    for (const path of paths) {
      const { status, bytes } = await bob('GET', path)
      assert.equal(status, 200, path)
      got.set(path, bytes)
    }
    assert.match(got.get('pypi/simple/tool')?.toString() ?? '', /data-requires-python="&gt;=3\.8"/)
    assert.ok(got.get('pypi/files/tool/-/tool-1.0-py3-none-any.whl')?.equals(wheel))
    assert.equal(got.get('maven/org/x/tool/1.0/tool-1.0.jar.sha1')?.toString(), digest('sha1', 'jar'))
    assert.equal(got.get('cargo/api/v1/crates/tool/1.0.0/download')?.toString(), 'crate')
    assert.ok(got.get('go/example.com/!tool/@v/v1.0.0.zip')?.equals(module))
    assert.equal((await bob('GET', 'maven/org/x/tool/1.0-SNAPSHOT/tool-1.0-SNAPSHOT.jar')).status, 404)
    assert.equal((await bob('GET', 'go/example.com/!tool/@v/v2.0.0.zip')).status, 404)
    assert.equal((await bob('GET', 'cargo/..%2f..%2f/x/tool')).status, 200)
    await away()
    for (const path of paths) assert.deepEqual((await bob('GET', path)).bytes, got.get(path), `${path} without it`)
    assert.deepEqual(await examined(forge.services), [])
  }))

test('containerGetManifest, containerGetBlob, containerListTags: images are fetched from another instance with its token service', () =>
  withTwo(async (forge, from, away) => {
    const tokenOf = async (where: Forge, name: string) => {
      const headers = { authorization: basicAuthorization(name, testPassword) }
      return ((await (await fetch(`${where.url}/v2/token`, { headers })).json()) as { token: string }).token
    }
    const asker = async (where: Forge, name: string) => {
      const authorization = `Bearer ${await tokenOf(where, name)}`
      return (method: string, path: string, raw?: string, headers: Record<string, string> = {}) =>
        where.guest.send(method, `/v2/${path}`, undefined, {
          site: true,
          headers: { authorization, ...headers },
          ...(raw === undefined ? {} : { raw }),
        })
    }
    const sha256 = (text: string) => `sha256:${digest('sha256', text)}`
    const mediaType = 'application/vnd.oci.image.manifest.v1+json'
    const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: sha256('{}'), size: 2 }
    const layers = [{ mediaType: 'x', digest: sha256('layer'), size: 5 }]
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config, layers })
    const alice = await asker(from, 'alice')
    for (const content of ['{}', 'layer']) {
      await alice('POST', `alice/app/blobs/uploads/?digest=${sha256(content)}`, content)
    }
    await alice('PUT', 'alice/app/manifests/1.0', manifest, { 'content-type': mediaType })
    const bob = await asker(forge, 'bob')
    const image = 'alice/alice/app'
    const found = await bob('GET', `${image}/manifests/1.0`)
    assert.deepEqual(
      [found.status, found.text, found.headers.get('docker-content-digest')],
      [200, manifest, sha256(manifest)],
    )
    assert.equal(found.headers.get('content-type'), mediaType)
    assert.equal((await bob('GET', `${image}/manifests/${sha256(manifest)}`)).text, manifest)
    assert.equal((await bob('GET', `${image}/blobs/${sha256('layer')}`)).text, 'layer')
    assert.equal((await bob('GET', `${image}/blobs/${sha256('none')}`)).status, 404)
    assert.deepEqual((await bob('GET', `${image}/tags/list`)).json.tags, ['1.0'])
    assert.equal((await bob('GET', `${image}/manifests/2.0`)).status, 404)
    assert.deepEqual((await forge.as('alice').must('GET', '/packages/alice')).json, [])
    await away()
    assert.equal((await bob('GET', `${image}/manifests/1.0`)).text, manifest)
    assert.equal((await bob('GET', `${image}/blobs/${sha256('layer')}`)).text, 'layer')
    assert.deepEqual(await examined(forge.services), [])
  }))

test("containerGetManifest: a token service of another origin does not get the upstream's secret", async () => {
  const seen: (string | undefined)[] = []
  const giveToken = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json').end('{"token":"t"}')
  }
  await withStranger(giveToken, (service) => {
    const challenge = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${service}/token",service="x"` }).end()
    }
    return withStranger(challenge, async (url) => {
      await using forge = await startForge({ users: ['alice'], settings: loopback })
      const headers = { authorization: basicAuthorization('alice', testPassword) }
      const ask = async () => (await fetch(`${forge.url}/v2/alice/image/manifests/1.0`, { headers })).text()
      await setUpstream(forge, 'container', url, { username: 'u', secret: 'the secret' })
      assert.match(await ask(), /UPSTREAM_TOKEN_HOST_LIST/)
      assert.deepEqual(seen, [])
      await setUpstream(forge, 'container', url, { secret: '' })
      await ask()
      assert.deepEqual(seen, [undefined], 'the service is asked as a guest when there is no secret')
    })
  })
})

test('npm and pip install packages of another instance through this one', () =>
  withTwo(async (forge, from) => {
    const folder = mkdtempSync(join(tmpdir(), 'ingot-upstream-'))
    const run = async (program: string, args: string[], cwd: string) => {
      const settings = { npm_config_userconfig: join(folder, '.npmrc'), npm_config_cache: join(folder, 'cache') }
      const ended = await runProgram(program, args, { cwd, env: { HOME: folder, ...settings } })
      assert.equal(ended.code, 0, `${program} ${args.join(' ')}: ${ended.out}${ended.err}`)
    }
    try {
      for (const name of ['tool', 'app']) mkdirSync(join(folder, name))
      writeFileSync(join(folder, 'tool/package.json'), '{"name":"tool","version":"1.2.3"}')
      writeFileSync(join(folder, 'app/package.json'), '{"name":"app","version":"1.0.0"}')
      const registry = (where: Forge) => `${where.url}/api/packages/alice/npm/`
      const { json } = await forge.as('bob').must(
        'POST',
        '/users/bob/tokens',
        { name: 'npm', scopes: ['read:package'] },
        {
          headers: { authorization: basicAuthorization('bob', testPassword) },
        },
      )
      const made = await from.as('alice').must(
        'POST',
        '/users/alice/tokens',
        { name: 'npm', scopes: ['write:package'] },
        {
          headers: { authorization: basicAuthorization('alice', testPassword) },
        },
      )
      const keys = [
        [registry(from), made.json.sha1],
        [registry(forge), json.sha1],
      ]
      writeFileSync(
        join(folder, '.npmrc'),
        keys.map(([url = '', token]) => `${url.slice(5)}:_authToken=${token}\n`).join(''),
      )
      await run('npm', ['publish', '--registry', registry(from)], join(folder, 'tool'))
      await run('npm', ['install', 'tool@^1', '--registry', registry(forge), '--no-audit'], join(folder, 'app'))
      assert.equal(
        JSON.parse(readFileSync(join(folder, 'app/node_modules/tool/package.json'), 'utf8')).version,
        '1.2.3',
      )
      const info = 'tool-1.0.dist-info'
      const wheel = zipOf({
        'tool.py': 'V = "1.0"\n',
        [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: tool\nVersion: 1.0\n',
        [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        [`${info}/RECORD`]: '',
      })
      await uploadWheel(from, { name: 'tool', version: '1.0' }, wheel)
      const index = `${forge.url.replace('://', `://bob:${json.sha1}@`)}/api/packages/alice/pypi/simple/`
      const pip = ['-m', 'pip', 'install', '--isolated', '--disable-pip-version-check', '--no-cache-dir', '--no-deps']
      await run('python3', [...pip, '--target', join(folder, 'py'), '--index-url', index, 'tool'], folder)
      assert.equal(readFileSync(join(folder, 'py/tool.py'), 'utf8'), 'V = "1.0"\n')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }))
