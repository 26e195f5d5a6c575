import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ForgeClient } from '../testing/client.ts'
import { openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { lastingPort } from '../testing/lasting-port.ts'
import {
  clientOfRoot,
  databaseSettings,
  rootPassword,
  startProgram,
  type ServingProgram,
} from '../testing/serving-program.ts'

/** Number of kills of each instance; `INGOT_CRASH_ROUNDS` raises it. */
const rounds = Number(process.env['INGOT_CRASH_ROUNDS'] ?? 1)

/** Starting a program takes a second or, on a busy machine, some. */
const timeout = 360_000 + rounds * 40_000

/** A server that was away is left alone for longer than a test usually waits. */
async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (const start = performance.now(); performance.now() - start < 240_000; await wait(50)) {
    if (await condition()) return
  }
  throw new Error(`not seen within four minutes: ${what}`)
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

/** An instance of its own process, which is killed and started again under the same address. */
class Instance implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'ingot-federation-crash-'))
  #program: ServingProgram | undefined

  constructor(
    readonly port: number,
    readonly database: TestDatabase,
  ) {
    writeFileSync(join(this.folder, 'app.ini'), settingsOf(port, databaseSettings(database)))
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Sends requests as `root`, also to the next start. */
  get client(): ForgeClient {
    return clientOfRoot(this.url)
  }

  async start(): Promise<void> {
    this.#program = await startProgram(this.folder, { port: String(this.port) })
  }

  async kill(): Promise<void> {
    await this.#program?.kill()
    this.#program = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.database[Symbol.asyncDispose]()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

test(
  `two instances follow and like each other while each is killed ${rounds} times: both end up knowing all of it`,
  { timeout },
  async () => {
    await using alpha = new Instance(await lastingPort(), await openTestDatabase())
    await using beta = new Instance(await lastingPort(), await openTestDatabase())
    await Promise.all([alpha.start(), beta.start()])
    const both = [
      { here: alpha, there: beta },
      { here: beta, there: alpha },
    ]
    const people = ['ann', 'bea', 'cid']
    for (const { here } of both) {
      await here.client.must('POST', '/user/repos', { name: 'liked', auto_init: true })
      for (const username of people) {
        const account = {
          username,
          email: `${username}@example.com`,
          password: rootPassword,
          must_change_password: false,
        }
        await here.client.must('POST', '/admin/users', account)
      }
    }
    for (const { here, there } of both) {
      const { id } = (await there.client.must('GET', '/repos/root/liked')).json
      const repositories = [`${there.url}/api/v1/activitypub/repository-id/${id}`]
      await here.client.must('PUT', '/repos/root/liked/federation/following', { repositories })
    }
    const as = ({ url }: Instance, login: string) =>
      new ForgeClient(url, async () => ({ basic: { login, password: rootPassword } }))
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
