import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { base64 } from '../testing/samples.ts'
import { longestStall } from '../testing/loop-stalls.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { TooLarge } from '../lib/errors.ts'
import { shareOfAddress } from './client-address.ts'
import { JsonSize } from './json-size.ts'

const mebibyte = 1024 * 1024

/** Begins a request and sends only a part of its body. */
function begin(forge: Forge, path: string, headers: Readonly<Record<string, string>>, part: string, whole: number) {
  const socket = connect(Number(new URL(forge.url).port), '127.0.0.1')
  const lines = Object.entries({ host: 'x', 'content-length': String(whole), ...headers })
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${part}`)
  let answer = ''
  socket.on('data', (chunk) => (answer += String(chunk)))
  socket.on('error', () => {})
  return { socket, answer: () => answer }
}

const holds = async (condition: () => boolean) => {
  for (let each = 0; !condition(); each++) {
    assert.ok(each < 400, 'the condition did not become true')
    await wait(10)
  }
}

test('a body may have 1 MiB, a page form much less, and a file more', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const content = base64(Buffer.alloc(3 * mebibyte, 7))
  const made = await alice.post(`${repo.api}/contents/large.bin`, { content, message: 'large' })
  assert.equal(made.status, 201)
  const changed = await alice.post(`${repo.api}/contents`, {
    files: [{ operation: 'create', path: 'other.bin', content }],
  })
  assert.equal(changed.status, 201)
  const page = { title: 'Large', content_base64: base64('word\n'.repeat(400_000)) }
  assert.equal((await alice.post(`${repo.api}/wiki/new`, page)).status, 201)

  const issue = await alice.post(`${repo.api}/issues`, { title: 'x', body: 'y'.repeat(2 * mebibyte) })
  assert.deepEqual([issue.status, issue.json.code], [413, 'too_large'])
  assert.equal((await alice.post('/markdown', { Text: 'y'.repeat(2 * mebibyte) })).status, 413)
  assert.equal((await alice.send('POST', '/markdown/raw', undefined, { raw: 'y'.repeat(2 * mebibyte) })).status, 413)
  const form = await forge.guest.send('POST', '/user/login', undefined, {
    site: true,
    raw: `user_name=${'x'.repeat(100_000)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(form.status, 413)
})

test('only operations with files accept more than 2 MiB', async () => {
  await using forge = await startForge()
  const wide = forge.services
    .operations()
    .filter(({ carriesFiles, maxBodyBytes }) => carriesFiles || (maxBodyBytes ?? 0) > 2 * mebibyte)
  assert.deepEqual(wide.map(({ id }) => id).toSorted(), [
    // The limit of `[federation].MAX_SIZE`, when federation is enabled.
    'activitypubInstanceActorInbox',
    'activitypubPersonByNameInbox',
    'activitypubPersonInbox',
    'activitypubRepositoryForgeInbox',
    'activitypubRepositoryInbox',
    // A manifest may have 4 MB.
    'containerPutManifest',
    // The form that edits a file.
    'createFile',
    'editFile',
    'orgUpdateAvatar',
    // The text of that form, as a page.
    'previewFile',
    'repoApplyDiffPatch',
    'repoChangeFiles',
    'repoCreateFile',
    'repoCreateWikiPage',
    'repoEditWikiPage',
    'repoUpdateAvatar',
    'repoUpdateFile',
    // A message of a runner, such as a log, may have 8 MiB.
    'runnerDeclare',
    'runnerFetchTask',
    'runnerPing',
    'runnerRegister',
    'runnerUpdateLog',
    'runnerUpdateTask',
    'userUpdateAvatar',
  ])
})

test('bodies in memory: an account over its share is refused, and other accounts are served', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { ingot: { MAX_JSON_BODY: '2 MiB', MAX_HELD_BODIES: '6 MiB' } },
  })
  const paths: Record<string, string> = {}
  for (const owner of ['alice', 'bob']) paths[owner] = (await forge.given.repo({ owner })).api
  const { token } = await forge.account('alice')
  const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
  const part = `{"content":"${'A'.repeat(1.5 * mebibyte)}`
  const held = begin(forge, `/api/v1${paths['alice']}/contents/a`, headers, part, 2 * mebibyte)
  const content = base64(Buffer.alloc(mebibyte, 7))
  const post = (name: string) => forge.as(name).post(`${paths[name]}/contents/b`, { content, message: 'b' })
  await holds(() => held.socket.writableLength === 0)
  await wait(200)
  const reply = await post('alice')
  assert.deepEqual([reply.status, reply.json.code, reply.headers.get('retry-after')], [503, 'bodies_busy', '5'])
  assert.equal((await post('bob')).status, 201, 'somebody else')
  assert.equal((await forge.as('alice').get('/user')).status, 200, 'what has no body')
  held.socket.destroy()
  const ended = () => forge.answered.some(({ url, method }) => method === 'POST' && url.endsWith('/contents/a'))
  await holds(ended)
  const again = await forge.as('alice').post(`${paths['alice']}/contents/c`, { content, message: 'c' })
  assert.equal(again.status, 201, 'room is given back when a client goes away')
})

test('large sign-in forms of guests are refused at once, and other requests are served', async () => {
  await using forge = await startForge()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const size = 60 * mebibyte
  const forms = Array.from({ length: 10 }, () => begin(forge, '/user/login', headers, 'user_name=x', size))
  await holds(() => forms.every(({ answer }) => answer().startsWith('HTTP/1.1 413')))
  assert.equal((await forge.guest.get('/version')).status, 200)
  for (const { socket } of forms) socket.destroy()
})

test('JSON that would take long to parse is refused while it arrives and delays no other request', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const bodies = {
    values: `{"files":[${'1,'.repeat(5_000_000)}1]}`,
    records: `{"files":[${'{"a":1},'.repeat(2_000_000)}{}]}`,
    depth: `{"files":${'['.repeat(10_000_000)}`,
  }
  const headers = { 'content-type': 'application/json' }
  for (const [name, raw] of Object.entries(bodies)) {
    const bytes = Buffer.from(raw)
    let status = 0
    const stallMs = await longestStall(async () => {
      ;({ status } = await alice.send('POST', `${repo.api}/contents`, undefined, { raw: bytes, headers }))
    })
    assert.equal(status, 413, name)
    // The client shares the thread of the server. Parsing such a body would take seconds.
    assert.ok(stallMs < 600, `${name}: everything stood still for ${Math.round(stallMs)} ms`)
  }
  const form = await alice.send('POST', `${repo.api}/contents`, undefined, {
    raw: 'a&'.repeat(5000),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(form.status, 413)
})

test('a multipart form is limited as a whole, as is an unexpected multipart body', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const parts = new FormData()
  for (let each = 0; each < 30; each++) parts.set(`field${each}`, 'x'.repeat(50_000))
  const reply = await forge.as('alice').send('PATCH', '/user/settings', undefined, { raw: parts })
  assert.equal(reply.status, 413)
  const file = new FormData()
  file.set('file', new Blob(['x'.repeat(2 * mebibyte)]), 'x')
  assert.equal((await forge.as('alice').send('PATCH', '/user/settings', undefined, { raw: file })).status, 413)
  assert.equal((await forge.as('alice').get('/user')).status, 200)
})

test('the measured size of JSON does not depend on its chunks', () => {
  const depth = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const long = `[${'1,'.repeat(200_001)}1]`
  const cases: [string, boolean][] = [
    [`{"a":"${'[{,'.repeat(100_000)}"}`, true],
    [`{"a":"\\\\\\"${'[{,'.repeat(100_000)}"}`, true],
    [`{"a":"\\\\",${'"b":[],'.repeat(150_000)}"c":1}`, false],
    [depth(100), true],
    [depth(101), false],
    [long, false],
    [`{"a":"x\\\\\\\\","b":${depth(99)}}`, true],
    [`{"a":"x\\\\\\\\","b":${depth(100)}}`, false],
  ]
  for (const [text, fits] of cases) {
    for (const size of [text.length, 1, 7, 4096]) {
      const bytes = Buffer.from(text)
      const measure = () => {
        const json = new JsonSize()
        for (let start = 0; start < bytes.length; start += size) json.add(bytes.subarray(start, start + size))
      }
      if (fits) measure()
      else assert.throws(measure, TooLarge, `${text.slice(0, 20)} in parts of ${size}`)
    }
  }
})

test('shareOfAddress returns an IPv4 address or the network of an IPv6 customer', () => {
  const shares = [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '2001:db8:0:7::1',
    '2001:db8:0:7:a:b:c:d',
    '2001:DB8::7:0:0:0:2',
    '::1',
  ]
  assert.deepEqual(shares.map(shareOfAddress), [
    '192.0.2.7',
    '192.0.2.7',
    '2001:db8:0:7::/64',
    '2001:db8:0:7::/64',
    '2001:db8:0:7::/64',
    '0:0:0:0::/64',
  ])
})

for (const [connection, megabytes] of [
  ['close', 10],
  ['close', 30],
  ['keep-alive', 30],
] as const) {
  test(`the refusal of a body of ${megabytes} MB arrives although its sender reads late (connection: ${connection})`, async () => {
    await using forge = await startForge()
    const whole = megabytes * 1_000_000
    const headers = { connection, 'content-type': 'application/json' }
    const { socket, answer } = begin(forge, '/api/v1/user/repos', headers, '{', whole)
    socket.pause()
    const piece = Buffer.alloc(64 * 1024, 32)
    let sent = 1
    const pump = () => {
      while (sent + piece.length < whole && !socket.destroyed) {
        sent += piece.length
        if (!socket.write(piece)) return void socket.once('drain', pump)
      }
    }
    pump()
    await wait(300)
    socket.resume()
    await holds(() => /"message"/.test(answer()) || socket.destroyed)
    assert.match(answer(), /^HTTP\/1.1 401 /)
    socket.destroy()
  })
}
