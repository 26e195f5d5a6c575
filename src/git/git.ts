/**
 * The interface of the git layer. This file holds types; `startGit` (start-git.ts) returns the value.
 *
 * Errors of all calls: `NotFound` when the repository or the object does not exist or has another type, `Invalid` for
 * malformed names and ids, `TooLarge` when a limit is exceeded, `Unavailable` when git cannot answer (the broker died,
 * the disk is full, the queue is full, a deadline passed).
 */
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Oid } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import type { GitKey } from './git-key.ts'
import type { RemoteFetch, RemotePush } from './git-remote.ts'
import type {
  PushedUpdate,
  Quarantine,
  UploadPackRequest,
  ClientShare,
  GitService,
  CustomHookName,
  StoredFile,
  ReceivePackRequest,
} from './git-service.ts'

/** Limits of a tree that is sent whole. */
export type TreeLimits = {
  readonly maxFiles: number
  /** Total of all files, counting each path. */
  readonly maxBytes: number
  /** Total of large files that occur again: a small repository can name one file ten thousand times. */
  readonly maxRepeatedBytes: number
  readonly signal?: AbortSignal
}

export type ObjectFormat = 'sha1' | 'sha256'
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** A repository read together with the objects of another one, to compare across forks. No object is copied. */
export type RepositoryPair = { readonly key: GitKey; readonly with: GitKey }

/** Where to read: a repository, a repository with the quarantined objects of a push, or two repositories together. */
export type ReadFrom = GitKey | Quarantine | RepositoryPair

/** A person and a time. `offsetMinutes` is east of UTC: 120 is `+0200`. */
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
  /** The whole message with its final newline, decoded by the commit's `encoding` header, else as UTF-8. */
  readonly message: string
  /** The armored signature (`gpgsig`), without the leading spaces of continuation lines. */
  readonly signature?: string
  /** The bytes that were signed; present with `signature`. */
  readonly signedPayload?: Buffer
}

export type Tag = {
  readonly oid: Oid
  readonly target: Oid
  readonly targetType: ObjectType
  readonly name: string
  /** Absent in some old tags. */
  readonly tagger?: Identity
  /** Without the signature, with its final newline. */
  readonly message: string
  readonly signature?: string
  readonly signedPayload?: Buffer
}

/** `mode` has six digits (`100644`, `100755`, `120000`, `040000`, `160000`). The type `commit` is a submodule. */
export type TreeEntry = {
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly oid: Oid
  readonly name: string
}

/** An entry with its path from the root of the tree; `sizeBytes` is present only when the caller asked for it. */
/** A file, link or submodule that differs between two trees; undefined on the side that lacks it. */
export type TreeChangeOfFile = {
  readonly path: string
  readonly before: TreeEntry | undefined
  readonly after: TreeEntry | undefined
}

export type PathEntry = TreeEntry & { readonly path: string; readonly sizeBytes?: number }

export type Resolved = {
  /** The object that the name resolves to: the tag object for an annotated tag. */
  readonly oid: Oid
  readonly type: ObjectType
  /** The commit after peeling tags; absent when the object leads to no commit. */
  readonly commit?: Oid
  /** The full name of the reference that matched; absent for object ids. */
  readonly ref?: string
}

export type Ref = {
  /** Full name. */
  readonly name: string
  readonly oid: Oid
  readonly type: ObjectType
  /** The object at the end of a chain of tags; equals `oid` for other objects. */
  readonly peeled: Oid
  readonly peeledType: ObjectType
}

/** The name and value of a reference, without a look into the object store. */
export type BareRef = { readonly name: string; readonly oid: Oid }

export type FetchedRemote = {
  /** References that moved, but for those below `refs/fetched/`. */
  readonly updates: readonly PushedUpdate[]
  /** The references below `refs/fetched/` after a fetch aside. */
  readonly aside: readonly BareRef[]
}

export type Blob = {
  readonly oid: Oid
  readonly sizeBytes: number
  /** Absent when the blob is larger than `maxBytes`. */
  readonly content?: Buffer
}

export type LogQuery = {
  /** Commits to start at. The newest comes first, in git's default order. */
  readonly from: readonly Oid[]
  /** Commits whose history is excluded. */
  readonly not?: readonly Oid[]
  /** A file or folder, taken literally. Renames are not followed. */
  readonly path?: string
  readonly firstParent?: boolean
  /** Oldest first. */
  readonly reverse?: boolean
  readonly skip?: number
  readonly limit?: number
  /** Leaves out merges: commits with two or more parents. */
  readonly noMerges?: boolean
  readonly sinceUnix?: number
  readonly untilUnix?: number
  readonly signal?: AbortSignal
}

/** A search for a fixed text in the text files of a commit. */
export type TextSearch = {
  readonly text: string
  readonly ignoresCase: boolean
  /** Pathspecs. A file matches at least one of them; none stand for all files. */
  readonly patterns?: readonly string[]
  readonly maxLines: number
  /** Most found lines of one file; undefined: 20. */
  readonly maxLinesOfFile?: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** A line that has the text; lines count from 1. */
export type FoundLine = { readonly path: string; readonly line: number; readonly text: string }

/** Two versions of a branch: the commits of each that are not in `base`. */
export type RangeDiffQuery = {
  readonly base: Oid
  readonly oldHead: Oid
  readonly newHead: Oid
  readonly signal?: AbortSignal
}

/** A commit of a branch that was rewritten. */
export type RewrittenCommit = {
  /** Undefined for an added commit. */
  readonly oldOid: Oid | undefined
  /** Undefined for a removed commit. */
  readonly newOid: Oid | undefined
  readonly state: 'same' | 'changed' | 'removed' | 'added'
  readonly subject: string
  /** How the commit's own difference and message differ: each line begins with `+`, `-`, a space or `@@`. */
  readonly lines: readonly string[]
}

/** Commits that are compared with one, such as the heads of branches with the default branch. */
export type DivergenceQuery = {
  readonly base: Oid
  /** At most 31 different ones. */
  readonly heads: readonly Oid[]
  /** Commits that are read before the heads that are still unclear are left out; 5,000 by default. */
  readonly limit?: number
}

/** Numbers of commits that a head has and the base lacks, and that the base has and the head lacks. */
export type Divergence = { readonly ahead: number; readonly behind: number }

export type FileStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'changed'

export type FileChange = {
  readonly status: FileStatus
  /** The new path; for a deletion the removed path. */
  readonly path: string
  /** For renames and copies. */
  readonly oldPath?: string
  readonly oldMode: string
  readonly newMode: string
  /** All zeros when the file does not exist on this side. */
  readonly oldOid: Oid
  readonly newOid: Oid
  readonly additions: number
  readonly deletions: number
  readonly binary: boolean
  /** 0–100 for renames and copies. */
  readonly similarity?: number
}

export type DiffQuery = {
  /** A commit or tree; undefined compares with the empty tree. */
  readonly base: Oid | undefined
  readonly head: Oid
  readonly whitespace?: 'ignore-all' | 'ignore-change' | 'ignore-eol' | 'show-all'
  /** Default true. */
  readonly renames?: boolean
  readonly paths?: readonly string[]
  readonly signal?: AbortSignal
}

export type DiffTextQuery = DiffQuery & {
  /** With whole binary deltas and full object ids, so that the text can be applied. */
  readonly binary?: boolean
  /** Default 3. */
  readonly contextLines?: number
}

/**
 * A change to one path. `delete` of a folder removes everything below it. Modes are `100644`, `100755`, `120000` and
 * `160000`.
 */
export type TreeChange =
  | {
      readonly op: 'write'
      readonly path: string
      readonly mode?: string
      readonly content: Buffer | BlobSource | BlobFile | { oid: Oid }
    }
  | { readonly op: 'delete'; readonly path: string }

/** A request to create, update or delete one file. */
export type FileEdit = {
  readonly operation: 'create' | 'update' | 'delete'
  readonly path: string
  /** For an update that moves the file: its present path. */
  readonly fromPath?: string | undefined
  readonly content: Buffer | BlobFile
  /** The id that the file must have now; not checked when absent. */
  readonly expectedOid?: string | undefined
}

/** Why an edit does not apply; `path` says where. */
export type EditProblem =
  | { readonly reason: 'missing' | 'is_folder' | 'no_folder'; readonly path: string }
  | { readonly reason: 'other_content'; readonly path: string; readonly found: Oid }
  | { readonly reason: 'taken'; readonly path: string; readonly by: 'folder' | 'file' }

export type PlannedEdits =
  | { readonly ok: true; readonly changes: readonly TreeChange[] }
  | { readonly ok: false; readonly edit: FileEdit; readonly problem: EditProblem }

/** Selects small blobs in the history of all references, or in the history of `from` without the history of `not`. */
export type SmallBlobQuery = {
  readonly from?: readonly Oid[]
  readonly not?: readonly Oid[]
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export type BlobSource = { readonly stream: Readable; readonly sizeBytes: number }

/** A content that can be read more than once. */
export type BlobFile = { readonly open: () => Readable; readonly sizeBytes: number }

/** Returns the armored signature of the bytes of a commit or tag. */
export type Sign = (payload: Buffer) => Promise<string>

export type NewCommit = {
  readonly parents: readonly Oid[]
  /** The tree, or a base tree (undefined: the empty tree) and changes to make to it in order. */
  readonly tree: Oid | { readonly base: Oid | undefined; readonly changes: readonly TreeChange[] }
  readonly author: Identity
  readonly committer: Identity
  /** A missing final newline is added unless `isMessageWhole`. */
  readonly message: string
  readonly isMessageWhole?: boolean
  readonly sign?: Sign
}

/** The first commit of a new repository; its files are in the root folder. */
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
  /** The first commit of the default branch; without it the repository has no branch. */
  readonly first?: FirstCommit | undefined
}

/** The bytes that a new repository takes on disk, and the id of its first commit. */
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
 * `old` is the required present value (all zeros: must not exist); undefined accepts any value. All zeros as `new`
 * deletes.
 */
export type RefUpdate = { readonly ref: string; readonly old: Oid | undefined; readonly new: Oid }

/**
 * stale: the present value is not `old`; exists: the reference must not exist; conflict: `a` and `a/b` cannot both
 * exist; invalid: bad name or object id.
 */
export type RefUpdateResult =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: 'stale' | 'exists' | 'conflict' | 'invalid'
      readonly ref: string
      readonly message: string
    }

/** The names that exclude a reference: `refs/heads/a` for `refs/heads/a/b`. */
export function foldersOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(2, -1).map((_, index) => parts.slice(0, index + 3).join('/'))
}

/** A change of references that the source has committed. All zeros as `new` deletes. */
export type RefStep = {
  /** The generation after the change; the change before has the number before. */
  readonly generation: number
  readonly updates: readonly { readonly ref: string; readonly new: Oid }[]
  /** The branch that HEAD names, when it may have changed. */
  readonly head?: string | undefined
}

/** All references of a repository at one generation, and the packs with their objects. */
export type RefState = {
  readonly generation: number
  readonly objectFormat: ObjectFormat
  readonly head: string
  readonly refs: ReadonlyMap<string, Oid>
  /** Empty when the objects are durable on the disk. */
  readonly packs: readonly NamedPack[]
}

/** A pack of a manifest. */
export type NamedPack = StoredPack & {
  /** When its objects were found unreachable; undefined: any of them may be reachable. */
  readonly cruftUnix?: Unix | undefined
}

/** What replaces the packs of a repository, after its unreachable objects were set apart. */
export type DividedPacks = {
  /** The generation whose references decided. */
  readonly generation: number
  /** The packs that were divided. */
  readonly names: readonly string[]
  /** Whether objects were left out: then only the same generation may be divided so. */
  readonly isLossy: boolean
  readonly reachable: StoredPack | undefined
  readonly others: StoredPack | undefined
}

/** A pack in the store of packs (packs/pack-store.ts). */
export type StoredPack = {
  /** git's checksum of the pack, which is in the names of its files. */
  readonly name: string
  /** The key in the store, without the endings. */
  readonly blobKey: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly indexSha256: string
}

/** A pack and its index, opened for reading. */
export type OpenedPack = { readonly name: string; readonly pack: FileHandle; readonly index: FileHandle }

export type OpenedPacks = AsyncDisposable & {
  /** The names of all packs. */
  readonly names: readonly string[]
  readonly opened: readonly OpenedPack[]
}

export type BackedUpRepository = {
  readonly head: string
  readonly objectFormat: ObjectFormat
  readonly packs: readonly { readonly name: string; readonly packPath: string; readonly indexPath: string }[]
}

/** What decides the references of the repositories; undefined for a repository that it does not know. */
export type RefSource = {
  generation(key: GitKey): Promise<number | undefined>
  /** What it returns is durable. */
  state(key: GitKey): Promise<RefState | undefined>
  /** Those of some packs that a repository has or had, and whether others have replaced them: these have their objects. */
  findPacks(key: GitKey, names: readonly string[]): Promise<ReadonlyMap<string, { readonly isReplaced: boolean }>>
  /** An object that stands for the present request; undefined outside of requests. */
  request?(): object | undefined
}

export type MergeTreeResult =
  | { readonly clean: true; readonly tree: Oid }
  /** `tree` holds conflict markers; `conflicts` are paths; `messages` are git's own. */
  | {
      readonly clean: false
      readonly tree: Oid
      readonly conflicts: readonly string[]
      readonly messages: readonly string[]
    }
  /** The commits have no common ancestor and no base was given. */
  | {
      readonly clean: false
      readonly unrelated: true
      readonly conflicts: readonly string[]
      readonly messages: readonly string[]
    }

export type RebaseResult =
  | { readonly ok: true; readonly tip: Oid; readonly commits: readonly Oid[] }
  /** `commit` is the one that does not apply. */
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

export type ArchiveFormat = 'zip' | 'tar.gz' | 'tar' | 'bundle'

export type FsckReport = { readonly ok: boolean; readonly problems: readonly string[] }

/** `bitmap` writes one over the present packs when they lack one and clones would gain by it. */
export type MaintenanceTask = 'pack-refs' | 'bitmap' | 'commit-graph' | 'repack' | 'leftovers'

/** A bare repository at `<owner>/<name>.git`, which no key refers to. */
export type UnadoptedFolder = { readonly owner: string; readonly name: string }

export type Git = {
  // Repositories
  create(key: GitKey, options?: NewRepositoryOptions): Promise<MadeRepository>
  /**
   * Renames the repository before deleting its files, so that it disappears at once. A missing repository is no error.
   */
  remove(key: GitKey): Promise<void>
  exists(key: GitKey): Promise<boolean>
  /** Bytes of the whole repository on disk without pushes under way, or of the quarantined objects of a push. */
  sizeBytes(at: GitKey | Quarantine): Promise<number>
  /** Bytes on disk of the objects among these that are stored loose, as written ones are. */
  looseBytes(key: GitKey, oids: readonly Oid[]): Promise<number>
  /** Bytes on disk of the objects that a commit has and the other commits lack. */
  bytesSince(key: GitKey, commit: Oid, others: readonly Oid[]): Promise<number>
  listKeys(): AsyncIterable<GitKey>
  /** Milliseconds since the repository on the disk was made, or its HEAD was changed; 0 when it does not exist. */
  ageMs(key: GitKey): Promise<number>
  objectFormat(key: GitKey): Promise<ObjectFormat>
  /** Folders `<owner>/<name>.git` below the root, in lower case, which administrators may adopt. */
  listUnadopted(): AsyncIterable<UnadoptedFolder>
  /**
   * Moves an unadopted folder to the place of a new key, without its settings and hooks. Throws `NotFound` when it does
   * not exist, `Invalid` when it depends on another repository.
   */
  adopt(from: UnadoptedFolder, key: GitKey): Promise<ObjectFormat>
  /** Moves an adopted repository back. */
  unadopt(key: GitKey, to: UnadoptedFolder): Promise<void>
  /** Returns false when the folder does not exist. */
  removeUnadopted(folder: UnadoptedFolder): Promise<boolean>
  /**
   * Makes an independent repository with the branches and tags, or one branch, of another. Objects are hard links where
   * possible.
   */
  fork(from: GitKey, to: GitKey, options?: { onlyBranch?: string }): Promise<void>
  /** Copies the objects reachable from `wants` between two repositories. References stay as they are. */
  fetchObjects(from: GitKey, to: GitKey, wants: readonly Oid[]): Promise<void>
  /** Fetches from another server. The caller has checked `url`; references follow `refspecs`, forced and pruned. */
  fetchRemote(key: GitKey, options: RemoteFetch): Promise<FetchedRemote>
  /** Pushes to another server. */
  pushRemote(key: GitKey, options: RemotePush): Promise<{ ok: boolean; report: string }>
  fsck(key: GitKey): Promise<FsckReport>
  /** Removes repositories that a crash left half-created or half-removed more than a day ago; returns their number. */
  removeLeftovers(): Promise<number>
  /** Locks and temporary files that killed git processes left in a repository, relative to it. */
  findDead(key: GitKey): Promise<readonly string[]>
  /** Removes them; returns their number. */
  removeDead(key: GitKey): Promise<number>
  maintain(
    key: GitKey,
    tasks: readonly MaintenanceTask[],
    options?: { force?: boolean },
  ): Promise<{ done: readonly MaintenanceTask[] }>

  // Backups
  /**
   * Opens the packs that together have all objects of a repository on the disk, and one with its loose objects. Git may
   * remove any of them meanwhile. Packs that the caller has stay closed.
   */
  openPacks(key: GitKey, has: (name: string) => boolean): Promise<OpenedPacks>
  /** Makes a repository of packs, without references, which the source has. Throws `Conflict` when it exists. */
  restore(key: GitKey, repository: BackedUpRepository): Promise<void>

  // Names
  /**
   * Resolves a branch, tag, full reference, `HEAD`, or an id (whole or at least 7 digits). Revision operators (`..`,
   * `^`, `~`, `:`, `@{`) give undefined.
   */
  resolve(at: ReadFrom, rev: string): Promise<Resolved | undefined>
  /** Resolves a full reference (`refs/…`) and nothing else. */
  resolveRef(key: GitKey, ref: string): Promise<Resolved | undefined>
  readRef(key: GitKey, ref: string): Promise<Oid | undefined>
  readRefs(key: GitKey, prefix?: string): Promise<readonly BareRef[]>
  listRefs(
    key: GitKey,
    query?: { prefix?: string; sort?: 'name' | '-committerdate' | '-creatordate'; skip?: number; limit?: number },
  ): Promise<{ refs: readonly Ref[]; total: number }>
  /** Whether the repository has no branch. */
  isEmpty(key: GitKey): Promise<boolean>
  /** A hook script of the repository; undefined when it has none. */
  readCustomHook(key: GitKey, name: CustomHookName): Promise<string | undefined>
  /** Sets a hook script, or removes it (undefined). The script runs with the rights of the server. */
  writeCustomHook(key: GitKey, name: CustomHookName, content: string | undefined): Promise<void>
  /** Copies the hook scripts of one repository to another. */
  copyCustomHooks(from: GitKey, to: GitKey): Promise<void>
  readHead(key: GitKey): Promise<{ branch: string; oid: Oid | undefined }>
  /** Points HEAD at a branch in a repository that the source does not know yet. */
  setHead(key: GitKey, branch: string): Promise<void>
  /** Moves references that the source does not decide: those fetched aside, and those of a new repository. */
  updateRefs(key: GitKey, updates: readonly RefUpdate[]): Promise<RefUpdateResult>
  /** Returns the updates whose names or objects do not fit. Throws `Invalid` for too many. */
  checkUpdates(key: GitKey, updates: readonly RefUpdate[]): Promise<readonly Extract<RefUpdateResult, { ok: false }>[]>

  // The copy of the references (refs/ref-copy.ts). Other calls that read references bring the copy up before.
  /** Brings the copy up if it lags. */
  ready(key: GitKey): Promise<void>
  /**
   * Makes written objects durable, before the source names them. Returns the packs that the source names in the same
   * transaction; none when the disk is durable.
   */
  keepObjects(key: GitKey): Promise<readonly StoredPack[]>
  /** Names of the packs on the disk. */
  packNames(key: GitKey): Promise<readonly string[]>
  /** Writes and stores one pack with the objects of stored packs, which a transaction may replace by it. */
  joinPacks(key: GitKey, names: readonly string[]): Promise<StoredPack>
  /**
   * Makes a copy for another key with two packs: the objects that the references of a repository reach, and the others of its
   * packs. Objects that are in expired packs only are left out, unless one of the others needs them. Stores both packs.
   * Undefined, without a copy: nothing is unreachable, and no pack has expired.
   */
  dividePacks(key: GitKey, to: GitKey, isExpired: (pack: NamedPack) => boolean): Promise<DividedPacks | undefined>
  /** Moves packs from the copy of one key to that of another, and removes the former. */
  takePacks(from: GitKey, to: GitKey, names: readonly string[]): Promise<void>
  /** Whether a copy belongs to a repository that the source does not know any more. */
  isForsaken(key: GitKey): Promise<boolean>
  /** Removes forsaken copies that this process does not use. Returns their number. */
  removeForsaken(): Promise<number>
  /** Removes replaced packs from the disk. */
  dropPacks(key: GitKey, names: readonly string[]): Promise<void>
  /** Copies a committed change; readers wait for it from this call on. */
  advance(key: GitKey, step: RefStep): Promise<void>
  /** Compares the whole copy with the source and brings it up. */
  bringUp(key: GitKey): Promise<void>
  /** Has the next reader compare the copy again, also in a request that has found it up to date. */
  doubt(key: GitKey): void
  /** The references on the disk as they are, and the branch of HEAD. */
  readCopy(key: GitKey): Promise<{ readonly head: string; readonly refs: readonly BareRef[] }>

  // Objects
  objectInfo(at: ReadFrom, oid: Oid): Promise<{ type: ObjectType; sizeBytes: number } | undefined>
  /** The bytes of objects of any type, whole in memory. Missing and very large objects are left out. */
  readContents(at: ReadFrom, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Buffer>>
  /** The ids whose objects do not exist. */
  missingObjects(at: ReadFrom, oids: readonly Oid[]): Promise<readonly Oid[]>
  readCommit(at: ReadFrom, oid: Oid): Promise<Commit>
  /** Commits for lists, in the order of `oids`: long messages are cut (`maxListedObjectBytes`). */
  readCommits(at: ReadFrom, oids: readonly Oid[]): Promise<readonly Commit[]>
  /** The entries of a tree, or of the tree of a commit or tag. */
  readTree(at: ReadFrom, treeish: Oid): Promise<readonly TreeEntry[]>
  readTag(at: ReadFrom, oid: Oid): Promise<Tag>
  /** Annotated tags for lists, in the order of `oids`: long messages are cut. */
  readTags(at: ReadFrom, oids: readonly Oid[]): Promise<readonly Tag[]>
  readBlob(at: ReadFrom, oid: Oid, limits: { maxBytes: number }): Promise<Blob>
  /** Sizes in one batch; missing blobs are left out. */
  blobSizes(at: ReadFrom, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
  /** Streams a blob with back-pressure. `range` is in bytes; `end` is exclusive. */
  streamBlob(
    at: ReadFrom,
    oid: Oid,
    options?: { range?: { start: number; end: number }; signal?: AbortSignal; share?: ClientShare | undefined },
  ): Promise<{ sizeBytes: number; stream: Readable }>
  /** Yields ids in batches. Throws when git does not list all of them. */
  listSmallBlobs(key: GitKey, query: SmallBlobQuery): AsyncIterable<readonly Oid[]>
  /** Contents of blobs that are known to be small; missing ones are left out. */
  readSmallBlobs(key: GitKey, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Buffer>>
  /** The entry at a path below a commit or tree; `''` is the root. Undefined when it does not exist. */
  findPath(at: ReadFrom, treeish: Oid, path: string): Promise<PathEntry | undefined>
  /** Entries of several paths below a commit or tree; missing ones are left out. */
  findPaths(at: ReadFrom, treeish: Oid, paths: readonly string[]): Promise<ReadonlyMap<string, TreeEntry>>
  /** All entries, depth first in tree order; a folder comes before its entries. */
  listTreeRecursive(
    at: ReadFrom,
    treeish: Oid,
    options?: { skip?: number; limit?: number; sizes?: boolean; foldersToo?: boolean },
  ): Promise<{ entries: readonly PathEntry[]; total: number }>

  /**
   * The files that differ between two commits or trees, without a process. Undefined above `maxTrees` differing folders.
   */
  treeChanges(at: ReadFrom, before: Oid, after: Oid, maxTrees: number): Promise<readonly TreeChangeOfFile[] | undefined>

  /** Bytes of all files of a tree, or of the tree of a commit. Throws `TooLarge` when a limit is exceeded. */
  measureTree(key: GitKey, treeish: Oid, limits: TreeLimits): Promise<number>

  // History
  /** Commits for lists: long messages are cut, as by `readCommits`. */
  log(at: ReadFrom, query: LogQuery): Promise<readonly Commit[]>
  logOids(at: ReadFrom, query: LogQuery): Promise<readonly Oid[]>
  countCommits(at: ReadFrom, query: Omit<LogQuery, 'skip' | 'limit' | 'reverse'>): Promise<number>
  isAncestor(at: ReadFrom, ancestor: Oid, descendant: Oid): Promise<boolean>
  /** The best common ancestor; undefined for unrelated histories. */
  mergeBase(at: ReadFrom, one: Oid, other: Oid): Promise<Oid | undefined>
  /** Compares heads with a base in one walk. A head is left out when its history meets that of the base too far back. */
  divergence(at: ReadFrom, query: DivergenceQuery): Promise<ReadonlyMap<Oid, Divergence>>
  /** Whether the history of a branch or tag contains the commit. */
  isOnBranchOrTag(key: GitKey, commit: Oid): Promise<boolean>
  /** The newest commit that touched each name in a folder (`''` is the root). */
  lastCommitsOfPaths(
    at: ReadFrom,
    commit: Oid,
    folder: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Oid>>
  lastCommitOfPath(at: ReadFrom, commit: Oid, path: string): Promise<Oid | undefined>
  /**
   * Calls `visit` for each path that each commit of `from` without `not` changed, ancestors first. A merge has the
   * paths that differ from all its parents. `visit` ends the walk by returning false.
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

  /**
   * Finds lines with a text. `isWhole` is false when it stopped early: after `maxLines`, much output or `timeoutMs`. Of
   * each file it finds the first lines only.
   */
  searchText(
    at: ReadFrom,
    commit: Oid,
    query: TextSearch,
  ): Promise<{ readonly lines: readonly FoundLine[]; readonly isWhole: boolean }>

  // Differences
  /** Pairs the commits of two versions of a branch. `isWhole` is false when it stopped early. */
  rangeDiff(
    at: ReadFrom,
    query: RangeDiffQuery,
  ): Promise<{ readonly commits: readonly RewrittenCommit[]; readonly isWhole: boolean }>
  diffFiles(at: ReadFrom, query: DiffQuery): Promise<readonly FileChange[]>
  /**
   * The changes of each commit against its first parent; one process for all uncached commits. Without `counts` line
   * counts are 0 and git compares no contents.
   */
  commitChanges(
    at: ReadFrom,
    commits: readonly Oid[],
    options?: { renames?: boolean; counts?: boolean },
  ): Promise<ReadonlyMap<Oid, readonly FileChange[]>>
  diffText(at: ReadFrom, query: DiffTextQuery): Promise<Readable>
  /**
   * A mail series (`git format-patch --stdout`) of the commits of `head` without those of `base`; undefined: `head`
   * only.
   */
  patchSeries(
    at: ReadFrom,
    query: { base: Oid | undefined; head: Oid; binary?: boolean; signature?: boolean; signal?: AbortSignal },
  ): Promise<Readable>
  /** The stable patch id of a difference: equal when the changed content is equal. */
  patchId(at: ReadFrom, base: Oid, head: Oid): Promise<string>

  // Writing objects; no reference changes
  /**
   * Turns file edits into changes of the tree of a commit (undefined: the empty tree). Each edit sees those before it.
   * Reports the first edit that does not apply. Writes nothing.
   */
  planEdits(key: GitKey, base: Oid | undefined, edits: readonly FileEdit[]): Promise<PlannedEdits>
  writeBlob(key: GitKey, content: Buffer | BlobSource): Promise<Oid>
  writeTree(key: GitKey, base: Oid | undefined, changes: readonly TreeChange[]): Promise<Oid>
  writeCommit(key: GitKey, commit: NewCommit): Promise<{ oid: Oid; tree: Oid; blobs: readonly (Oid | undefined)[] }>
  writeTag(key: GitKey, tag: NewTag): Promise<Oid>
  /** Applies a unified diff to a tree; its context may have moved. */
  applyPatch(
    key: GitKey,
    baseTree: Oid,
    patch: Buffer,
  ): Promise<{ ok: true; tree: Oid } | { ok: false; message: string }>
  /**
   * A three-way merge without a work tree. Without `base` git finds the merge base. `keep: false` leaves no objects
   * behind.
   */
  mergeTree(key: GitKey, merge: { base?: Oid; ours: Oid; theirs: Oid; keep?: boolean }): Promise<MergeTreeResult>
  /** Applies what a commit changed against its first parent, or the reverse of it, to another commit. */
  replayChange(
    key: GitKey,
    change: { readonly commit: Oid; readonly onto: Oid; readonly isReverse: boolean },
  ): Promise<MergeTreeResult>
  /**
   * Replays the commits of `from` without those of `upstream` on `onto`. Merges and changes that `upstream` has are
   * left out. Commits that already follow `onto` stay as they are unless `rewriteAll`.
   */
  rebaseCommits(key: GitKey, rebase: RebaseRequest): Promise<RebaseResult>

  // Transport
  uploadPack(key: GitKey, request: UploadPackRequest): Promise<GitService>
  uploadArchive(
    key: GitKey,
    request: Pick<UploadPackRequest, 'signal' | 'share'> & { readonly body: Readable },
  ): Promise<GitService>
  receivePack(key: GitKey, request: ReceivePackRequest): Promise<GitService>
  /** A loose object (`ab/cdef…`), a pack or its index (`pack/pack-….pack`), for the dumb protocol. */
  storedFile(key: GitKey, name: string): Promise<StoredFile | undefined>
  listPacks(key: GitKey): Promise<readonly string[]>
  /** An archive with all files below `prefix`, which ends with a slash. Resolves when git has started. */
  archive(
    key: GitKey,
    options: { commit: Oid; format: ArchiveFormat; prefix: string; signal?: AbortSignal },
  ): Promise<Readable>

  /** Ends the broker and its children within seconds. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
