import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Log } from '../lib/log.ts'
import { makeCertificate, type TestCertificate } from '../testing/certificate.ts'
import { startForge } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import { until } from '../testing/until.ts'

/** A folder with the certificates `first` and `second`; the files `cert.pem` and `key.pem` begin as the first. */
async function certificates() {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-tls-'))
  const [first, second] = await Promise.all([makeCertificate(folder, 'first'), makeCertificate(folder, 'second')])
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const use = ({ certFile, keyFile }: TestCertificate) => {
    copyFileSync(certFile, files.certFile)
    copyFileSync(keyFile, files.keyFile)
  }
  use(first)
  return {
    folder,
    first,
    second,
    use,
    ...files,
    ca: [readFileSync(first.certFile), readFileSync(second.certFile)],
    settings: { PROTOCOL: 'https', CERT_FILE: files.certFile, KEY_FILE: files.keyFile },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const portOf = (forge: { readonly url: string }) => Number(new URL(forge.url).port)

/** Returns the status of a request on a new connection. */
const statusOf = (url: string, ca: readonly Buffer[], options: object = {}, body = ''): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { ca: [...ca], agent: false, ...options }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end(body)
  })

/** Returns the negotiated parameters of a handshake; throws when it fails. */
async function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ...options })
  await once(socket, 'secureConnect')
  return socket
}

const nameOf = async (port: number, ca: readonly Buffer[]): Promise<string> => {
  const socket = await handshake(port, { ca: [...ca] })
  const name = String(socket.getPeerCertificate().subject.CN)
  socket.destroy()
  return name
}

test('https: the API and git answer over TLS, and the port refuses plain HTTP', async () => {
  using files = await certificates()
  await using forge = await startForge({ users: ['alice'], settings: { server: files.settings } })
  const { url } = forge
  assert.match(url, /^https:\/\/localhost:\d+$/)
  assert.equal(await statusOf(`${url}/api/v1/version`, files.ca), 200)

  const headers = {
    authorization: `token ${(await forge.account('alice')).token}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ name: 'hello', auto_init: true })
  assert.equal(await statusOf(`${url}/api/v1/user/repos`, files.ca, { method: 'POST', headers }, body), 201)
  const work = join(files.folder, 'work')
  const env = { GIT_SSL_CAINFO: files.certFile }
  const cloned = await runProgram('git', ['clone', '-q', await forge.gitUrl('alice', 'alice/hello'), work], { env })
  assert.equal(cloned.code, 0, cloned.err)
  assert.ok(existsSync(join(work, 'README.md')))

  const socket = connect(portOf(forge), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.end('GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const received: Buffer[] = []
  socket.on('data', (piece) => received.push(piece))
  await once(socket, 'close')
  assert.doesNotMatch(Buffer.concat(received).toString('latin1'), /200 OK|"version"/)
})

test('https: the settings select protocol versions, cipher suites and curves', async () => {
  using files = await certificates()
  const older = { SSL_MAX_VERSION: 'tlsv1.2', SSL_CIPHER_SUITES: 'tls_ecdhe_ecdsa_with_aes_128_gcm_sha256' }
  await using forge = await startForge({
    settings: { server: { ...files.settings, ...older, SSL_CURVE_PREFERENCES: 'P384' } },
  })
  const agreed = await handshake(portOf(forge), { ca: files.ca })
  const { standardName } = agreed.getCipher()
  const key = agreed.getEphemeralKeyInfo() as { readonly name?: string }
  assert.deepEqual(
    [agreed.getProtocol(), standardName, key.name],
    ['TLSv1.2', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'secp384r1'],
  )
  agreed.destroy()
  await assert.rejects(handshake(portOf(forge), { ca: files.ca, minVersion: 'TLSv1.3' }))
  await assert.rejects(handshake(portOf(forge), { ca: files.ca, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }))
  await assert.rejects(handshake(portOf(forge), { ca: files.ca, ecdhCurve: 'P-256' }))

  await using newer = await startForge({ settings: { server: { ...files.settings, SSL_MIN_VERSION: 'TLSv1.3' } } })
  await assert.rejects(handshake(portOf(newer), { ca: files.ca, maxVersion: 'TLSv1.2' }))
  const socket = await handshake(portOf(newer), { ca: files.ca })
  assert.equal(socket.getProtocol(), 'TLSv1.3')
  socket.destroy()
})

test('https: a renewed certificate is used without a restart, and a broken one is only logged', async () => {
  using files = await certificates()
  const lines: string[] = []
  const log: Log = (level, message) => void lines.push(`${level} ${message}`)
  await using forge = await startForge({ log, settings: { server: files.settings } })
  const port = portOf(forge)
  assert.equal(await nameOf(port, files.ca), 'first')

  files.use(files.second)
  await until(async () => (await nameOf(port, files.ca)) === 'second', 'the second certificate')

  copyFileSync(files.first.certFile, files.certFile)
  await until(() => lines.some((line) => line.startsWith('error ')), 'a log line about the mismatch')
  assert.match(lines.join('\n'), /error the former certificate stays in use: \[server\] KEY_FILE: .*does not belong to/)
  assert.equal(await nameOf(port, files.ca), 'second')

  writeFileSync(files.certFile, 'no certificate')
  await forge.app.renewCertificate()
  assert.match(lines.join('\n'), /\[server\] CERT_FILE: .*holds no certificate in PEM/)
  assert.equal(await nameOf(port, files.ca), 'second')

  files.use(files.first)
  await forge.app.renewCertificate()
  assert.equal(await nameOf(port, files.ca), 'first')
  // The test causes these logged errors on purpose.
  forge.defects.length = 0
})

test('https: REDIRECT_OTHER_PORT redirects plain HTTP to the public address for any Host header', async () => {
  using files = await certificates()
  const settings = { ...files.settings, REDIRECT_OTHER_PORT: true, PORT_TO_REDIRECT: 0 }
  await using forge = await startForge({ settings: { server: settings } })
  const { portToRedirect } = forge.services.config.server
  const ask = (method: string, path: string): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const options = { port: portToRedirect, host: '127.0.0.1', method, path, headers: { host: 'evil.example' } }
      plainRequest(options, (response) => {
        response.resume()
        resolve([response.statusCode, response.headers.location])
      })
        .on('error', reject)
        .end()
    })
  assert.deepEqual(await ask('GET', '/api/v1/version?a=b'), [307, `${forge.url}/api/v1/version?a=b`])
  assert.deepEqual(await ask('POST', '//evil.example/'), [307, `${forge.url}//evil.example/`])
  assert.deepEqual(await ask('GET', 'http://evil.example/x'), [307, `${forge.url}/`])
})

test('https: an excess connection gets 503, except for health checks', async () => {
  using files = await certificates()
  // An address may open half of the connections, unless it belongs to a proxy.
  const security = { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.1' }
  const settings = { server: files.settings, ingot: { MAX_CONNECTIONS: 2 }, security }
  await using forge = await startForge({ settings })
  const first = await handshake(portOf(forge), { ca: files.ca })
  assert.equal(await statusOf(`${forge.url}/api/v1/version`, files.ca), 503)
  assert.equal(await statusOf(`${forge.url}/api/healthz`, files.ca), 200)
  first.destroy()
  await until(async () => (await statusOf(`${forge.url}/api/v1/version`, files.ca)) === 200)
})
