import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createApp } from '../app.ts'
import { loadConfig } from '../config/load-config.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startForge } from '../testing/forge.ts'

/** Starts a server that listens at the address of the settings. */
async function listenAs(settings: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-listen-'))
  const database = await openTestDatabase()
  const env = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`INGOT__server__${key}`, value.replace('{folder}', folder)]),
  )
  const { config } = loadConfig({
    env: { ...env, INGOT__log__LEVEL: 'none' },
    cwd: folder,
    overrides: { dataFolder: folder },
  })
  const app = await createApp({ config, db: database.db, log: () => {}, git: { durable: false } })
  const at = await app.listen()
  return {
    at,
    app,
    async [Symbol.asyncDispose]() {
      await app.close()
      await database[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const statusOf = (options: object): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ path: '/api/healthz', ...options }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('the server listens on an IPv6 address and shows it in brackets in its URL', async () => {
  await using forge = await listenAs({ HTTP_ADDR: '::1', HTTP_PORT: '0', DOMAIN: '::1' })
  const { port } = forge.at as { port: number }
  assert.equal(await statusOf({ host: '::1', port }), 200)
  assert.equal(forge.app.services.config.server.rootUrl, `http://[::1]:${port}/`)
})

test('the server listens on a Unix socket with the configured mode and removes it at the stop', async () => {
  let path = ''
  {
    await using forge = await listenAs({
      PROTOCOL: 'http+unix',
      HTTP_ADDR: '{folder}/forge.sock',
      UNIX_SOCKET_PERMISSION: '660',
    })
    path = forge.at as string
    assert.equal(statSync(path).mode & 0o777, 0o660)
    assert.equal(await statusOf({ socketPath: path }), 200)
  }
  await assert.rejects(statusOf({ socketPath: path }))
})

test('a stopping server finishes running requests and accepts no new ones', async () => {
  const forge = await startForge()
  const { url } = forge
  const { token } = await forge.account('root')
  /** Begins a request; `end` sends the rest of its body and returns its status. */
  const begin = async (path: string, start: string, rest: string) => {
    const sent = request(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `token ${token}`, 'content-type': 'application/json', expect: '100-continue' },
    })
    const status = new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)))
      sent.on('error', reject)
    })
    // The server says so when it has begun the request.
    await once(sent, 'continue')
    sent.write(start)
    return () => {
      sent.end(rest)
      return status
    }
  }
  const creation = await begin(
    '/admin/users',
    '{"username":"late",',
    '"email":"late@example.com","password":"late enough"}',
  )
  // A text is not rendered for a request that has ended.
  const rendering = await begin('/markdown', '{"Text":"*late*",', '"Mode":"gfm"}')
  const stopped = forge.stop()
  await assert.rejects(fetch(`${url}/api/healthz`))
  assert.deepEqual(await Promise.all([creation(), rendering()]), [201, 200])
  await stopped
  await assert.rejects(fetch(`${url}/api/healthz`))
})
