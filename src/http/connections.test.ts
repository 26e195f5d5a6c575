import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'

/** Opens a connection and sends the request, if any. */
function open(forge: Forge, from: string, text = ''): { socket: Socket; answer: () => string } {
  const socket = connect({ port: Number(new URL(forge.url).port), host: '127.0.0.1', localAddress: from })
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.on('error', () => undefined)
  if (text !== '') socket.write(text)
  return { socket, answer: () => answer }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

test('connections: one address may open a quarter of them; an excess one gets 503, except for health checks and sign-in', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { MAX_CONNECTIONS: 16 }, security: { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' } },
  })
  const idle = Array.from({ length: 4 }, () => open(forge, '127.0.0.9'))
  try {
    await Promise.all(idle.map(({ socket }) => once(socket, 'connect')))
    const refused = open(forge, '127.0.0.9', get('/api/v1/version'))
    await once(refused.socket, 'close')
    assert.match(refused.answer(), /^HTTP\/1\.1 503 [^]*retry-after: 5\r\n[^]*"code":"connections_busy"/)
    const health = open(forge, '127.0.0.9', get('/api/healthz'))
    await once(health.socket, 'close')
    assert.match(health.answer(), /^HTTP\/1\.1 200 /)
    const form = open(forge, '127.0.0.9', get('/user/login'))
    await once(form.socket, 'close')
    assert.match(form.answer(), /^HTTP\/1\.1 200 /)
    const other = open(forge, '127.0.0.10', get('/api/v1/version'))
    await until(() => other.answer().startsWith('HTTP/1.1 200 '))
    other.socket.destroy()
    idle[0]?.socket.destroy()
    await until(async () => {
      const again = open(forge, '127.0.0.9', get('/api/v1/version'))
      await until(() => again.answer() !== '')
      again.socket.destroy()
      return again.answer().startsWith('HTTP/1.1 200 ')
    })
  } finally {
    for (const { socket } of idle) socket.destroy()
  }
})

test('concurrent requests: one client may have a quarter of them; sign-in and health checks always have room', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { ingot: { MAX_REQUESTS: 8 } } })
  const { admission } = forge.services
  const repo = await forge.given.repo({ owner: 'alice' })
  const body =
    `POST /${repo.fullName}.git/git-upload-pack HTTP/1.1\r\nhost: x\r\n` +
    'content-type: application/x-git-upload-pack-request\r\ncontent-length: 1000\r\n\r\n0'
  const slow = Array.from({ length: 2 }, () => open(forge, '127.0.0.1', body))
  const others = Array.from({ length: 2 }, () => open(forge, '127.0.0.2', body))
  try {
    await until(() => admission.requests.underWay === 4)
    const refused = await forge.guest.get('/version')
    assert.deepEqual(
      [refused.status, refused.json.code, refused.headers.get('retry-after')],
      [503, 'requests_busy', '2'],
    )
    assert.equal((await forge.as('alice').get('/user')).status, 200, 'who is signed in has a share of their own')
    assert.equal((await forge.guest.get('/api/healthz', { site: true })).status, 200)
    const form = await fetch(`${forge.url}/user/login`)
    const csrf = /name="_csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
    const signIn = await fetch(`${forge.url}/user/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: String(form.headers.getSetCookie()[0]?.split(';', 1)[0]),
      },
      body: new URLSearchParams({ _csrf: csrf, user_name: 'alice', password: testPassword }).toString(),
    })
    assert.equal(signIn.status, 303)
  } finally {
    for (const { socket } of [...slow, ...others]) socket.destroy()
  }
  await until(() => admission.requests.underWay === 0)
  assert.equal((await forge.guest.get('/version')).status, 200)
})

test('expensive requests: a client over its share waits, other clients do not, and a disconnected client leaves the queue', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings: { ingot: { MAX_EXPENSIVE_REQUESTS: 4 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const { admission } = forge.services
  const { user } = await forge.account('alice')
  const claim = { viewer: user.id, isAdmin: false, address: '127.0.0.1', repository: undefined }
  const release = await admission.expensive.take(claim)
  const stop = new AbortController()
  const { token } = await forge.account('alice')
  const waiting = fetch(`${forge.url}/api/v1${repo.api}/commits`, {
    headers: { authorization: `token ${token}` },
    signal: stop.signal,
  }).catch(() => 'gone')
  await until(() => admission.expensive.waiting === 1)
  assert.equal((await forge.as('bob').get(`${repo.api}/commits`)).status, 200)
  assert.equal((await forge.as('alice').get(repo.api)).status, 200, 'a cheap request does not wait')
  stop.abort()
  assert.equal(await waiting, 'gone')
  await until(() => admission.expensive.waiting === 0)
  release()
  assert.equal((await forge.as('alice').get(`${repo.api}/commits`)).status, 200)
})

test('a turn on the main thread: requests of an address that arrived last are answered before the many of another one', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.settle()
  const many = Array.from({ length: 60 }, () => open(forge, '127.0.0.2'))
  const other = open(forge, '127.0.0.3')
  try {
    await Promise.all([...many, other].map(({ socket }) => once(socket, 'connect')))
    // The first page compiles and fills caches.
    assert.equal((await fetch(`${forge.url}/${repo.fullName}`)).status, 200)
    const order: string[] = []
    for (const { socket } of many) socket.once('data', () => order.push('many'))
    other.socket.once('data', () => order.push('other'))
    for (const { socket } of many) socket.write(get(`/${repo.fullName}`))
    other.socket.write(get(`/${repo.fullName}`))
    await until(() => order.length === 61)
    assert.ok(order.indexOf('other') < 30, `answer ${order.indexOf('other') + 1} of 61`)
    for (const each of [...many, other]) assert.match(each.answer(), /^HTTP\/1\.1 200 /)
  } finally {
    for (const { socket } of [...many, other]) socket.destroy()
  }
  await until(() => forge.services.admission.turns.waiting === 0)
})

test('a turn on the main thread: requests of clients that left while they waited do not run', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { turns } = forge.services.admission
  const repo = await forge.given.repo({ owner: 'alice' })
  const many = Array.from({ length: 60 }, () => open(forge, '127.0.0.2'))
  await Promise.all(many.map(({ socket }) => once(socket, 'connect')))
  for (const { socket } of many) socket.write(get(`/${repo.fullName}`))
  await until(() => turns.waiting > 0 || many.every(({ answer }) => answer() !== ''))
  for (const { socket } of many) socket.destroy()
  await until(() => turns.waiting === 0 && forge.services.admission.requests.underWay === 0)
  assert.equal((await forge.guest.get('/version')).status, 200)
})
