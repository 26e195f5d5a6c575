/**
 * What the forge can do with repositories. Only types live here; `startGit` (start-git.ts) gives the value.
 *
 * Errors of all calls: `NotFound` when the repository or object does not exist (or is of another type), `Invalid` for
 * names and ids that are malformed, `TooLarge` for a passed limit, `Unavailable` when git cannot answer now (the
 * broker died, the disk is full, too many requests wait, a deadline passed).
 */
import type { Readable } from 'node:stream'
import type { CacheBudget } from '../lib/cache-budget.ts'
import type { Oid } from '../lib/ids.ts'
import type { GitKey } from './git-key.ts'
import type { TreeLimits } from './objects/measure-tree.ts'

export type ObjectFormat = 'sha1' | 'sha256'
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** A push whose objects are not yet part of the repository; valid until the `checkPush` call that got it settles. */
export type Quarantine = { readonly key: GitKey; readonly path: string }

/** A repository seen together with the objects of another one, which stay where they are: to compare across forks. */
export type Together = { readonly key: GitKey; readonly with: GitKey }

/**
 * Where to read: a repository, a repository as it would be with the objects of a push under examination, or two
 * repositories at once.
 */
export type ReadFrom = GitKey | Quarantine | Together

/** Who and when. `offsetMinutes` is east of UTC (120 is `+0200`). */
export type Identity = {
  readonly name: string
  readonly email: string
  readonly unixSeconds: number
  readonly offsetMinutes: number
}

export type Commit = {
  readonly oid: Oid
  readonly tree: Oid
  readonly parents: readonly Oid[]
  readonly author: Identity
  readonly committer: Identity
  /** Complete, with its final newline; decoded by the commit's `encoding` header, else UTF-8. */
  readonly message: string
  /** The armoured signature (`gpgsig`), without the leading spaces of its continuation lines. */
  readonly signature?: string
  /** The exact bytes that were signed; present with `signature`. */
  readonly signedPayload?: Buffer
}

export type Tag = {
  readonly oid: Oid
  readonly target: Oid
  readonly targetType: ObjectType
  readonly name: string
  /** Absent in some very old tags. */
  readonly tagger?: Identity
  /** Without the signature, with its final newline. */
  readonly message: string
  readonly signature?: string
  readonly signedPayload?: Buffer
}

/** `mode` has six digits (`100644`, `100755`, `120000`, `040000`, `160000`); `commit` is a submodule. */
export type TreeEntry = {
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly oid: Oid
  readonly name: string
}

/** An entry with its path from the root of the tree that was asked; `sizeBytes` only when it was asked for. */
export type PathEntry = TreeEntry & { readonly path: string; readonly sizeBytes?: number }

export type Resolved = {
  /** The object the name stands for: a tag object for an annotated tag. */
  readonly oid: Oid
  readonly type: ObjectType
  /** The commit below (tags peeled); absent when there is none. */
  readonly commit?: Oid
  /** The full reference the name was found as; absent for ids. */
  readonly ref?: string
}

export type Ref = {
  /** Full name. */
  readonly name: string
  readonly oid: Oid
  readonly type: ObjectType
  /** What an annotated tag finally points at; equals `oid` for everything else. */
  readonly peeled: Oid
  readonly peeledType: ObjectType
}

/** A reference name and its value, with nothing read from the object store. */
export type BareRef = { readonly name: string; readonly oid: Oid }

export type Blob = {
  readonly oid: Oid
  readonly sizeBytes: number
  /** Absent when the blob is larger than `maxBytes`. */
  readonly content?: Buffer
}

export type LogQuery = {
  /** Commits to start at; the newest first in git's default order. */
  readonly from: readonly Oid[]
  /** Commits whose history is left out. */
  readonly not?: readonly Oid[]
  /** File or folder, taken literally; no renames are followed. */
  readonly path?: string
  readonly firstParent?: boolean
  /** Oldest first. */
  readonly reverse?: boolean
  readonly skip?: number
  readonly limit?: number
  /** Without merges (commits of two and more parents). */
  readonly noMerges?: boolean
  readonly sinceUnix?: number
  readonly untilUnix?: number
  readonly signal?: AbortSignal
}

export type FileStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'changed'

export type FileChange = {
  readonly status: FileStatus
  /** The new path; for deletions the path that is gone. */
  readonly path: string
  /** For renames and copies. */
  readonly oldPath?: string
  readonly oldMode: string
  readonly newMode: string
  /** All zeros where there is no such side. */
  readonly oldOid: Oid
  readonly newOid: Oid
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
  /** 0–100 for renames and copies. */
  readonly similarity?: number
}

export type DiffQuery = {
  /** A commit or tree; undefined compares with nothing (the first commit). */
  readonly base: Oid | undefined
  readonly head: Oid
  readonly whitespace?: 'ignore-all' | 'ignore-change' | 'ignore-eol' | 'show-all'
  /** Default true. */
  readonly renames?: boolean
  readonly paths?: readonly string[]
  readonly signal?: AbortSignal
}

export type DiffTextQuery = DiffQuery & {
  /** Whole binary deltas and full index ids, so that the text can be applied. */
  readonly binary?: boolean
  /** Default 3. */
  readonly contextLines?: number
}

/** One file of a change: `delete` of a folder removes all below; modes are `100644`, `100755`, `120000`, `160000`. */
export type TreeChange =
  | {
      readonly op: 'write'
      readonly path: string
      readonly mode?: string
      readonly content: Buffer | BlobSource | { oid: Oid }
    }
  | { readonly op: 'delete'; readonly path: string }

/** What is to become of one file. */
export type FileEdit = {
  readonly operation: 'create' | 'update' | 'delete'
  readonly path: string
  /** An update that moves the file: where it is now. */
  readonly fromPath?: string | undefined
  readonly content: Buffer
  /** What the file must be now; unchecked when absent. */
  readonly expectedOid?: string | undefined
}

/** Why an edit does not fit what is there; `path` is where. */
export type EditProblem =
  | { readonly reason: 'missing' | 'is_folder' | 'no_folder'; readonly path: string }
  | { readonly reason: 'other_content'; readonly path: string; readonly found: Oid }
  | { readonly reason: 'taken'; readonly path: string; readonly by: 'folder' | 'file' }

export type PlannedEdits =
  | { readonly ok: true; readonly changes: readonly TreeChange[] }
  | { readonly ok: false; readonly edit: FileEdit; readonly problem: EditProblem }

/** Small blobs of the history of all references, or of that of `from` without that of `not`. */
export type SmallBlobQuery = {
  readonly from?: readonly Oid[]
  readonly not?: readonly Oid[]
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export type BlobSource = { readonly stream: Readable; readonly sizeBytes: number }

/** Makes the armoured signature of the bytes of a commit or tag. */
export type Sign = (payload: Buffer) => Promise<string>

export type NewCommit = {
  readonly parents: readonly Oid[]
  /** The tree, or a base tree (undefined: empty) with changes made on top in order. */
  readonly tree: Oid | { readonly base: Oid | undefined; readonly changes: readonly TreeChange[] }
  readonly author: Identity
  readonly committer: Identity
  /** A final newline is added when missing, unless the message is whole. */
  readonly message: string
  readonly isMessageWhole?: boolean
  readonly sign?: Sign
}

/** The first commit of a new repository, with files of its root alone. */
export type FirstCommit = {
  readonly files: readonly { readonly name: string; readonly content: Buffer }[]
  readonly author: Identity
  readonly committer: Identity
  readonly message: string
  readonly sign?: Sign
}

export type NewRepositoryOptions = {
  /** Default `main`. */
  readonly defaultBranch?: string
  /** Default `sha1`. */
  readonly objectFormat?: ObjectFormat
  /** What the default branch begins with; without it there is no branch. */
  readonly first?: FirstCommit | undefined
}

/** What a new repository takes on the disk, and its first commit where one was asked for. */
export type MadeRepository = { readonly sizeBytes: number; readonly first: Oid | undefined }

export type NewTag = {
  readonly name: string
  readonly target: Oid
  readonly targetType: ObjectType
  readonly tagger: Identity
  readonly message: string
  readonly sign?: Sign
}

/**
 * `old`: the value it must have now (all zeros: must not exist); undefined: whatever it is. `new` all zeros deletes.
 */
export type RefUpdate = { readonly ref: string; readonly old: Oid | undefined; readonly new: Oid }

/**
 * stale: it is not at `old`; exists: it was to be new; conflict: `a` and `a/b` cannot both exist; invalid: name or
 * object.
 */
export type RefUpdateResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: 'stale' | 'exists' | 'conflict' | 'invalid'
      readonly ref: string
      readonly message: string
    }

export type MergeTreeResult =
  | { readonly clean: true; readonly tree: Oid }
  /** `tree` holds conflict markers; `conflicts` are paths; `messages` are git's own, for people. */
  | {
      readonly clean: false
      readonly tree: Oid
      readonly conflicts: readonly string[]
      readonly messages: readonly string[]
    }
  /** The two have no common ancestor and no base was given. */
  | {
      readonly clean: false
      readonly unrelated: true
      readonly conflicts: readonly string[]
      readonly messages: readonly string[]
    }

export type RebaseResult =
  | { readonly ok: true; readonly tip: Oid; readonly commits: readonly Oid[] }
  /** `commit` is the one that could not be replayed. */
  | {
      readonly ok: false
      readonly commit: Oid
      readonly conflicts: readonly string[]
      readonly messages: readonly string[]
    }

export type RebaseRequest = {
  readonly onto: Oid
  readonly from: Oid
  readonly upstream: Oid
  readonly committer: Identity
  readonly rewriteAll?: boolean
  readonly sign?: Sign
}

export type CherryPick = {
  readonly commit: Oid
  readonly onto: Oid
  readonly mainline?: number
  readonly revert?: boolean
  /** Default: the author of the commit (the committer for a revert). */
  readonly author?: Identity
  readonly committer: Identity
  readonly message?: string
  readonly sign?: Sign
}

export type UploadPackRequest = {
  /** Value of `Git-Protocol` / `GIT_PROTOCOL`, already checked by the caller's rule; others are ignored. */
  readonly protocol?: string
  /**
   * true: stateless-rpc over HTTP (`advertise` or one request body); false: the whole conversation over SSH, in which git is
   * started when the client has said what it wants.
   */
  readonly stateless: boolean
  /** HTTP `info/refs`: only the advertisement is written, without the `# service=` packet. */
  readonly advertise?: boolean
  /** What the client sends (already decompressed); none with `advertise`. */
  readonly body?: Readable
  /** Aborted when the client goes away: git and its children are killed. */
  readonly signal?: AbortSignal
  /** Where git's work for this client is counted; nowhere unless given. */
  readonly share?: ClientShare
}

/** What one client takes of what all need. */
export type ClientShare = {
  /** Stands for whoever asks; others are told apart by it. */
  readonly who: string
  /**
   * Asked for a place right before git is started, when all that it needs of the client is there. Gives what is called
   * when git has ended; rejects when there is none.
   */
  readonly place: (signal: AbortSignal | undefined) => Promise<() => void>
  /** Room on the disk for what git has made and the client has not taken yet. */
  readonly room?: { tryTake(bytes: number): boolean; release(bytes: number): void }
}

/** A running service: what git writes, and how it ended. `output` must be read or destroyed (destroying kills git). */
export type GitService = {
  readonly output: Readable
  /**
   * Never rejects because of git's own exit code; rejects with `Unavailable` when the broker dies or a deadline passes.
   */
  readonly finished: Promise<{ readonly exitCode: number; readonly stderr: string }>
}

/** Scripts of a repository that run in a push. */
export const customHookNames = ['pre-receive', 'update', 'post-receive'] as const
export type CustomHookName = (typeof customHookNames)[number]

/** A file of an object store, for clients that fetch files one by one. */
export type StoredFile = { readonly sizeBytes: number; read(): Readable }

export type PushedUpdate = { readonly ref: string; readonly old: Oid; readonly new: Oid }

export type PushCheck = {
  readonly updates: readonly PushedUpdate[]
  readonly pushOptions: readonly string[]
  /** Reads through it see the objects of this push. */
  readonly quarantine: Quarantine
}

/** What became of one reference of the topic flow (`refs/for/*`), in the words of git's proc-receive protocol. */
export type TopicOutcome =
  | { readonly ref: string; readonly ok: false; readonly message: string }
  | {
      readonly ref: string
      readonly ok: true
      /** What the client is told was changed instead. */
      readonly reported?: { readonly ref: string; readonly old?: Oid; readonly new?: Oid; readonly forced?: boolean }
    }

export type ReceiveCallbacks = {
  /** Whether the repository's own scripts (`writeCustomHook`) run after what the callbacks said. Default false. */
  readonly customHooks?: boolean
  /**
   * While objects are in quarantine. A refusal refuses the whole push; `lines` are shown to the client as `remote:`
   * lines.
   */
  readonly checkPush: (
    push: PushCheck,
  ) => Promise<{ ok: true; lines?: readonly string[] } | { ok: false; lines: readonly string[] }>
  /** After the references moved, with exactly those that did; `lines` are shown to the client. */
  readonly recordRefUpdates: (push: {
    updates: readonly PushedUpdate[]
    pushOptions: readonly string[]
  }) => Promise<{ lines: readonly string[] }>
  /** References below `refs/for/`, after checkPush, objects already in the repository. Without it they are refused. */
  readonly handleTopics?: (push: {
    updates: readonly PushedUpdate[]
    pushOptions: readonly string[]
  }) => Promise<{ outcomes: readonly TopicOutcome[]; lines?: readonly string[] }>
}

export type ReceivePackRequest = UploadPackRequest & {
  readonly callbacks: ReceiveCallbacks
  /** Largest pack accepted, in bytes; default from the options. */
  readonly maxPackBytes?: number
}

export type ArchiveFormat = 'zip' | 'tar.gz' | 'tar' | 'bundle'

export type FsckReport = { readonly ok: boolean; readonly problems: readonly string[] }

/** `bitmap`: one over the packs as they are, when clones would gain by it and there is none. */
export type MaintenanceTask = 'pack-refs' | 'bitmap' | 'commit-graph' | 'repack' | 'leftovers'

/** A bare repository under names, which no key leads to. */
export type UnadoptedFolder = { readonly owner: string; readonly name: string }

export type Git = {
  // Repositories
  create(key: GitKey, options?: NewRepositoryOptions): Promise<MadeRepository>
  /** Renamed aside first, so it is gone at once; a missing one is no error. */
  remove(key: GitKey): Promise<void>
  exists(key: GitKey): Promise<boolean>
  /** Bytes on disk of the whole repository. */
  sizeBytes(key: GitKey): Promise<number>
  listKeys(): AsyncIterable<GitKey>
  objectFormat(key: GitKey): Promise<ObjectFormat>
  /** Folders `<owner>/<name>.git` below the root, in lower case, that somebody laid there to be taken over. */
  listUnadopted(): AsyncIterable<UnadoptedFolder>
  /**
   * Moves such a folder to the place of a fresh key, without its settings and hooks. `NotFound` when it is not there,
   * `Invalid` when it is not whole by itself.
   */
  adopt(from: UnadoptedFolder, key: GitKey): Promise<ObjectFormat>
  /** Moves it back. */
  unadopt(key: GitKey, to: UnadoptedFolder): Promise<void>
  /** False when it is not there. */
  removeUnadopted(folder: UnadoptedFolder): Promise<boolean>
  /**
   * A new independent repository with the branches and tags (or one branch) of another; objects are hard links where
   * possible.
   */
  fork(from: GitKey, to: GitKey, options?: { onlyBranch?: string }): Promise<void>
  /**
   * Objects reachable from `wants` of another repository become part of this one (pull requests from forks). No ref
   * changes.
   */
  fetchObjects(from: GitKey, to: GitKey, wants: readonly Oid[]): Promise<void>
  /**
   * From another server (migrations, mirrors): `url` was checked by the caller; refs as `refspecs` say, forced and
   * pruned.
   */
  fetchRemote(key: GitKey, options: RemoteFetch): Promise<{ updates: readonly PushedUpdate[] }>
  /** To another server (push mirrors). */
  pushRemote(key: GitKey, options: RemotePush): Promise<{ ok: boolean; report: string }>
  fsck(key: GitKey): Promise<FsckReport>
  /** Removes repositories that crashes left half-made or half-removed a day ago and before; gives how many. */
  removeLeftovers(): Promise<number>
  /** Locks and temporary files that killed git processes left in a repository, by path within it. */
  findDead(key: GitKey): Promise<readonly string[]>
  /** Removes them; gives how many. */
  removeDead(key: GitKey): Promise<number>
  maintain(
    key: GitKey,
    tasks: readonly MaintenanceTask[],
    options?: { force?: boolean },
  ): Promise<{ done: readonly MaintenanceTask[] }>
  /** An own copy as one file (backup): a bundle of all references. */
  bundle(key: GitKey): Promise<GitService>

  // Names
  /**
   * A branch, tag, full reference (`refs/…`), `HEAD`, or an id (whole or abbreviated to ≥ 7 digits), in git's order;
   * anything with revision operators (`..`, `^`, `~`, `:`, `@{`) or a leading `-` that is no reference gives undefined.
   */
  resolve(at: ReadFrom, rev: string): Promise<Resolved | undefined>
  /** What a full reference (`refs/…`) names, and nothing else. */
  resolveRef(key: GitKey, ref: string): Promise<Resolved | undefined>
  readRef(key: GitKey, ref: string): Promise<Oid | undefined>
  readRefs(key: GitKey, prefix?: string): Promise<readonly BareRef[]>
  listRefs(
    key: GitKey,
    query?: { prefix?: string; sort?: 'name' | '-committerdate' | '-creatordate'; skip?: number; limit?: number },
  ): Promise<{ refs: readonly Ref[]; total: number }>
  /** Whether any branch exists. */
  isEmpty(key: GitKey): Promise<boolean>
  /** The branch HEAD names (it may not exist yet). */
  /** A script of the repository itself that runs when it is pushed to; undefined when there is none. */
  readCustomHook(key: GitKey, name: CustomHookName): Promise<string | undefined>
  /** Sets a script, or removes it (undefined). It runs with the rights of the program: only for whom that is allowed to. */
  writeCustomHook(key: GitKey, name: CustomHookName, content: string | undefined): Promise<void>
  /** Gives a repository the scripts of another one. */
  copyCustomHooks(from: GitKey, to: GitKey): Promise<void>
  readHead(key: GitKey): Promise<{ branch: string; oid: Oid | undefined }>
  setHead(key: GitKey, branch: string): Promise<void>
  updateRefs(key: GitKey, updates: readonly RefUpdate[]): Promise<RefUpdateResult>

  // Objects
  objectInfo(at: ReadFrom, oid: Oid): Promise<{ type: ObjectType; sizeBytes: number } | undefined>
  /** The bytes of objects of any type, held whole; objects that do not exist or are very large are left out. */
  readContents(at: ReadFrom, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Buffer>>
  /** Those of `oids` that do not exist. */
  missingObjects(at: ReadFrom, oids: readonly Oid[]): Promise<readonly Oid[]>
  readCommit(at: ReadFrom, oid: Oid): Promise<Commit>
  /** In the order asked. */
  readCommits(at: ReadFrom, oids: readonly Oid[]): Promise<readonly Commit[]>
  /** Of a tree, or of the tree of a commit or tag. */
  readTree(at: ReadFrom, treeish: Oid): Promise<readonly TreeEntry[]>
  readTag(at: ReadFrom, oid: Oid): Promise<Tag>
  readBlob(at: ReadFrom, oid: Oid, limits: { maxBytes: number }): Promise<Blob>
  blobSize(at: ReadFrom, oid: Oid): Promise<number>
  /** In one batch; those that do not exist are left out. */
  blobSizes(at: ReadFrom, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
  /** With back-pressure; `range` is in bytes, `end` exclusive. */
  streamBlob(
    at: ReadFrom,
    oid: Oid,
    options?: { range?: { start: number; end: number }; signal?: AbortSignal; share?: ClientShare | undefined },
  ): Promise<{ sizeBytes: number; stream: Readable }>
  /** Their ids, some at a time; throws when git does not come to its end. */
  listSmallBlobs(key: GitKey, query: SmallBlobQuery): AsyncIterable<readonly Oid[]>
  /** Contents of blobs that are known to be small; those that do not exist are left out. */
  readSmallBlobs(key: GitKey, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Buffer>>
  /** Below a commit or tree; '' is the root itself. Undefined when there is none. */
  findPath(at: ReadFrom, treeish: Oid, path: string): Promise<PathEntry | undefined>
  /** Several at once, below a commit or tree; those that do not exist are left out. */
  findPaths(at: ReadFrom, treeish: Oid, paths: readonly string[]): Promise<ReadonlyMap<string, TreeEntry>>
  /** Depth first in tree order, folders before what they hold. */
  listTreeRecursive(
    at: ReadFrom,
    treeish: Oid,
    options?: { skip?: number; limit?: number; sizes?: boolean; foldersToo?: boolean },
  ): Promise<{ entries: readonly PathEntry[]; total: number }>

  /** Bytes of all files of a tree, or of the tree of a commit. Throws `TooLarge` as soon as a limit is passed. */
  measureTree(key: GitKey, treeish: Oid, limits: TreeLimits): Promise<number>

  // History
  log(at: ReadFrom, query: LogQuery): Promise<readonly Commit[]>
  logOids(at: ReadFrom, query: LogQuery): Promise<readonly Oid[]>
  countCommits(at: ReadFrom, query: Omit<LogQuery, 'skip' | 'limit' | 'reverse'>): Promise<number>
  isAncestor(at: ReadFrom, ancestor: Oid, descendant: Oid): Promise<boolean>
  /** The best common ancestor, undefined for unrelated histories. */
  mergeBase(at: ReadFrom, one: Oid, other: Oid): Promise<Oid | undefined>
  aheadBehind(at: ReadFrom, head: Oid, base: Oid): Promise<{ ahead: number; behind: number }>
  /** Which of `oids` the history of `tip` holds. */
  containedIn(at: ReadFrom, tip: Oid, oids: readonly Oid[]): Promise<ReadonlySet<Oid>>
  /** Whether the history of a branch or of a tag of the repository contains a commit. */
  isOnBranchOrTag(key: GitKey, commit: Oid): Promise<boolean>
  /** For each name of the folder (path '' is the root) the newest commit that touched it. */
  lastCommitsOfPaths(
    at: ReadFrom,
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Oid>>
  lastCommitOfPath(at: ReadFrom, commit: Oid, path: string): Promise<Oid | undefined>
  /**
   * Tells every commit that `from` has and `not` lacks with each path that it changed, ancestors first; a merge has those
   * that differ from all its parents. One walk, however long; `visit` ends it with false.
   */
  eachChangedPath(
    at: ReadFrom,
    query: { from: Oid; not?: Oid | undefined; signal?: AbortSignal },
    visit: (commit: Oid, path: string) => boolean,
  ): Promise<void>
  blame(
    at: ReadFrom,
    commit: Oid,
    path: string,
    options?: { maxLines?: number },
  ): Promise<readonly { commit: Oid; originalLine: number; line: number; count: number; path: string }[]>
  /** Matching lines of text files in tree order. */
  grep(
    at: ReadFrom,
    treeish: Oid,
    query: {
      text: string
      mode: 'fixed' | 'regexp'
      ignoreCase?: boolean
      paths?: readonly string[]
      maxMatches: number
      signal?: AbortSignal
    },
  ): Promise<readonly { path: string; line: number; text: string }[]>

  // Differences
  diffFiles(at: ReadFrom, query: DiffQuery): Promise<readonly FileChange[]>
  /**
   * What each commit changed against its first parent, in one process for all that are not cached. Without `counts` lines
   * are not counted (all 0), which saves git from comparing contents.
   */
  commitChanges(
    at: ReadFrom,
    commits: readonly Oid[],
    options?: { renames?: boolean; counts?: boolean },
  ): Promise<ReadonlyMap<Oid, readonly FileChange[]>>
  commitStats(at: ReadFrom, commit: Oid): Promise<{ additions: number; deletions: number; files: number }>
  diffText(at: ReadFrom, query: DiffTextQuery): Promise<Readable>
  /**
   * A mail series (`git format-patch --stdout`) of the commits of `head` that `base` lacks; `base` undefined: `head`
   * alone.
   */
  patchSeries(
    at: ReadFrom,
    query: { base: Oid | undefined; head: Oid; binary?: boolean; signature?: boolean; signal?: AbortSignal },
  ): Promise<Readable>
  /** The stable patch id of the difference, for telling whether content changed. */
  patchId(at: ReadFrom, base: Oid, head: Oid): Promise<string>

  // Writing objects: no reference changes here
  /**
   * Turns edits of files, made in order, each seeing those before it, into changes of the tree of a commit (undefined:
   * there is none yet), or tells the first that does not fit what is there. Writes nothing.
   */
  planEdits(key: GitKey, base: Oid | undefined, edits: readonly FileEdit[]): Promise<PlannedEdits>
  writeBlob(key: GitKey, content: Buffer | BlobSource): Promise<Oid>
  writeTree(key: GitKey, base: Oid | undefined, changes: readonly TreeChange[]): Promise<Oid>
  writeCommit(key: GitKey, commit: NewCommit): Promise<{ oid: Oid; tree: Oid; blobs: readonly (Oid | undefined)[] }>
  writeTag(key: GitKey, tag: NewTag): Promise<Oid>
  /** A unified diff applied to a tree; context may have moved. */
  applyPatch(
    key: GitKey,
    baseTree: Oid,
    patch: Buffer,
  ): Promise<{ ok: true; tree: Oid } | { ok: false; message: string }>
  /**
   * Three-way merge without a work tree. `base` undefined: the merge base of the two. `keep: false` leaves no objects
   * behind.
   */
  mergeTree(key: GitKey, merge: { base?: Oid; ours: Oid; theirs: Oid; keep?: boolean }): Promise<MergeTreeResult>
  /**
   * The commits of `from` that `upstream` lacks, merges and changes it has already left out, replayed on `onto`. Those
   * that lie on `onto` already stay as they are, unless `rewriteAll`.
   */
  rebaseCommits(key: GitKey, rebase: RebaseRequest): Promise<RebaseResult>
  /**
   * One commit (or, with `revert`, its opposite) on top of another. `mainline` (1-based) picks the parent of a merge.
   */
  cherryPick(key: GitKey, pick: CherryPick): Promise<RebaseResult>

  // Transport
  uploadPack(key: GitKey, request: UploadPackRequest): Promise<GitService>
  uploadArchive(
    key: GitKey,
    request: Pick<UploadPackRequest, 'signal' | 'share'> & { readonly body: Readable },
  ): Promise<GitService>
  receivePack(key: GitKey, request: ReceivePackRequest): Promise<GitService>
  /** A loose object (`ab/cdef…`), a pack or its index (`pack/pack-….pack`) as it lies there, for the dumb protocol. */
  storedFile(key: GitKey, name: string): Promise<StoredFile | undefined>
  listPacks(key: GitKey): Promise<readonly string[]>
  /** Everything below `prefix` (with its final slash). The first byte is not given before git began well. */
  archive(
    key: GitKey,
    options: { commit: Oid; format: ArchiveFormat; prefix: string; signal?: AbortSignal },
  ): Promise<Readable>

  /** Ends all children and the broker, within some seconds. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** `credentials` go through an askpass-less header, never through a URL or an argument list. */
export type RemoteFetch = {
  readonly url: string
  readonly refspecs: readonly string[]
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Addresses the caller has checked, as `host:port:address[,address…]`: git connects to no others. */
  readonly resolve?: readonly string[]
  readonly prune?: boolean
  /**
   * Where the references go, if git need not make each of them last by itself: `aside`, below `refs/fetched/`, what the caller moves to
   * where it is seen and drops; `new`, a repository that nobody knows of before the call returns.
   */
  readonly into?: 'aside' | 'new'
  /** Whether any certificate of the other side is believed. */
  readonly skipTlsVerify?: boolean
  /** For `ssh://` addresses, which are refused without it. */
  readonly ssh?: RemoteSsh
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

export type RemotePush = RemoteFetch

/** How git reaches another server over SSH: with one key, at one address that the caller has checked. */
export type RemoteSsh = {
  /** The address that is connected to, whatever the URL's host resolves to. */
  readonly address: string
  /** The host of the URL, by which the other side's key is known. */
  readonly host: string
  readonly privateKeyFile: string
  /** A host that is not in it yet is believed once and added; one with another key than there is refused. */
  readonly knownHostsFile: string
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One git command that ended. `name` is the sub-command, such as `upload-pack`. */
export type CommandReport = { readonly name: string; readonly ms: number; readonly exitCode: number | undefined }

export type GitOptions = {
  readonly repositoriesRoot: string
  /** Default `git`, found in the PATH. */
  readonly gitBinary?: string
  readonly log?: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  readonly onCommand?: (report: CommandReport) => void
  /** Whether objects and references are forced to the disk before a call returns. Default true; tests turn it off. */
  readonly durable?: boolean
  /** Whether other machines may work on the same repositories. Default false. */
  readonly shared?: boolean
  /** Age from which a lock is nobody's where the system does not tell, in milliseconds. */
  readonly lockAgeMs?: number
  readonly limits?: Partial<GitLimits>
  /** Where objects, references and answers are kept in memory; default: in some of its own. */
  readonly caches?: CacheBudget
  /** The bundle of the broker; default: beside the program. */
  readonly brokerFile?: string
}

export type GitLimits = {
  /** One-shot reading commands at a time. */
  readonly readProcesses: number
  readonly writeProcesses: number
  /** Commands at a time that serve clients, of each kind. */
  readonly fetchProcesses: number
  readonly pushProcesses: number
  readonly archiveProcesses: number
  readonly downloadProcesses: number
  /** Commands that may wait for a place, per kind; more answer `Unavailable`. */
  readonly waiting: number
  readonly waitMs: number
  /** Long-lived reading processes in total, and how long one is kept idle. */
  readonly pooledProcesses: number
  readonly pooledIdleMs: number
  /** How long the broker stays when nobody asks it anything. */
  readonly brokerIdleMs: number
  /** A pooled read without an answer is stuck after this. */
  readonly readTimeoutMs: number
  /** Whole duration of a one-shot command. */
  readonly commandTimeoutMs: number
  /** Whole duration of a fetch, a push or an archive, and the longest silence in it. */
  readonly transportTimeoutMs: number
  readonly transportIdleMs: number
  /** How long a hook waits for the answer of the server. */
  readonly hookTimeoutMs: number
  readonly maxPackBytes: number
  readonly maxRefUpdates: number
  /** Output of fetches on the disk that is kept for others who ask the same, and how long after somebody last did. */
  readonly keptFetchBytes: number
  readonly keptFetchIdleMs: number
}
