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
import { createToken } from '../users/credentials/token.service.ts'
import { createUser, type NewAccount } from '../users/user.service.ts'
import { findUserByName } from '../users/user.store.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { ForgeClient, type Credentials } from './client.ts'
import { TestClock } from './clock.ts'
import { Given } from './given.ts'
import type { ForgeRunner } from './runner.ts'

export interface ForgeOptions {
  /** Settings by section and key, as in `app.ini`: `{ repository: { DEFAULT_BRANCH: 'trunk' } }`. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>
  /** Accounts that are there from the start, besides the administrator `root`; each gets an all-scopes token. */
  readonly users?: readonly string[]
  /** Time stands still at this moment (milliseconds since 1970) until `clock.advance()`; else real time. */
  readonly standAt?: number
  /** Where log lines go; nowhere unless given. Errors of requests are always kept in `defects`. */
  readonly log?: Log
  /** Data folder to use and keep; else a temporary one that is removed. */
  readonly dataFolder?: string
  /** Parts that only the test has. */
  readonly features?: readonly Feature[]
  /** Database to share with another forge, as processes of one instance do; they share the data folder as well. */
  readonly database?: DatabaseOptions
  /** Runs workflows on this machine, without containers, and has `settle()` wait for them. What files say is run as it is. */
  readonly runner?: boolean | { readonly labels?: readonly string[]; readonly capacity?: number }
}

/** A password that every account of a test has. */
export const testPassword = 'Passw0rd!'

/**
 * Boots the real application in this process on a free port, with its own data folder and database. Several forges in
 * one process do not meet. Disposing stops it and removes what it made.
 *
 * The database is SQLite in a temporary folder, or PostgreSQL when the environment's `INGOT_TEST_DATABASE` names a server; files lie in
 * the data folder, or in the bucket `forge` of an S3 service when `INGOT_TEST_STORAGE` names one (`host:port`).
 */
export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const temporary = options.dataFolder === undefined
  const folder = options.dataFolder ?? mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ingot-forge-'))
  const clock = new TestClock(options.standAt)
  // A process that shares its database with others does not take their work at its start.
  const shared: ForgeOptions['settings'] =
    options.database?.kind === 'postgres' ? { database: { DB_TYPE: 'postgres' } } : {}
  const { config } = loadConfig({
    env: environmentOf({ ...storageIn(folder), ...shared, ...options.settings }),
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
    git: { durable: false },
    ...(options.features ? { features: options.features } : {}),
    answered: (facts) => answered.push(facts),
  })
  await app.listen()
  const forge = new Forge(app, clock, defects, answered, async () => {
    await app.close()
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

/** Where files lie when a service for them is named: forges that share a data folder share them, too. */
function storageIn(folder: string): NonNullable<ForgeOptions['settings']> {
  const endpoint = process.env['INGOT_TEST_STORAGE'] ?? ''
  if (endpoint === '') return {}
  const keys = { MINIO_ACCESS_KEY_ID: 'S3RVER', MINIO_SECRET_ACCESS_KEY: 'S3RVER', MINIO_BUCKET_LOOKUP: 'path' }
  const place = { MINIO_ENDPOINT: endpoint, MINIO_BUCKET: 'forge', MINIO_BASE_PATH: basename(folder) }
  return { storage: { STORAGE_TYPE: 'minio', ...keys, ...place } }
}

/** The same for a program that a test starts as a process: variables of its environment. */
export const storageEnvironment = (folder: string): Record<string, string> => inEnvironment(storageIn(folder))

function environmentOf(settings: ForgeOptions['settings'] = {}): Record<string, string> {
  const defaults = { log: { LEVEL: 'none' }, cron: { ENABLED: false }, webhook: { ALLOWED_HOST_LIST: 'loopback' } }
  return inEnvironment({ ...defaults, ...settings })
}

/** Settings in the form of environment variables, which is how the configuration takes them without a file. */
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

/** A running forge of a test or of a program that needs one. */
export class Forge implements AsyncDisposable {
  readonly #accounts = new Map<string, Account>()
  #runner: ForgeRunner | undefined
  /** Makes things with sensible defaults: accounts, repositories, issues. */
  readonly given: Given

  constructor(
    readonly app: App,
    readonly clock: Clock & { advance(ms: number): void },
    /** Errors that were no refusals; a test fails on disposal when there are any. */
    readonly defects: unknown[],
    /** Every answer so far. */
    readonly answered: readonly Answered[],
    readonly stop: () => Promise<void>,
  ) {
    this.given = new Given(this)
  }

  /** Address of the forge without a slash at its end. */
  get url(): string {
    return this.app.services.config.server.rootUrl.replace(/\/$/, '')
  }

  /** What the application itself works with. */
  get services(): Services {
    return this.app.services
  }

  /** Makes an account with `testPassword` and an all-scopes token. */
  async addUser(name: string, more: Partial<NewAccount> = {}): Promise<Account> {
    const user =
      (await findUserByName(this.services.db, name)) ??
      (await createUser(this.services, { name, email: `${name}@example.com`, password: testPassword, ...more }))
    const { token } = await createToken(this.services, user, {
      name: `test-${this.#accounts.size}-${Date.now()}`,
      scopes: ['all'],
    })
    const account = { user, token }
    this.#accounts.set(name, account)
    return account
  }

  /** The account of a name, with its all-scopes token. */
  async account(name: string): Promise<Account> {
    return this.#accounts.get(name) ?? this.addUser(name)
  }

  /** Sends requests as an account, which is made when it is missing, with its token. */
  as(name: string, credentials?: Credentials): ForgeClient {
    return new ForgeClient(this.url, async () => credentials ?? { token: (await this.account(name)).token })
  }

  /** Sends requests without credentials. */
  get guest(): ForgeClient {
    return new ForgeClient(this.url, async () => ({}))
  }

  /** Address of a repository for git, with an account's token in it. */
  async gitUrl(name: string, repository: string): Promise<string> {
    const url = new URL(`${this.url}/${repository}.git`)
    url.username = name
    url.password = (await this.account(name)).token
    return url.href
  }

  /** Starts a runner in this process; see `ForgeOptions.runner`. */
  async startRunner(options: { readonly labels?: readonly string[]; readonly capacity?: number } = {}): Promise<void> {
    const { json } = await this.as('root').must('GET', '/admin/runners/registration-token')
    // Loaded for those who ask for it: others need nothing of it.
    const { startForgeRunner } = await import('./runner.ts')
    this.#runner = await startForgeRunner(this.url, json.token, options)
  }

  /** Waits until no work is due: jobs, subscribers and what follows from them; with a runner, workflows that it can run. */
  async settle(): Promise<void> {
    do {
      await this.services.tokenUse.flush()
      await this.services.sessionUse.flush()
      await this.app.workers.settle()
    } while (await this.#runner?.hasWorked(this.services.db))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner?.stop()
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
