/**
 * The public edge of the testing kit: `import { startForge } from 'ingot-forge/testing'`. The build publishes the
 * declarations of this file as they are, so it describes everything here and imports no types.
 */
import { startForge as start, testPassword as password } from './forge.ts'
import { commitFiles as commit, givenPull as pull } from './given-pull.ts'

export interface ForgeOptions {
  /** Settings by section and key, as in `app.ini`: `{ repository: { DEFAULT_BRANCH: 'trunk' } }`. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>
  /** Accounts that exist from the start, besides the administrator `root`; each gets an all-scopes token. */
  readonly users?: readonly string[]
  /** Time stands still at this moment (milliseconds since 1970) until `clock.advance()`; else real time. */
  readonly standAt?: number
  /** Receives log lines. Errors of requests are always kept in `defects`. */
  readonly log?: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  /** Data folder to use and keep; else a temporary one that is removed. */
  readonly dataFolder?: string
  /** Runs workflows on this machine, without containers; `settle()` waits for them. */
  readonly runner?: boolean | RunnerOptions
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface RunnerOptions {
  readonly labels?: readonly string[]
  readonly capacity?: number
}

/** A running forge. Disposing stops it, removes what it made, and throws when it met defects. */
export interface Forge extends AsyncDisposable {
  /** Address of the forge without a slash at its end. */
  readonly url: string
  /** Makes repositories, issues and organizations with sensible defaults. */
  readonly given: Given
  readonly clock: Clock
  /** Errors of requests and jobs that were no refusals. */
  readonly defects: readonly unknown[]
  /** Every answer so far. */
  readonly answered: readonly AnsweredRequest[]
  /** Makes an account with `testPassword` and an all-scopes token. */
  addUser(name: string, more?: { readonly email?: string; readonly isAdmin?: boolean }): Promise<Account>
  /** The account of a name, which is made when it is missing. */
  account(name: string): Promise<Account>
  /** Sends requests as an account, which is made when it is missing, with its token. */
  as(name: string, credentials?: Credentials): ForgeClient
  /** Sends requests without credentials. */
  readonly guest: ForgeClient
  /** Address of a repository (`owner/name`) for git, with an account's token in it. */
  gitUrl(name: string, repository: string): Promise<string>
  /** Starts a runner in this process; see `ForgeOptions.runner`. */
  startRunner(options?: RunnerOptions): Promise<void>
  /** Waits until no background work is due; with a runner, until workflows that it can run have ended. */
  settle(): Promise<void>
  /** Stops the forge without a look at `defects`. */
  stop(): Promise<void>
}

export interface Clock {
  nowMs(): number
  /** Moves the time on. */
  advance(ms: number): void
}

export interface Account {
  readonly user: { readonly id: number; readonly name: string; readonly email: string }
  readonly token: string
}

/** What a request is signed with; nothing: a guest. */
export interface Credentials {
  readonly token?: string
  readonly basic?: { readonly login: string; readonly password: string }
}

export interface AnsweredRequest {
  /** `none` when no operation was found. */
  readonly operationId: string
  readonly requestId: string
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly status: number
  readonly durationMs: number
  readonly sizeBytes: number
}

/** Sends requests as one account. Paths are below `/api/v1`. Redirects are not followed. */
export interface ForgeClient {
  readonly url: string
  get(path: string, options?: SendOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: SendOptions): Promise<Answer>
  put(path: string, body?: unknown, options?: SendOptions): Promise<Answer>
  patch(path: string, body?: unknown, options?: SendOptions): Promise<Answer>
  delete(path: string, body?: unknown, options?: SendOptions): Promise<Answer>
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>
  /** Like `send`; throws when the answer is no success. */
  must(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The path is below the site root and not below the API's. */
  readonly site?: boolean
  /** A body that is sent as it is. The content type is among `headers`, except for a form. */
  readonly raw?: string | Uint8Array | FormData
  /** Ends the request. */
  readonly signal?: AbortSignal
}

/** An answer, read whole. */
export interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
  readonly bytes: Uint8Array
  /** The decoded body; undefined when the answer is no JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into replies whose shape they state themselves
  readonly json: any
}

/** The headers of an answer; names are compared without case. */
export interface AnswerHeaders {
  get(name: string): string | null
  has(name: string): boolean
  getSetCookie(): string[]
  forEach(each: (value: string, name: string) => void): void
}

/** Makes what tests need through the API, with names that nothing else uses. */
export interface Given {
  /** A name of its own. */
  name(prefix: string): string
  /** A repository with a README on `main`, unless the options say otherwise. `files`, texts by path, are its commit instead. */
  repo(
    options?: GivenOptions<{
      readonly owner?: string
      readonly name?: string
      readonly files?: Readonly<Record<string, string>>
    }>,
  ): Promise<GivenRepo>
  /** An issue by the owner of a new repository, unless the options say otherwise. */
  issue(options?: GivenOptions<{ readonly repo?: GivenRepo; readonly poster?: string }>): Promise<GivenIssue>
  /** An organization that the owner made; gives its name. */
  org(options?: GivenOptions<{ readonly owner?: string; readonly name?: string }>): Promise<string>
}

/** Further members are fields of the request. */
export type GivenOptions<Own> = Own & Readonly<Record<string, unknown>>

/** A repository of a test. */
export interface GivenRepo {
  readonly owner: string
  readonly name: string
  /** `owner/name`. */
  readonly fullName: string
  /** Path below the API root. */
  readonly api: string
}

/** An issue of a test. */
export interface GivenIssue {
  readonly repo: GivenRepo
  readonly number: number
  /** Path below the API root. */
  readonly api: string
}

/** A pull request of a test. */
export interface GivenPull {
  readonly repo: GivenRepo
  readonly number: number
  readonly branch: string
  /** Head commit. */
  readonly head: string
  /** Path below the API root. */
  readonly api: string
}

/**
 * Boots the real application in this process on a free port, with its own data folder and database. Several forges in
 * one process do not meet. Disposing stops it and removes what it made.
 */
export const startForge: (options?: ForgeOptions) => Promise<Forge> = (options) =>
  start({ ...options, stallMs: 10_000 })

/** A password that every account of a test has. */
export const testPassword: string = password

/** Creates an open pull request with one new file, by the owner of a new repository unless the options say otherwise. */
export const givenPull: (
  forge: Forge,
  options?: GivenOptions<{
    readonly repo?: GivenRepo
    readonly poster?: string
    readonly branch?: string
    readonly base?: string
  }>,
) => Promise<GivenPull> = pull

/**
 * Commits files, by path, to a branch as the owner of the repository; returns the commit. A branch that does not exist
 * begins at `from`, by default `main`.
 */
export const commitFiles: (
  forge: Forge,
  repo: GivenRepo,
  branch: string,
  files: Readonly<Record<string, string>>,
  options?: { readonly as?: string; readonly from?: string; readonly message?: string },
) => Promise<string> = commit
