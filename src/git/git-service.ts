import type { Readable } from 'node:stream'
import type { Oid } from '../lib/ids.ts'
import type { GitKey } from './git-key.ts'

/**
 * The objects of a push that the repository does not have yet; valid until the `checkPush` call that receives it
 * settles.
 */
export type Quarantine = { readonly key: GitKey; readonly path: string }

export type UploadPackRequest = {
  /** Value of `Git-Protocol` or `GIT_PROTOCOL`; malformed values are ignored. */
  readonly protocol?: string
  /**
   * true: one request and one response over HTTP; false: a whole conversation over SSH. In both cases git starts only
   * when the client has sent what git needs.
   */
  readonly stateless: boolean
  /** HTTP `info/refs`: write only the advertisement, without the `# service=` packet. */
  readonly advertise?: boolean
  /** The decompressed request; absent with `advertise`. */
  readonly body?: Readable
  /** Aborted when the client disconnects; kills git and its children. */
  readonly signal?: AbortSignal
  /** The account of resources that this client uses; unlimited when absent. */
  readonly share?: ClientShare
}

/** What one client may use of shared resources. */
export type ClientShare = {
  /** Identifies the client among all others. */
  readonly who: string
  /**
   * Takes a slot right before git starts, once git needs nothing more from the client to begin. Resolves with the
   * function that releases the slot; rejects when no slot becomes free.
   */
  readonly admit: (signal: AbortSignal | undefined) => Promise<() => void>
  /** Disk space for output of git that the client has not read yet. */
  readonly room?: { tryTake(bytes: number): boolean; release(bytes: number): void }
}

/** A running service. The caller must read or destroy `output`; destroying it kills git. */
export type GitService = {
  readonly output: Readable
  /** Rejects with `Unavailable` when the broker dies or a deadline passes, never because of git's exit code. */
  readonly finished: Promise<{ readonly exitCode: number; readonly stderr: string }>
}

/** Scripts of one repository that run in a push. */
export const customHookNames = ['pre-receive', 'update', 'post-receive'] as const
export type CustomHookName = (typeof customHookNames)[number]

/** A file of the object store, for clients of the dumb protocol. */
export type StoredFile = { readonly sizeBytes: number; read(): Readable }

export type PushedUpdate = { readonly ref: string; readonly old: Oid; readonly new: Oid }

export type PushCheck = {
  readonly updates: readonly PushedUpdate[]
  readonly pushOptions: readonly string[]
  /** Reads with it see the objects of this push. */
  readonly quarantine: Quarantine
  /** Whether the verdict may refuse references one by one: there are several, and the client did not ask for all or none. */
  readonly isDivisible: boolean
}

/** A reference that a push may not move, although others move. */
export type RefusedRef = { readonly ref: string; readonly reason: string }

/** The outcome of a push to one topic reference (`refs/for/*`), for git's proc-receive protocol. */
export type TopicOutcome =
  | { readonly ref: string; readonly ok: false; readonly message: string }
  | {
      readonly ref: string
      readonly ok: true
      /** The reference that the client reports as changed instead. */
      readonly reported?: { readonly ref: string; readonly old?: Oid; readonly new?: Oid; readonly forced?: boolean }
    }

export type ReceiveCallbacks = {
  /** Whether the scripts of the repository (`writeCustomHook`) run after the callbacks accepted. Default false. */
  readonly customHooks?: boolean
  /**
   * Called while the objects are in quarantine. A refusal refuses the whole push; the client shows `lines` as `remote:`
   * lines.
   */
  readonly checkPush: (
    push: PushCheck,
  ) => Promise<
    { ok: true; lines?: readonly string[]; refused?: readonly RefusedRef[] } | { ok: false; lines: readonly string[] }
  >
  /**
   * Moves the references of an accepted push, whose objects are in the repository and durable. Returns those that did not
   * move. git moves none itself.
   */
  readonly moveRefs: (push: {
    updates: readonly PushedUpdate[]
    /** Whether some may move when others do not. */
    isDivisible: boolean
  }) => Promise<readonly RefusedRef[]>
  /** Called after references moved, with exactly those; the client shows the lines. */
  readonly hints?: (updates: readonly PushedUpdate[]) => Promise<readonly string[]>
  /**
   * Called after `checkPush` for references below `refs/for/`, with the objects in the repository. Without it such
   * references are refused.
   */
  readonly handleTopics?: (push: {
    updates: readonly PushedUpdate[]
    pushOptions: readonly string[]
  }) => Promise<{ outcomes: readonly TopicOutcome[]; lines?: readonly string[] }>
}

export type ReceivePackRequest = UploadPackRequest & {
  readonly callbacks: ReceiveCallbacks
  /** Largest pack, in bytes; default from the options. */
  readonly maxPackBytes?: number
}
