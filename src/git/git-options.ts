import type { CacheBudget } from '../lib/cache-budget.ts'
import type { SpareBrokers } from './broker/broker-process.ts'
import type { CommandKind } from './broker/protocol.ts'
import type { RefSource } from './git.ts'
import type { PackStore } from './packs/pack-store.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A git command that ended. `name` is the subcommand, such as `upload-pack`. */
export type CommandReport = { readonly name: string; readonly ms: number; readonly exitCode: number | undefined }

export type { CommandKind }

/** A git command that is about to start. `kind` is the kind of its slot. */
export type BegunCommand = { readonly name: string; readonly kind: CommandKind }

export type GitOptions = {
  readonly repositoriesRoot: string
  /** Default `git`, found in the search path. */
  readonly gitBinary?: string
  readonly log?: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  readonly onCommand?: (report: CommandReport) => void
  /** Called before a command starts, in the asynchronous context of its caller. What it throws the caller receives. */
  readonly onBegin?: (command: BegunCommand) => void
  /** Whether objects and references are synced to disk before a call returns. Default true; tests disable it. */
  readonly durable?: boolean
  /** Whether other machines work on the same repositories. Default false. */
  readonly shared?: boolean
  /** What decides the references; default: the repositories on the disk. */
  readonly source?: RefSource
  /** Where packs are durable; default: on the disk. */
  readonly packs?: PackStore | undefined
  /** What copies may take on the disk when packs are durable elsewhere. */
  readonly copyBudget?: CopyBudget
  /** Age in milliseconds at which a lock counts as abandoned, where the system cannot say whether its process lives. */
  readonly lockAgeMs?: number
  readonly limits?: Partial<GitLimits>
  /** Memory for caches; default: a budget of its own. */
  readonly caches?: CacheBudget
  /** The broker's bundle; default: beside the program. */
  readonly brokerFile?: string
  /** Takes an idle broker from here and leaves it here at the end, for tests that start many git layers. */
  readonly spares?: SpareBrokers
}

/** What copies may take on the disk, where objects are elsewhere. */
export type CopyBudget = {
  readonly bytes: number
  /** A copy that was used within this time is not evicted: objects may be written to it before a change names them. */
  readonly idleMs: number
}

export type GitLimits = {
  /** Concurrent one-shot reads. */
  readonly readProcesses: number
  readonly writeProcesses: number
  /** Concurrent commands that serve clients, per kind. */
  readonly fetchProcesses: number
  readonly pushProcesses: number
  readonly archiveProcesses: number
  readonly downloadProcesses: number
  /** Commands of one kind that may wait for a slot; further ones fail with `Unavailable`. */
  readonly waiting: number
  readonly waitMs: number
  /** Long-lived readers in total, and how long an idle one lives. */
  readonly pooledProcesses: number
  readonly pooledIdleMs: number
  /** The broker exits after this time without a request. */
  readonly brokerIdleMs: number
  /** A pooled read without an answer fails after this time. */
  readonly readTimeoutMs: number
  /** Deadline of a one-shot command. */
  readonly commandTimeoutMs: number
  /** Deadline of a fetch, push or archive, and its longest silence. */
  readonly transportTimeoutMs: number
  readonly transportIdleMs: number
  /** How long a hook waits for the server's answer. */
  readonly hookTimeoutMs: number
  readonly maxPackBytes: number
  readonly maxRefUpdates: number
  /** Disk space for packs kept for repeated clones, and their lifetime after the last request. */
  readonly keptFetchBytes: number
  readonly keptFetchIdleMs: number
}
