import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { anyone } from '../access/requirements.ts'
import { transaction } from '../db/database.ts'
import { NotFound } from '../lib/errors.ts'
import type { RepoId, UserId } from '../lib/ids.ts'
import { startForge, testPassword } from '../testing/forge.ts'
import { basicAuthorization } from '../testing/samples.ts'
import { readBytes } from './decode.ts'
import { bytesOf, operation, type Requirement } from './operation.ts'
import { enumeration } from './schema.ts'
import { untied } from './untied-body.ts'

/** Sends raw HTTP/1.1 that `fetch` would not send, and returns the response. */
const raw = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.end(text))
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

test('an unknown address answers 404 in the API form, and an unknown method 405 with Allow', async () => {
  await using forge = await startForge()
  const unknown = await forge.guest.get('/no/such/thing')
  assert.deepEqual([unknown.status, Object.keys(unknown.json)], [404, ['message', 'url', 'errors', 'code']])
  assert.equal((await forge.guest.get('/api/v1', { site: true })).status, 404)
  assert.equal((await forge.guest.get('/no/such', { site: true })).status, 404)
  const method = await forge.guest.put('/user')
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'GET, HEAD'])
})

test('addresses of the API answer browsers and programs with JSON, whether an operation has the address or not', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const roots = [
    '/api',
    '/api/v1',
    '/api/forgejo',
    '/api/packages',
    '/api/packages/alice',
    '/api/v2/x',
    '/api/v1/repos',
  ]
  for (const path of roots.flatMap((root) => [root, `${root}/`, `${root}?page=1`])) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await fetch(`${forge.url}${path}`, { method, headers: { accept: 'text/html,*/*' } })
      assert.equal(answer.status, 404, `${method} ${path}`)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, `${method} ${path}`)
      assert.equal(((await answer.json()) as { code: string }).code, 'no_such_route')
    }
  }
  // Other names that begin alike are names of accounts.
  assert.match((await fetch(`${forge.url}/apiary`)).headers.get('content-type') ?? '', /^text/)
})

test('a refusal has the address of the documentation, or of the site when the documentation is off', async () => {
  await using forge = await startForge({ settings: { api: { ENABLE_SWAGGER: false } } })
  const { status, json } = await forge.guest.get('/user')
  assert.deepEqual([status, json.url], [401, `${forge.url}/`])
  assert.equal((await forge.guest.get('/', { site: true })).status, 200)
})

test('a refused state of an account has a code and the address of the documentation', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = forge.as('root')
  const keys = ['code', 'message', 'url']
  const account = { username: 'new', email: 'new@example.com', password: testPassword, must_change_password: true }
  assert.equal((await root.post('/admin/users', account)).status, 201)
  const headers = { authorization: basicAuthorization('new', testPassword) }
  const first = await forge.guest.get('/user', { headers })
  assert.deepEqual([first.status, first.json.code], [403, 'password_change_required'])
  assert.deepEqual(Object.keys(first.json).toSorted(), keys)
  const alice = forge.as('alice')
  assert.equal((await alice.get('/user')).status, 200)
  const state = { source_id: 0, login_name: 'alice', prohibit_login: true }
  assert.equal((await root.patch('/admin/users/alice', state)).status, 200)
  const second = await alice.get('/user')
  assert.deepEqual([second.status, second.json.code], [403, 'account_barred'])
  assert.deepEqual(Object.keys(second.json).toSorted(), keys)
})

test('a refusal contains the documentation URL, a stable code and the request id', async () => {
  await using forge = await startForge()
  const answer = await forge.guest.get('/user')
  assert.equal(answer.status, 401)
  assert.equal(answer.json.url, `${forge.url}/api/swagger`)
  assert.equal(answer.json.code, 'unauthenticated')
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]+-[0-9a-z]+$/)
})

test('bodies: a malformed or empty body, a wrong type and a wrong field answer 422 with the field; null counts as absent', async () => {
  await using forge = await startForge()
  const root = forge.as('root')
  const send = (body: string, type = 'application/json') =>
    root.send('POST', '/admin/users', undefined, { raw: body, headers: { 'content-type': type } })
  assert.equal((await send('{"username": "x"')).json.message, '[]: the body is not valid JSON')
  assert.equal((await send('')).json.message, '[]: the body is empty')
  assert.equal((await send('[]')).status, 422)
  assert.equal((await send('{"username":"x","email":null}')).json.message, '[email]: is required')
  assert.equal((await send('{"username":1,"email":"a@b.c"}')).json.message, '[username]: must be string')
  assert.equal((await send('{"username":"x"}', 'text/plain')).json.message, '[username]: is required')
  assert.equal((await send('{"username":"x"}', 'application/json; charset=utf-16')).status, 415)
})

test('bodies: the server accepts member names in any letter case, forms, multipart and a second document', async () => {
  await using forge = await startForge()
  const root = forge.as('root')
  const password = testPassword
  const json = await root.post('/admin/users', { USERNAME: 'one', Email: 'one@example.com', password })
  assert.deepEqual([json.status, json.json.login], [201, 'one'])
  // Unknown members are refused of credentials and rules only (test/narrowing.test.ts).
  assert.equal((await root.post('/user/repos', { NAME: 'one', moon: 1 })).status, 201)
  const form = await root.send('POST', '/admin/users', undefined, {
    raw: `username=two&email=two%40example.com&restricted=true&password=${password}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual([form.status, form.json.restricted], [201, true])
  const parts = new FormData()
  parts.set('username', 'three')
  parts.set('email', 'three@example.com')
  parts.set('password', password)
  assert.equal((await root.send('POST', '/admin/users', undefined, { raw: parts })).status, 201)
  const twice = await root.send('POST', '/admin/users', undefined, {
    raw: `{"username":"four","email":"four@example.com","password":"${password}"} {"x":1}`,
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(twice.status, 201)
})

test('bodies: the server ignores spaces in a media type', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = forge.as('alice')
  const formEnd = 'Content-Disposition: form-data; name="full_name"\r\n\r\nForm\r\n--a b--\r\n'
  for (const [index, [type, raw]] of (
    [
      ['application / json', '{"full_name":"One"}'],
      [' application/json ; charset = utf-8 ', '{"full_name":"One"}'],
      ['application /json;charset= "utf-8"', '{"full_name":"One"}'],
      ['application/x-www-form-urlencoded ; charset = UTF-8', 'full_name=One'],
      ['multipart / form-data ; boundary = "a b"', `--a b\r\n${formEnd}`],
    ] as const
  ).entries()) {
    const name = `Name ${index}`
    const body = raw.replace(/One|Form/, name)
    const headers = { 'content-type': type }
    const { status, json } = await alice.send('PATCH', '/user/settings', undefined, { headers, raw: body })
    assert.deepEqual([status, json?.full_name], [200, name], type)
  }
  const latin = { 'content-type': 'application/json ; charset = latin1' }
  assert.equal((await alice.send('PATCH', '/user/settings', undefined, { headers: latin, raw: '{}' })).status, 415)
})

test('a body over the limit answers 413, invalid UTF-8 422, and the connection stays usable', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_JSON_BODY: '1 KiB' } } })
  const root = forge.as('root')
  const large = await root.post('/admin/users', { username: 'x', email: 'x@example.com', full_name: 'y'.repeat(5000) })
  assert.deepEqual([large.status, large.json.code], [413, 'too_large'])
  const invalid = await root.send('POST', '/admin/users', undefined, {
    raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual([invalid.status, invalid.json.code], [422, 'invalid_utf8'])
  assert.equal((await root.get('/user')).status, 200)
})

test('GET sends a strong entity tag and answers 304 when it matches; HEAD sends only headers', async () => {
  await using forge = await startForge()
  const first = await forge.as('root').get('/user')
  const etag = first.headers.get('etag') as string
  assert.match(etag, /^"[\w-]{27}"$/)
  const again = await forge.as('root').get('/user', { headers: { 'if-none-match': `"other", W/${etag}` } })
  assert.deepEqual([again.status, again.text], [304, ''])
  const head = await forge.as('root').send('HEAD', '/user')
  assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', String(first.bytes.length)])
})

test('a trailing slash and HEAD need no separate route; a malformed escape answers 400', async () => {
  await using forge = await startForge()
  assert.equal((await forge.as('root').get('/user/')).status, 200)
  const { token } = await forge.account('root')
  const answer = await raw(
    forge.url,
    `GET /api/v1/users/%zz/tokens HTTP/1.1\r\nhost: x\r\nauthorization: token ${token}\r\nconnection: close\r\n\r\n`,
  )
  assert.match(answer, /^HTTP\/1\.1 400 /)
})

test('a response is compressed when the setting and the client allow it', async () => {
  await using forge = await startForge({ settings: { server: { ENABLE_GZIP: true } } })
  for (let each = 0; each < 12; each++) {
    await forge.as('root').must('POST', '/users/root/tokens', undefined, {
      headers: {
        authorization: basicAuthorization('root', 'Passw0rd!'),
        'content-type': 'application/json',
      },
      raw: JSON.stringify({ name: `token ${each}`, scopes: ['read:user', 'write:repository'] }),
    })
  }
  const { token } = await forge.account('root')
  const { bytes, headers } = await new Promise<{ bytes: Buffer; headers: NodeJS.Dict<string | string[]> }>(
    (resolve) => {
      request(
        `${forge.url}/api/v1/users/root/tokens`,
        { headers: { authorization: `token ${token}`, 'accept-encoding': 'gzip' } },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => resolve({ bytes: Buffer.concat(chunks), headers: response.headers }))
        },
      ).end()
    },
  )
  assert.equal(headers['content-encoding'], 'gzip')
  assert.equal(JSON.parse(gunzipSync(bytes).toString()).length, 13)
})

test('CORS is off by default; only a listed origin gets the headers, and a preflight names the method', async () => {
  await using plain = await startForge()
  const preflightRequest = { headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' } }
  assert.equal((await plain.guest.send('OPTIONS', '/user', undefined, preflightRequest)).status, 405)
  await using forge = await startForge({
    settings: { cors: { ENABLED: true, ALLOW_DOMAIN: 'https://app.example.com' } },
  })
  const preflight = await forge.guest.send('OPTIONS', '/user', undefined, preflightRequest)
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-methods')], [200, 'GET'])
  const ask = async (origin: string, method: string) => {
    const headers = { origin, 'access-control-request-method': method }
    const answer = await forge.guest.send('OPTIONS', '/user', undefined, { headers })
    return [answer.status, ...['methods', 'origin'].map((name) => answer.headers.get(`access-control-allow-${name}`))]
  }
  // The address has no PATCH; the request itself gets that refusal.
  assert.deepEqual(await ask('https://app.example.com', 'PATCH'), [200, 'PATCH', 'https://app.example.com'])
  assert.deepEqual(await ask('https://app.example.com', 'TRACE'), [200, null, 'https://app.example.com'])
  assert.deepEqual(await ask('https://evil.example.com', 'PATCH'), [200, null, null])
  const listed = await forge.as('root').get('/user', { headers: { origin: 'https://app.example.com' } })
  assert.equal(listed.headers.get('access-control-allow-origin'), 'https://app.example.com')
  const foreign = await forge.as('root').get('/user', { headers: { origin: 'https://evil.example.com' } })
  assert.deepEqual([foreign.status, foreign.headers.get('access-control-allow-origin')], [200, null])
})

test('an instance with a sub-path answers with and without it, and its URLs contain it', async () => {
  await using forge = await startForge({ settings: { server: { ROOT_URL: 'https://code.example.com/forge/' } } })
  const port = forge.services.config.server.httpPort
  for (const path of ['/api/v1/user', '/forge/api/v1/user']) {
    const { token } = await forge.account('root')
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `token ${token}` } })
    const body = (await answer.json()) as { html_url: string }
    assert.equal(body.html_url, 'https://code.example.com/forge/root')
  }
})

test('X-Forwarded-For sets the client address only behind a trusted proxy', async () => {
  // A proxy on the same machine is trusted by default.
  await using forge = await startForge()
  await forge.guest.get('/user', { headers: { 'x-forwarded-for': '203.0.113.9' } })
  assert.equal(forge.answered.at(-1)?.ip, '203.0.113.9')
  await using untrusted = await startForge({ settings: { security: { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' } } })
  await untrusted.guest.get('/user', { headers: { 'x-forwarded-for': '203.0.113.9' } })
  assert.equal(untrusted.answered.at(-1)?.ip, '127.0.0.1')
})

test('X-Request-ID of a trusted proxy names the request; any other one is replaced', async () => {
  const idOf = async (url: string, id: string) =>
    (await fetch(`${url}/api/v1/user`, { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  await using forge = await startForge()
  for (const id of ['7f3c-1', 'Root=1-67891233-abcdef012345678912345678', 'a'.repeat(128)]) {
    assert.equal(await idOf(forge.url, id), id)
    assert.equal(forge.answered.at(-1)?.requestId, id)
  }
  for (const id of ['', 'a b', 'a,b', '"quoted"', '<p>', 'é', 'a'.repeat(129)]) {
    assert.match((await idOf(forge.url, id)) ?? '', /^[\w-]{8}-[0-9a-z]+$/, id)
  }
  await using untrusted = await startForge({ settings: { security: { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' } } })
  assert.notEqual(await idOf(untrusted.url, '7f3c-1'), '7f3c-1')
})

test('bodies: a client that disconnects before its body is read ends the request', async () => {
  const slowCheck: Requirement<object, object> = {
    codes: [],
    refuses: [],
    async check(_ctx, call) {
      const gone = once(call.signal, 'abort')
      socket.destroy()
      await gone
      return {}
    },
  }
  const takeBytes = operation({
    cost: 'usual',
    ...{ base: 'site', method: 'POST', path: '/test/bytes', scope: null, requires: [slowCheck] },
    body: bytesOf('*/*'),
    reply: { 200: 'empty' },
    async run({ call }) {
      await readBytes(untied(call.body()), 1000)
    },
  })
  await using forge = await startForge({ features: [{ routes: [{ takeBytes }] }] })
  const { port } = new URL(forge.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('POST /test/bytes HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun')
  while (!forge.answered.some(({ operationId }) => operationId === 'takeBytes')) await setImmediate()
})

test('responses without an operation are reported: unknown addresses, unknown methods and CORS preflights', async () => {
  await using forge = await startForge({ settings: { cors: { ENABLED: true, ALLOW_DOMAIN: '*' } } })
  const before = forge.answered.length
  await forge.guest.get('/no-such-thing?secret=1')
  await forge.guest.send('DELETE', '/version')
  await forge.guest.get('/%zz', { site: true })
  await forge.guest.send('OPTIONS', '/version', undefined, {
    headers: { origin: 'https://x.example', 'access-control-request-method': 'GET' },
  })
  assert.deepEqual(
    forge.answered.slice(before).map(({ operationId, method, status }) => [operationId, method, status]),
    [
      ['none', 'GET', 404],
      ['none', 'DELETE', 405],
      ['none', 'GET', 400],
      ['none', 'OPTIONS', 200],
    ],
  )
  assert.ok(forge.answered.slice(before).every(({ ip, requestId }) => ip !== '' && requestId !== ''))
})

test('an error that cannot be shown in its form is answered as text, and is a defect', async () => {
  const broken = operation({
    cost: 'usual',
    ...{ base: 'site', method: 'GET', path: '/test/broken', scope: null, requires: [anyone] },
    errors: {
      render() {
        throw new Error('no page')
      },
    },
    reply: { 200: 'empty' },
    run: async () => {
      throw new NotFound('there is nothing', 'nothing')
    },
  })
  await using forge = await startForge({ features: [{ routes: [{ broken }] }] })
  const { status, text } = await forge.guest.get('/test/broken', { site: true })
  assert.deepEqual([status, text], [404, 'there is nothing\n'])
  assert.match(String(forge.defects.splice(0)), /no page/)
})

test('a request that loses a race for a row answers 409 and is not a defect', async () => {
  const lostRace = operation({
    cost: 'usual',
    ...{ base: 'site', method: 'POST', path: '/test/{what}', scope: null, requires: [anyone] },
    params: { what: enumeration('gone', 'there', 'deleted') },
    reply: { 200: 'empty' },
    run: async ({ ctx, params: { what } }) => {
      const star = { repo_id: (what === 'there' ? 1 : 999) as RepoId, user_id: 1 as UserId, created_unix: 1 }
      await transaction(ctx.db, async (tx) => {
        const stars = tx.deleteFrom('star').where('repo_id', '=', star.repo_id).returning('repo_id')
        if (what === 'deleted') await stars.executeTakeFirstOrThrow()
        else await tx.insertInto('star').values([star, star]).execute()
      })
    },
  })
  const warnings: string[] = []
  await using forge = await startForge({
    features: [{ routes: [{ lostRace }] }],
    log: (level, message) => void (level === 'warn' && warnings.push(message)),
  })
  await forge.given.repo({ owner: 'root' })
  for (const what of ['gone', 'there', 'deleted']) {
    const { status, text } = await forge.guest.post(`/test/${what}`, undefined, { site: true })
    assert.equal(status, 409, text)
  }
  assert.equal(warnings.filter((each) => each === 'a request conflicted with a concurrent one').length, 3)
})
