import { hashSync } from '@node-rs/argon2'
import { mkdtempSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createApp, type App } from '../app.ts'
import type { Services } from '../access/context.ts'
import type { Feature } from '../access/feature.ts'
import { loadConfig, type Config } from '../config/load-config.ts'
import { closeDatabase, openDatabase, type DatabaseOptions } from '../db/open.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Answered } from '../http/server.ts'
import type { Log } from '../lib/log.ts'
import { SpareThreads } from '../lib/own-thread.ts'
import { SpareBrokers } from '../git/broker/broker-process.ts'
import { createToken } from '../users/credentials/token.service.ts'
import { createUser, type NewAccount } from '../users/user.service.ts'
import { findUserByName } from '../users/user.store.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { ForgeClient, type Credentials } from './client.ts'
import { checkDescribed, type Exchange } from './described.ts'
import { openWatchedPort } from './port/watched-port.ts'
import { TestClock } from './clock.ts'
import { checkIsWithin, ForgeState, type KeptState } from './forge-state.ts'
import { Given } from './given.ts'
import type { ForgeRunner } from './runner.ts'
import { until } from './until.ts'

export interface ForgeOptions {
  /** Settings by section and key, as in `app.ini`: `{ repository: { DEFAULT_BRANCH: 'trunk' } }`. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>
  /** Initial accounts besides the administrator `root`; each has a token with all scopes. */
  readonly users?: readonly string[]
  /** Stops the clock at this time (milliseconds since 1970) until `clock.advance()`. */
  readonly standAt?: number
  /** Receives log lines. Errors of requests are always collected in `defects`. */
  readonly log?: Log
  /** Data folder to use and keep; by default a temporary one. */
  readonly dataFolder?: string
  /** Additional features of the test. */
  readonly features?: readonly Feature[]
  /** Database to share with another forge, like processes of one instance; they also share the data folder. */
  readonly database?: DatabaseOptions
  /**
   * How long a request may wait while this process stands still, in milliseconds; then it is refused with the reason. By
   * default for ever. See `openWatchedPort`.
   */
  readonly stallMs?: number
  /** Runs workflows on this machine without containers; `settle()` waits for them. */
  readonly runner?: boolean | { readonly labels?: readonly string[]; readonly capacity?: number }
}

/** Password of every account of a test. */
export const testPassword = 'Passw0rd!'

/** Git's brokers are used again: starting one blocks the process and costs more than most tests. */
const spareBrokers = new SpareBrokers(2)

/** Threads that render texts and pictures are used again: starting one costs as much processor time as four forges. */
const spareThreads = new SpareThreads(2)

/** Its hash, with the least cost: checking a password with the program's own cost takes longer than most requests. */
const testPasswordHash = hashSync(testPassword, { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 })

/**
 * Starts the real application in this process on a free port with its own data folder and database. Several forges can
 * run in one process. Disposing stops it and deletes its data.
 *
 * `INGOT_TEST_DATABASE` selects a PostgreSQL server instead of SQLite. `INGOT_TEST_STORAGE` (`host:port`) selects an S3
 * service with the bucket `forge` instead of the data folder. `INGOT_TEST_REPOSITORIES=blobs` stores repositories as packs.
 */
export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const temporary = options.dataFolder === undefined
  const folder = options.dataFolder ?? mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ingot-forge-'))
  const clock = new TestClock(options.standAt)
  // A process with a shared database does not take over work at its start.
  const shared: ForgeOptions['settings'] =
    options.database?.kind === 'postgres' ? { database: { DB_TYPE: 'postgres' } } : {}
  const server = options.settings?.['server'] ?? {}
  const isPlain = ['PROTOCOL', 'ROOT_URL', 'DOMAIN'].every((key) => server[key] === undefined)
  const front = options.stallMs !== undefined && isPlain ? await openWatchedPort(options.stallMs) : undefined
  const fronted: ForgeOptions['settings'] = front
    ? { server: { ...server, ROOT_URL: `http://localhost:${front.port}/` } }
    : {}
  const { config } = loadConfig({
    env: environmentOf(merged(storageIn(folder), shared, options.settings, fronted)),
    cwd: folder,
    overrides: { dataFolder: folder, host: '127.0.0.1', port: 0, sshPort: 0 },
  })
  const defects: unknown[] = []
  const answered: Answered[] = []
  const lent = options.database ? openAgain(options.database) : undefined
  const state = new ForgeState(folder, lent === undefined && temporary ? await openTestDatabase() : undefined)
  const begin = async (withPorts: Config): Promise<App> => {
    const db = lent?.db ?? state.db
    const app = await createApp({
      config: withPorts,
      clock,
      log: (level, message, data) => {
        if (level === 'error') defects.push(data?.['error'] ?? new Error(message))
        options.log?.(level, message, data)
      },
      ...(db ? { db } : {}),
      validateReplies: true,
      git: { durable: false, spares: spareBrokers },
      spareThreads,
      ...(options.features ? { features: options.features } : {}),
      answered: (facts) => answered.push(facts),
    })
    try {
      const at = await app.listen()
      if (typeof at !== 'string') front?.leadTo(at.port)
    } catch (error) {
      await app.close()
      throw error
    }
    return app
  }
  const end = async (): Promise<void> => {
    front?.[Symbol.dispose]()
    await lent?.[Symbol.asyncDispose]()
    await state[Symbol.asyncDispose]()
    if (temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const checkIsAlone = (): void => {
    if (lent !== undefined) throw new Error('a forge that shares its database has no snapshots')
    if (!temporary && config.database.kind === 'postgres') {
      throw new Error('a forge with a data folder has snapshots on SQLite only')
    }
    checkIsWithin(folder, config)
  }
  const app = await begin(config).catch((error: unknown) => {
    front?.[Symbol.dispose]()
    throw error
  })
  const forge = new Forge({ app, clock, defects, answered, state, begin, end, checkIsAlone })
  await forge.addUser('root', { isAdmin: true })
  for (const name of options.users ?? []) await forge.addUser(name)
  const { runner } = options
  if (runner !== undefined && runner !== false) await forge.startRunner(runner === true ? {} : runner)
  return forge
}

function openAgain(options: DatabaseOptions): Pick<TestDatabase, 'db' | typeof Symbol.asyncDispose> {
  const db = openDatabase(options)
  return { db, [Symbol.asyncDispose]: () => closeDatabase(db) }
}

/** Storage settings; forges with a shared data folder share their files. */
function storageIn(folder: string): NonNullable<ForgeOptions['settings']> {
  const endpoint = process.env['INGOT_TEST_STORAGE'] ?? ''
  const packs = process.env['INGOT_TEST_REPOSITORIES'] ?? ''
  return { ...(packs === '' ? {} : { repository: { STORAGE: packs } }), ...bucketOf(endpoint, folder) }
}

function bucketOf(endpoint: string, folder: string): NonNullable<ForgeOptions['settings']> {
  if (endpoint === '') return {}
  const keys = { MINIO_ACCESS_KEY_ID: 'S3RVER', MINIO_SECRET_ACCESS_KEY: 'S3RVER', MINIO_BUCKET_LOOKUP: 'path' }
  const bucket = { MINIO_ENDPOINT: endpoint, MINIO_BUCKET: 'forge', MINIO_BASE_PATH: basename(folder) }
  return { storage: { STORAGE_TYPE: 'minio', ...keys, ...bucket } }
}

/** Settings of which later ones take precedence. */
function merged(...all: readonly ForgeOptions['settings'][]): NonNullable<ForgeOptions['settings']> {
  const sections = new Set(all.flatMap((each) => Object.keys(each ?? {})))
  return Object.fromEntries(
    [...sections].map((section) => [section, Object.assign({}, ...all.map((each) => each?.[section]))]),
  )
}

/** The same as environment variables, for a program that a test starts. */
export const storageEnvironment = (folder: string): Record<string, string> => inEnvironment(storageIn(folder))

function environmentOf(settings: ForgeOptions['settings'] = {}): Record<string, string> {
  const defaults = { log: { LEVEL: 'none' }, cron: { ENABLED: false }, webhook: { ALLOWED_HOST_LIST: 'loopback' } }
  return inEnvironment({ ...defaults, ...settings })
}

/** Returns settings as environment variables, which the configuration reads without a file. */
function inEnvironment(sections: NonNullable<ForgeOptions['settings']>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sections).flatMap(([section, keys]) =>
      Object.entries(keys).map(([key, value]) => [
        `INGOT__${section.replaceAll('.', '_0X2E_')}__${key}`,
        String(value),
      ]),
    ),
  )
}

/** A running forge. */
export class Forge implements AsyncDisposable {
  readonly #parts: ForgeParts
  #app: App
  #isRunning = true
  #accounts = new Map<string, Account>()
  #runner: ForgeRunner | undefined
  readonly #snapshots = new WeakMap<Snapshot, Kept>()
  readonly clock: TestClock
  /** Unexpected errors; disposing fails when there are any. */
  readonly defects: unknown[]
  /** Every reply so far. */
  readonly answered: readonly Answered[]
  /** Creates test data: accounts, repositories, issues. */
  readonly given: Given

  constructor(parts: ForgeParts) {
    this.#parts = parts
    this.#app = parts.app
    this.clock = parts.clock
    this.defects = parts.defects
    this.answered = parts.answered
    this.given = new Given(this)
  }

  /** The running application, which is another one after `snapshot()` and `reset()`. */
  get app(): App {
    return this.#app
  }

  /** Address of the forge without a final slash. */
  get url(): string {
    return this.app.services.config.server.rootUrl.replace(/\/$/, '')
  }

  /** Services of the application. */
  get services(): Services {
    return this.app.services
  }

  /** Creates an account with `testPassword` and a token with all scopes. */
  async addUser(name: string, more: Partial<NewAccount> = {}): Promise<Account> {
    const user =
      (await findUserByName(this.services.db, name)) ??
      (await createUser(this.services, {
        name,
        email: `${name}@example.com`,
        ...('password' in more ? {} : { passwordHash: testPasswordHash }),
        ...more,
      }))
    const { token } = await createToken(this.services, user, {
      name: `test-${this.#accounts.size}-${Date.now()}`,
      scopes: ['all'],
    })
    const account = { user, token }
    this.#accounts.set(name, account)
    return account
  }

  /** Returns an account by name with its token. */
  async account(name: string): Promise<Account> {
    return this.#accounts.get(name) ?? this.addUser(name)
  }

  /** Compares the replies of the API with its description. */
  readonly #check = (exchange: Exchange): void => {
    checkDescribed(this.services.operations(), exchange)
  }

  /** Sends requests with the token of an account, creating it when it is missing. */
  as(name: string, credentials?: Credentials): ForgeClient {
    return new ForgeClient(
      this.url,
      async () => credentials ?? { token: (await this.account(name)).token },
      this.#check,
    )
  }

  /** Sends requests without credentials. */
  get guest(): ForgeClient {
    return new ForgeClient(this.url, async () => ({}), this.#check)
  }

  /** Returns the git address of a repository with an account's token in it. */
  async gitUrl(name: string, repository: string): Promise<string> {
    const url = new URL(`${this.url}/${repository}.git`)
    url.username = name
    url.password = (await this.account(name)).token
    return url.href
  }

  /** Starts a runner in this process; see `ForgeOptions.runner`. */
  async startRunner(options: { readonly labels?: readonly string[]; readonly capacity?: number } = {}): Promise<void> {
    const { json } = await this.as('root').must('GET', '/admin/runners/registration-token')
    // Loaded only when used.
    const { startForgeRunner } = await import('./runner.ts')
    this.#runner = await startForgeRunner(this.url, json.token, options)
  }

  /** Waits until no jobs are due; with a runner, also until its workflows end. */
  async settle(): Promise<void> {
    do {
      await this.services.tokenUse.flush()
      await this.services.sessionUse.flush()
      await this.app.workers.settle()
    } while (await this.#runner?.hasWorked(this.services.db))
  }

  /**
   * Keeps the state for `reset()`: rows, repositories, files, the time and the accounts that `as()` knows. Waits for due work
   * first. The application is a new one afterwards, at the same address.
   */
  async snapshot(): Promise<Snapshot> {
    this.#parts.checkIsAlone()
    await this.settle()
    await this.#runner?.pause()
    await this.#end()
    const kept: Kept = {
      state: await this.#parts.state.keep(),
      accounts: new Map(this.#accounts),
      runner: this.#runner,
      resetClock: this.clock.keep(),
    }
    await this.#beginAgain()
    const snapshot = { atMs: this.clock.nowMs() }
    this.#snapshots.set(snapshot, kept)
    return snapshot
  }

  /** Brings the state of a snapshot back, which can be used again. Requests and jobs under way end first. */
  async reset(snapshot: Snapshot): Promise<void> {
    const kept = this.#snapshots.get(snapshot)
    if (kept === undefined) throw new Error('the snapshot is one of another forge')
    if (this.#runner === kept.runner) await this.#runner?.pause()
    else await this.#runner?.stop()
    await this.#end()
    await this.#parts.state.restore(kept.state)
    this.#accounts = new Map(kept.accounts)
    this.#runner = kept.runner
    kept.resetClock()
    await this.#beginAgain()
  }

  async #end(): Promise<void> {
    if (!this.#isRunning) return
    this.#isRunning = false
    await this.#app.close()
  }

  /** Starts an application at the same address. */
  async #beginAgain(): Promise<void> {
    const { config } = this.services
    await until(async () => {
      try {
        this.#app = await this.#parts.begin(config)
        return true
      } catch (error) {
        // While nothing listened, the system gave the port to a connection of some program.
        if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
        throw error
      }
    }, 'the port of the forge')
    this.#isRunning = true
    await this.#runner?.resume()
  }

  /** Stops the server and the runner, and deletes the data. */
  async stop(): Promise<void> {
    await this.#runner?.stop()
    this.#runner = undefined
    await this.#end()
    await this.#parts.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    if (this.defects.length > 0) {
      throw new AggregateError(
        this.defects,
        `the forge met ${this.defects.length} defects: ${this.defects.map(String).join('; ')}`,
      )
    }
  }
}

/** The parts of a forge. */
interface ForgeParts {
  readonly app: App
  readonly clock: TestClock
  readonly defects: unknown[]
  readonly answered: readonly Answered[]
  readonly state: ForgeState
  /** Starts an application with the state. */
  begin(config: Config): Promise<App>
  /** Deletes the state. */
  end(): Promise<void>
  /** Throws when something beside the state belongs to the forge. */
  checkIsAlone(): void
}

/** A state of a forge that `reset()` brings back. */
export interface Snapshot {
  /** The time of the forge's clock, in milliseconds since 1970. */
  readonly atMs: number
}

interface Kept {
  readonly state: KeptState
  readonly accounts: ReadonlyMap<string, Account>
  readonly runner: ForgeRunner | undefined
  readonly resetClock: () => void
}

export interface Account {
  readonly user: UserRow
  readonly token: string
}
