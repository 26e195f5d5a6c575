/** The requests that the server sends to the broker, and their results. Both run from the same build. */

/** Which slots a command takes; each kind has its own number of slots and its own queue. */
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
  /** Whether bytes for its standard input follow on the stream. */
  readonly input: boolean
  readonly timeoutMs: number
  /** Ends the command when it neither reads nor writes for so long. */
  readonly idleMs?: number
  /** Gives it the descriptors that the hooks talk over. */
  readonly hooks?: boolean
}

export type RunResult = {
  readonly exitCode: number
  readonly stderr: string
  readonly ms: number
}

/**
 * Reads from a long-lived process. The reply is the raw output of `cat-file --batch-command`; `blob` (alone in its
 * request) gives `<oid> blob <size> large` without content above `maxBytes`; a commit or tag above `maxTextObjectBytes`
 * gives `<oid> <type> <size> cut` and its first so many bytes.
 */
export type CatRequest = {
  readonly op: 'cat'
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>>
  readonly commands: readonly CatCommand[]
}

/**
 * Of a commit or a tag that is larger, only so many bytes are read: pages hold many of them. What is written or pushed
 * here is never larger; histories of elsewhere may be.
 */
export const maxTextObjectBytes = 1 << 20

export type CatCommand = readonly ['info' | 'contents', string] | readonly ['blob', string, number]

/** Ends the long-lived processes of a repository (it was removed, or a quarantine is over). */
export type ReleaseRequest = { readonly op: 'release'; readonly directory: string; readonly quarantine?: string }

export type BrokerRequest = BrokerSettings | RunRequest | CatRequest | ReleaseRequest

/** What a hook asks. Reference names and options are UTF-8; others were refused before. */
export type HookQuestion = {
  readonly hook: 'pre-receive' | 'post-receive' | 'proc-receive'
  readonly quarantine: string
  readonly options: readonly string[]
  readonly updates: ReadonlyArray<{ readonly ref: string; readonly old: string; readonly new: string }>
}

export type HookAnswer = {
  readonly accepted: boolean
  readonly lines: readonly string[]
  /** The repository's own scripts run as well. */
  readonly custom?: boolean
  /** For proc-receive: lines of the reply in git's protocol (`ok <ref>`, `ng <ref> <reason>`, `option …`). */
  readonly outcomes?: readonly string[]
}

/** Sent on a stream while it lasts. */
export type BrokerMessage = { readonly started: number } | { readonly question: HookQuestion }
