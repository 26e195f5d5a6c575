import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import { basicAuthorization } from '../testing/samples.ts'
import { addressBelowSite } from './request-address.ts'

/** Sends a path unchanged; `fetch` would normalize it. */
function ask(
  forge: Forge,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ port: new URL(forge.url).port, host: '127.0.0.1', path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
      .on('error', reject)
      .end()
  })
}

test('addressBelowSite merges repeated slashes of the path and keeps the query and encoded slashes', () => {
  for (const [given, expected, subPath] of [
    ['/api/v1//version', '/api/v1/version'],
    ['//ann///x.git/info/refs?service=git-upload-pack', '/ann/x.git/info/refs?service=git-upload-pack'],
    ['/a//b?next=http://x//y', '/a/b?next=http://x//y'],
    ['/a//b#c//d', '/a/b#c//d'],
    ['/a%2F%2Fb//c', '/a%2F%2Fb/c'],
    ['//', '/'],
    ['http://host//a//b', '/a/b'],
    ['//forge//api//v1', '/api/v1', '/forge'],
    ['/forge//', '/', '/forge'],
    ['/forge', '/', '/forge'],
    ['//forgery', '/forgery', '/forge'],
  ] as const) {
    assert.equal(addressBelowSite(given, subPath ?? ''), expected, given)
  }
})

test('doubled slashes do not change the answer or the refusal of any surface', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { packages: { ENABLED: true } } })
  await forge.given.repo({ owner: 'alice', name: 'shown' })
  await forge.given.repo({ owner: 'alice', name: 'hidden', private: true })
  const root = { authorization: `token ${(await forge.account('root')).token}` }
  const paths = [
    '/api/v1/version',
    '/api/v1/repos/alice/shown',
    '/api/v1/repos/alice/hidden',
    '/api/v1/admin/users',
    '/api/v1/repos/alice/shown/contents/README.md',
    '/api/healthz',
    '/alice/shown.git/info/refs?service=git-upload-pack',
    '/alice/hidden.git/info/refs?service=git-upload-pack',
    '/alice/hidden/raw/branch/main/README.md',
    '/alice/hidden/archive/main.zip',
    '/v2/',
    '/api/packages/alice/generic/none/1/none',
    '/user/login',
    '/no-such-thing/at/all',
  ]
  for (const path of paths) {
    const [before = '', ...query] = path.split('?')
    const doubled = [before.replaceAll('/', '//'), ...query].join('?')
    for (const headers of [{}, root]) {
      const { status } = await ask(forge, path, headers)
      assert.equal((await ask(forge, doubled, headers)).status, status, `${doubled} ${Object.keys(headers).join()}`)
    }
  }
  assert.equal((await ask(forge, '//api//v1//version')).status, 200)
  assert.equal((await ask(forge, '/api/v1/repos/alice/shown%2F%2Fcontents')).status, 404)
})

test('git can clone from an address with doubled slashes', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.given.repo({ owner: 'alice', name: 'hidden', private: true })
  const { host } = new URL(forge.url)
  const header = `http.extraHeader=authorization: ${basicAuthorization('alice', testPassword)}`
  const listed = await runProgram('git', ['-c', header, 'ls-remote', `http://${host}//alice//hidden.git`, 'main'])
  assert.match(listed.out, /refs\/heads\/main/, listed.err)
  assert.notEqual((await runProgram('git', ['ls-remote', `http://${host}//alice//hidden.git`])).code, 0)
})

/** Sends bytes slowly, so that they arrive in several chunks, and returns the whole response. */
async function sendRaw(forge: Forge, pieces: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(forge.url).port), '127.0.0.1')
  const received: Buffer[] = []
  let failure: Error | undefined
  socket.on('data', (piece) => received.push(piece))
  socket.on('error', (error) => (failure = error))
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  if (!socket.closed) await once(socket, 'close')
  assert.equal(failure, undefined)
  return Buffer.concat(received).toString('latin1')
}

test('a request line over the limit gets 414, headers over the limit 431, and no connection is reset', async () => {
  await using forge = await startForge()
  const lineOf = (chars: number) => `GET /${'a'.repeat(chars)} HTTP/1.1\r\nHost: x\r\n\r\n`
  const headersOf = (count: number) =>
    `GET /api/v1/version HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${'b'.repeat(1000)}\r\n`.repeat(count)}\r\n`
  for (const chars of [17_000, 60_000, 100_000, 1_000_000]) {
    assert.match(await sendRaw(forge, [lineOf(chars)]), /^HTTP\/1\.1 414 URI Too Long\r\n/, String(chars))
  }
  const text = lineOf(200_000)
  const pieces = Array.from({ length: Math.ceil(text.length / 8000) }, (_, each) =>
    text.slice(each * 8000, (each + 1) * 8000),
  )
  assert.match(await sendRaw(forge, pieces), /^HTTP\/1\.1 414 /, 'in pieces')
  for (const count of [80, 1000]) {
    assert.match(await sendRaw(forge, [headersOf(count)]), /^HTTP\/1\.1 431 /, String(count))
  }
  assert.match(await sendRaw(forge, ['NO HTTP AT ALL\r\n\r\n']), /^HTTP\/1\.1 400 /)
  const long = await ask(forge, `/api/v1/version?q=${'c'.repeat(20_000)}`)
  assert.deepEqual([long.status, JSON.parse(long.text).code], [414, 'address_too_long'])
  assert.equal((await ask(forge, `/api/v1/version?q=${'c'.repeat(15_000)}`)).status, 200)
  assert.equal((await fetch(`${forge.url}/api/v1/version?q=${'d'.repeat(200_000)}`)).status, 414)
})
