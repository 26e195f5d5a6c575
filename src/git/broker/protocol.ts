/** Requests of the server to the broker, and their results. Both come from the same build. */

/** The kind of slot that a command takes; each kind has its own slots and queue. */
export type CommandKind = 'read' | 'write' | 'fetch' | 'push' | 'archive' | 'download' | 'maintenance'

export type BrokerSettings = {
  readonly op: 'settings'
  readonly gitBinary: string
  readonly environment: Readonly<Record<string, string>>
  readonly slots: Readonly<Record<CommandKind, number>>
  readonly waiting: number
  readonly waitMs: number
  readonly pooledProcesses: number
  readonly pooledIdleMs: number
  readonly readTimeoutMs: number
  readonly hookTimeoutMs: number
  readonly maxHookBytes: number
}

export type RunRequest = {
  readonly op: 'run'
  readonly name: string
  readonly kind: CommandKind
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  /** Whether standard input follows on the stream. */
  readonly input: boolean
  readonly timeoutMs: number
  /** Ends the command after this time without input or output. */
  readonly idleMs?: number
  /** Passes the descriptors of the hooks to the command. */
  readonly hooks?: boolean
}

export type RunResult = {
  readonly exitCode: number
  readonly stderr: string
  readonly ms: number
}

/**
 * A read by a pooled process. The reply is the raw output of `cat-file --batch-command`. `blob` must be the only
 * command of its request; above `maxBytes` the reply is `<oid> blob <size> large` without content. A commit or tag
 * above `maxTextObjectBytes`, for `beginning` above `maxListedObjectBytes`, gives `<oid> <type> <size> cut` and its
 * beginning.
 */
export type CatRequest = {
  readonly op: 'cat'
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
  readonly commands: readonly CatCommand[]
}

/**
 * Commits and tags are truncated to this size, because pages hold many of them. Larger ones cannot be written or
 * pushed, but imported histories may have them.
 */
export const maxTextObjectBytes = 1 << 20

/** Commits and tags of lists are truncated to this size, because a list may have thousands. */
export const maxListedObjectBytes = 64 << 10

export type CatCommand = readonly ['info' | 'contents' | 'beginning', string] | readonly ['blob', string, number]

/** Ends the pooled readers of a repository that was removed, or of a finished quarantine. */
export type ReleaseRequest = { readonly op: 'release'; readonly directory: string; readonly quarantine?: string }

export type BrokerRequest = BrokerSettings | RunRequest | CatRequest | ReleaseRequest

/** A question of a hook. Reference names and options are valid UTF-8. */
export type HookQuestion = {
  readonly hook: 'pre-receive' | 'post-receive' | 'proc-receive'
  readonly quarantine: string
  readonly options: readonly string[]
  readonly updates: ReadonlyArray<{ readonly ref: string; readonly old: string; readonly new: string }>
}

export type HookAnswer = {
  readonly accepted: boolean
  readonly lines: readonly string[]
  /** Whether the scripts of the repository run as well. */
  readonly custom?: boolean
  /** For proc-receive: reply lines (`ok <ref>`, `ng <ref> <reason>`, `option …`). */
  readonly outcomes?: readonly string[]
}

/** A message on the stream of a running command. */
export type BrokerMessage = { readonly started: number } | { readonly question: HookQuestion }
