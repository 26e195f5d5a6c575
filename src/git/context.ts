import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cache, CacheBudget } from '../lib/cache-budget.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { isOid } from '../lib/refs.ts'
import type { BrokerClient } from './broker/broker-client.ts'
import { type GitKey, isGitKey, repositoryPath } from './git-key.ts'
import type {
  Commit,
  NamedPack,
  ObjectFormat,
  ObjectType,
  ReadFrom,
  RefSource,
  RefState,
  RefStep,
  StoredPack,
  Tag,
  TreeEntry,
} from './git.ts'
import type { CopyBudget, GitLimits, LogLevel } from './git-options.ts'
import type { GitSettings } from './git-settings.ts'
import type { SharedFetches } from './transport/shared-fetch.ts'

/** State that all functions of the git layer share. */
export type GitContext = {
  readonly root: string
  readonly broker: BrokerClient
  readonly settings: GitSettings
  readonly limits: GitLimits
  readonly durable: boolean
  /** Whether other processes change references. */
  readonly shared: boolean
  /** Whether other machines work in the same folder. */
  readonly isFolderShared: boolean
  readonly lockAgeMs: number
  readonly log: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  readonly caches: GitCaches
  readonly fetches: SharedFetches
  /** What decides the references; undefined: the repositories themselves. */
  readonly source: RefSource | undefined
  readonly copies: CopyWork
  /** Where objects are durable. */
  readonly home: ObjectHome
  /** Called after packs were fetched. */
  readonly onFetch: (report: { readonly ms: number }) => void
  /** Called after a copy has grown by packs. */
  readonly onGrowth: () => void
  /** Called after a copy was brought up. */
  readonly onCopied: (key: GitKey) => void
  readonly uses: CopyUses
  readonly copyBudget: CopyBudget
}

/** Where the objects of the repositories are durable: on the disk, or in a store of packs. */
export interface ObjectHome {
  /** Whether a repository on the disk may lack objects, or be away. */
  readonly isElsewhere: boolean
  /** Makes an empty repository on the disk, whose objects are elsewhere. */
  make(context: GitContext, key: GitKey, state: Pick<RefState, 'head' | 'objectFormat'>): Promise<void>
  /** Makes written objects durable. Returns the packs that the source has to name in the transaction that follows. */
  keep(context: GitContext, key: GitKey): Promise<readonly StoredPack[]>
  /** Stores a pack that is on the disk. */
  send(context: GitContext, key: GitKey, name: string): Promise<StoredPack>
  /** Brings the packs of a state to the disk, and removes the replaced ones there. */
  bring(context: GitContext, key: GitKey, packs: readonly NamedPack[]): Promise<void>
}

/** Which copies are in use, and when each was used last, in milliseconds of `performance.now()`. */
export type CopyUses = {
  readonly counts: Map<GitKey, number>
  readonly lastMs: Map<GitKey, number>
}

/** Work on the copies of references (refs/ref-copy.ts). */
export type CopyWork = {
  /** The last work on each copy. */
  readonly working: Map<GitKey, Promise<void>>
  /** Changes that are waiting to be copied, oldest first. */
  readonly steps: Map<GitKey, RefStep[]>
  /** Where other processes change references too: when each request found a copy up to date. */
  readonly found: WeakMap<object, Map<GitKey, number>>
  /** How often each copy was made by this process. Another copy may lack objects that a former one had. */
  readonly made: Map<GitKey, number>
  /** Number of changes that could not be copied. */
  failures: number
}

export type CachedObject =
  | { readonly kind: 'commit'; readonly sizeBytes: number; readonly commit: Commit }
  | { readonly kind: 'tag'; readonly sizeBytes: number; readonly tag: Tag }
  | { readonly kind: 'tree'; readonly entries: readonly TreeEntry[] }

export type PackedRef = { readonly name: string; readonly oid: Oid; readonly peeled: Oid | undefined }

/** The parsed `packed-refs` file. git replaces the file on each change, so `stamp` changes with it. */
export type PackedRefs = {
  readonly stamp: string
  /** In bytewise order of names. */
  readonly list: readonly PackedRef[]
  readonly byName: ReadonlyMap<string, PackedRef>
  /** Whether an entry without `peeled` is known not to be a tag. */
  readonly fullyPeeled: boolean
}

/**
 * Objects never change, so entries are evicted but never invalidated. Keys begin with the repository or quarantine, so
 * that an object of one repository is not readable in another. Keys of removed repositories are never reused.
 */
export type GitCaches = {
  readonly objects: Cache<string, CachedObject>
  readonly infos: Cache<string, { type: ObjectType; sizeBytes: number }>
  /** Contents of small blobs. */
  readonly blobs: Cache<string, Buffer>
  readonly packedRefs: Cache<string, PackedRefs>
  readonly formats: Cache<string, ObjectFormat>
  /** Repositories whose references were found up to date (refs/ref-copy.ts). */
  readonly upToDate: Cache<string, true>
  /** Answers about fixed object ids: counts, log pages, merge bases, ancestry, last commits. */
  readonly answers: Cache<string, NonNullable<unknown>>
  /** Answers under way (`once`). */
  readonly pending: Map<string, Promise<NonNullable<unknown>>>
}

/** Where a repository or a quarantine is read. */
export type Location = {
  readonly key: GitKey
  readonly directory: string
  readonly environment: Readonly<Record<string, string>> | undefined
  /** Prefix of its cache keys. */
  readonly scope: string
}

export function locate(context: GitContext, at: ReadFrom): Location {
  const key = typeof at === 'string' ? at : at.key
  if (!isGitKey(key)) throw new NotFound('the repository does not exist', 'git_repository_missing')
  const directory = repositoryPath(context.root, key)
  const scope = `${key}${context.copies.made.get(key) ?? ''}`
  if (typeof at === 'string') return { key, directory, environment: undefined, scope }
  const objects = join(directory, 'objects')
  if ('with' in at) {
    if (!isGitKey(at.with)) throw new NotFound('the repository does not exist', 'git_repository_missing')
    const others = join(repositoryPath(context.root, at.with), 'objects')
    // A scope of its own: the borrowed objects do not belong to the first repository.
    return {
      key,
      directory,
      scope: `${scope}+${at.with}${context.copies.made.get(at.with) ?? ''}`,
      environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: others },
    }
  }
  if (!at.path.startsWith(`${objects}/`) || at.path.includes('/../')) {
    throw new Invalid('not a quarantine of the repository')
  }
  return {
    key,
    directory,
    scope: at.path,
    environment: { GIT_OBJECT_DIRECTORY: at.path, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
  }
}

/** Runs a computation; concurrent callers with the same name share it. */
export async function once<T extends NonNullable<unknown>>(
  { caches: { pending } }: GitContext,
  name: string,
  compute: () => Promise<T>,
): Promise<T> {
  const known = pending.get(name)
  if (known !== undefined) return known as Promise<T>
  const work = compute()
  pending.set(name, work)
  try {
    return await work
  } finally {
    pending.delete(name)
  }
}

/** Throws `NotFound` when the repository does not exist, else rethrows the error. */
export function explainMissing(location: Location, error: unknown): never {
  if (!existsSync(join(location.directory, 'HEAD'))) {
    throw new NotFound('the repository does not exist', 'git_repository_missing')
  }
  throw error
}

/** Object ids come from clients: nothing else may reach a command line. */
export function checkOids(...oids: readonly (string | undefined)[]): void {
  for (const oid of oids) {
    if (oid !== undefined && !isOid(oid)) throw new Invalid(`not an object id: ${oid.slice(0, 80)}`)
  }
}

/** The object format of a repository, from its configuration file, which never changes. */
export async function formatOf(context: GitContext, key: GitKey): Promise<ObjectFormat> {
  const known = context.caches.formats.get(key)
  if (known !== undefined) return known
  const text = await readFile(join(repositoryPath(context.root, key), 'config'), 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new NotFound('the repository does not exist', 'git_repository_missing')
    }
    throw error
  })
  const format = /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t]*$/im.test(text) ? 'sha256' : 'sha1'
  context.caches.formats.set(key, format)
  return format
}

/** Empty caches within a memory budget. */
export function newCaches(budget: CacheBudget): GitCaches {
  return {
    objects: budget.open('git objects', { sizeOf: (object, key) => key.length + sizeOfCached(object) }),
    infos: budget.open('git objects', { sizeOf: (_, key) => key.length + 50 }),
    blobs: budget.open('git objects', { sizeOf: (content, key) => key.length + content.length }),
    // Without a limit per entry: a large file would otherwise be parsed for each reference.
    packedRefs: budget.open('git references', {
      maxEntryBytes: budget.maxBytes,
      sizeOf: ({ byName }) => byName.size * 200,
    }),
    formats: budget.open('git references', { sizeOf: (_, key) => key.length }),
    upToDate: budget.open('git references', { sizeOf: (_, key) => key.length }),
    answers: budget.open('git answers', { sizeOf: sizeOfAnswer }),
    pending: new Map(),
  }
}

/** Approximate bytes of an answer and its key. */
function sizeOfAnswer(answer: NonNullable<unknown>, key: string): number {
  if (Array.isArray(answer)) return key.length + answer.length * (typeof answer[0] === 'object' ? 400 : 80)
  return key.length + (answer instanceof Map ? answer.size * 200 : 50)
}

function sizeOfCached(object: CachedObject): number {
  if (object.kind === 'tree') return object.entries.length * 180
  const { message, signature, signedPayload } = object.kind === 'commit' ? object.commit : object.tag
  return 900 + message.length * 2 + (signature?.length ?? 0) + (signedPayload?.length ?? 0)
}
