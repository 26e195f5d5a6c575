import { hashSync } from '@node-rs/argon2'
import { mkdtempSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createApp, type App } from '../app.ts'
import type { Services } from '../access/context.ts'
import type { Feature } from '../access/feature.ts'
import { loadConfig } from '../config/load-config.ts'
import { closeDatabase, openDatabase, type DatabaseOptions } from '../db/open.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Answered } from '../http/server.ts'
import type { Clock } from '../lib/time.ts'
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
import { Given } from './given.ts'
import type { ForgeRunner } from './runner.ts'

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
 * service with the bucket `forge` instead of the data folder.
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
    env: environmentOf({ ...storageIn(folder), ...shared, ...options.settings, ...fronted }),
    cwd: folder,
    overrides: { dataFolder: folder, host: '127.0.0.1', port: 0, sshPort: 0 },
  })
  const database = options.database ? openAgain(options.database) : temporary ? await openTestDatabase() : undefined
  const defects: unknown[] = []
  const answered: Answered[] = []
  const app = await createApp({
    config,
    clock,
    log: (level, message, data) => {
      if (level === 'error') defects.push(data?.['error'] ?? new Error(message))
      options.log?.(level, message, data)
    },
    ...(database ? { db: database.db } : {}),
    validateReplies: true,
    git: { durable: false, spares: spareBrokers },
    spareThreads,
    ...(options.features ? { features: options.features } : {}),
    answered: (facts) => answered.push(facts),
  }).catch((error: unknown) => {
    front?.[Symbol.dispose]()
    throw error
  })
  const at = await app.listen()
  if (typeof at !== 'string') front?.leadTo(at.port)
  const forge = new Forge(app, clock, defects, answered, async () => {
    await app.close()
    front?.[Symbol.dispose]()
    await database?.[Symbol.asyncDispose]()
    if (temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
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
  if (endpoint === '') return {}
  const keys = { MINIO_ACCESS_KEY_ID: 'S3RVER', MINIO_SECRET_ACCESS_KEY: 'S3RVER', MINIO_BUCKET_LOOKUP: 'path' }
  const place = { MINIO_ENDPOINT: endpoint, MINIO_BUCKET: 'forge', MINIO_BASE_PATH: basename(folder) }
  return { storage: { STORAGE_TYPE: 'minio', ...keys, ...place } }
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
  readonly #accounts = new Map<string, Account>()
  #runner: ForgeRunner | undefined
  /** Creates test data: accounts, repositories, issues. */
  readonly given: Given

  constructor(
    readonly app: App,
    readonly clock: Clock & { advance(ms: number): void },
    /** Unexpected errors; disposing fails when there are any. */
    readonly defects: unknown[],
    /** Every reply so far. */
    readonly answered: readonly Answered[],
    private readonly stopApp: () => Promise<void>,
  ) {
    this.given = new Given(this)
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

  /** Stops the server and the runner, and deletes the data. */
  async stop(): Promise<void> {
    await this.#runner?.stop()
    this.#runner = undefined
    await this.stopApp()
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

export interface Account {
  readonly user: UserRow
  readonly token: string
}
