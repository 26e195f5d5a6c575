import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { builtFile } from '../lib/assets.ts'
import { ForgeClient } from '../testing/client.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'

/** Number of kills of each instance; `INGOT_CRASH_ROUNDS` raises it. */
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 1)

/** Starting a program takes a second or, on a busy machine, some. */
const timeout = 120_000 + rounds * 40_000

const password = 'a password of the crash test'

/** A server that was away is left alone for longer than a test usually waits. */
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const start = performance.now(); performance.now() - start < 90_000; await wait(50)) {
    if (await condition()) return
  }
  throw new Error(`not seen within ninety seconds: ${what}`)
}

const settingsOf = (port: number, database: string): string => `
[log]
LEVEL = none
[cron]
ENABLED = false
[server]
ROOT_URL = http://127.0.0.1:${port}/
[federation]
ENABLED = true
ALLOWED_HOST_LIST = loopback
[ingot]
JOB_LEASE = 1s
JOB_POLL_INTERVAL = 200ms
${database}`

function databaseSettings({ options }: TestDatabase): string {
  if (options.kind !== 'postgres') return ''
  const { hostname, port, username, password: word, pathname } = new URL(options.url)
  return `[database]
DB_TYPE = postgres
HOST = ${hostname}:${port || 5432}
NAME = ${decodeURIComponent(pathname.slice(1))}
USER = ${decodeURIComponent(username)}
PASSWD = ${decodeURIComponent(word)}
`
}

/** An instance of its own process, which is killed and started again under the same address. */
class Instance implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'ingot-federation-crash-'))
  #child: ChildProcess | undefined

  constructor(
    readonly port: number,
    readonly database: TestDatabase,
  ) {
    writeFileSync(join(this.folder, 'app.ini'), settingsOf(port, databaseSettings(database)))
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get client(): ForgeClient {
    return new ForgeClient(this.url, async () => ({ basic: { login: 'root', password } }))
  }

  async start(): Promise<void> {
    const ports = ['--host', '127.0.0.1', '--port', String(this.port), '--ssh-port', '0']
    const child = spawn(
      process.execPath,
      [builtFile('ingot.js'), 'serve', '--config', join(this.folder, 'app.ini'), '--data', this.folder, ...ports],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          INGOT_ADMIN_LOGIN: 'root',
          INGOT_ADMIN_PASSWORD: password,
          INGOT_ADMIN_EMAIL: 'root@example.com',
        },
      },
    )
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk
        if (said.includes('Ingot serves')) resolve()
      })
      child.once('exit', () => reject(new Error(`the program did not start: ${said}`)))
    })
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.database[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A free port, which the instance keeps across restarts. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a server without a port')
  return address.port
}

test(
  `two instances follow and like each other while each is killed ${rounds} times: both end up knowing all of it`,
  { timeout },
  async () => {
    await using alpha = new Instance(await freePort(), await openTestDatabase())
    await using beta = new Instance(await freePort(), await openTestDatabase())
    await Promise.all([alpha.start(), beta.start()])
    const both = [
      { here: alpha, there: beta },
      { here: beta, there: alpha },
    ]
    const people = ['ann', 'bea', 'cid']
    for (const { here } of both) {
      await here.client.must('POST', '/user/repos', { name: 'liked', auto_init: true })
      for (const username of people) {
        const account = { username, email: `${username}@example.com`, password, must_change_password: false }
        await here.client.must('POST', '/admin/users', account)
      }
    }
    for (const { here, there } of both) {
      const { id } = (await there.client.must('GET', '/repos/root/liked')).json
      const repositories = [`${there.url}/api/v1/activitypub/repository-id/${id}`]
      await here.client.must('PUT', '/repos/root/liked/federation/following', { repositories })
    }
    const as = ({ url }: Instance, login: string) => new ForgeClient(url, async () => ({ basic: { login, password } }))
    /** Asks until it is said that it is done: the instance may be gone in between. */
    const insist = (work: () => Promise<{ readonly status: number }>, what: string) =>
      until(async () => {
        try {
          return (await work()).status < 300
        } catch {
          return false
        }
      }, what)
    for (let round = 0; round < rounds; round++) {
      for (const { here, there } of both) {
        const login = people[round % people.length] as string
        await insist(
          () => as(here, login).post('/user/federation/following', { account: `${login}@127.0.0.1:${there.port}` }),
          'a follow is asked for',
        )
        await insist(() => as(here, login).put('/user/starred/root/liked'), 'a star')
        // Either is killed at a moment when both have something to send.
        await wait(Math.random() * 300)
        await there.kill()
        await insist(() => as(here, 'root').put('/user/starred/root/liked'), 'a star while the other is away')
        await wait(Math.random() * 200)
        await here.kill()
        await there.start()
        await here.start()
      }
    }
    const expected = new Set(people.slice(0, Math.min(rounds, people.length)))
    for (const { here, there } of both) {
      const suffix = `-127.0.0.1-${there.port}`
      const logins = async (path: string): Promise<string[]> =>
        (await here.client.must('GET', path)).json.map(({ login }: { login: string }) => login)
      await until(async () => {
        const stars = await logins('/repos/root/liked/stargazers')
        return [...expected, 'root'].every((name) => stars.includes(name + suffix))
      }, `likes of ${there.url} at ${here.url}`)
      for (const name of expected) {
        await until(
          async () => (await logins(`/users/${name}/followers`)).includes(name + suffix),
          `the follow of ${name} at ${here.url}`,
        )
      }
      const stars = await logins('/repos/root/liked/stargazers')
      assert.equal(new Set(stars).size, stars.length, 'each once')
      assert.equal((await here.client.must('GET', '/repos/root/liked')).json.stars_count, stars.length)
    }
  },
)
