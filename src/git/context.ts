import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cache, CacheBudget } from '../lib/cache-budget.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { isOid } from '../lib/refs.ts'
import type { BrokerClient } from './broker/broker-client.ts'
import { type GitKey, isGitKey, repositoryPath } from './git-key.ts'
import type { Commit, GitLimits, LogLevel, ObjectFormat, ObjectType, ReadFrom, Tag, TreeEntry } from './git.ts'
import type { GitSettings } from './git-settings.ts'
import type { SharedFetches } from './transport/shared-fetch.ts'

/** What all functions of the git layer share. */
export type GitContext = {
  readonly root: string
  readonly broker: BrokerClient
  readonly settings: GitSettings
  readonly limits: GitLimits
  readonly durable: boolean
  /** Whether other machines work on the same folder. */
  readonly shared: boolean
  readonly lockAgeMs: number
  readonly log: (level: LogLevel, message: string, data?: Readonly<Record<string, unknown>>) => void
  readonly caches: GitCaches
  readonly fetches: SharedFetches
}

export type CachedObject =
  | { readonly kind: 'commit'; readonly commit: Commit }
  | { readonly kind: 'tag'; readonly tag: Tag }
  | { readonly kind: 'tree'; readonly entries: readonly TreeEntry[] }

/** A loose reference as it was read, and what its file looked like before. */
export type ShortFile = {
  readonly ino: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  readonly text: string
}

export type PackedRef = { readonly name: string; readonly oid: Oid; readonly peeled: Oid | undefined }

/** The parsed `packed-refs` file. `stamp` changes whenever the file does: git always replaces it by a new one. */
export type PackedRefs = {
  readonly stamp: string
  /** By name bytewise. */
  readonly list: readonly PackedRef[]
  readonly byName: ReadonlyMap<string, PackedRef>
  /** Whether an entry without `peeled` is known to be no tag. */
  readonly fullyPeeled: boolean
}

/**
 * Objects never change, so these are bounded but never invalidated. Their keys begin with the repository (or
 * quarantine), for an object of one repository must not become readable in another. A removed key is never used again.
 */
export type GitCaches = {
  readonly objects: Cache<string, CachedObject>
  readonly infos: Cache<string, { type: ObjectType; sizeBytes: number }>
  /** Contents of small files. */
  readonly blobs: Cache<string, Buffer>
  readonly packedRefs: Cache<string, PackedRefs>
  /** Loose references by their paths, looked at each time; see `ref-reader.ts`. */
  readonly shortFiles: Cache<string, ShortFile>
  readonly formats: Cache<string, ObjectFormat>
  /** Answers of history questions about fixed ids: counts, pages of logs, merge bases, ancestry, last commits. */
  readonly answers: Cache<string, NonNullable<unknown>>
  /** Answers that are being worked out, so that the same question is not worked on twice at once. */
  readonly pending: Map<string, Promise<NonNullable<unknown>>>
}

/** Where a repository (or a quarantine of it) is read from. */
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
  if (typeof at === 'string') return { key, directory, environment: undefined, scope: key }
  const objects = join(directory, 'objects')
  if ('with' in at) {
    if (!isGitKey(at.with)) throw new NotFound('the repository does not exist', 'git_repository_missing')
    const others = join(repositoryPath(context.root, at.with), 'objects')
    // A name of its own for all that is kept: what one repository borrows for a moment is none of its objects.
    return { key, directory, scope: `${key}+${at.with}`, environment: { GIT_ALTERNATE_OBJECT_DIRECTORIES: others } }
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

/** Throws `NotFound` when the failure of a call is only that the repository is not there. */
export function explainMissing(location: Location, error: unknown): never {
  if (!existsSync(join(location.directory, 'HEAD'))) {
    throw new NotFound('the repository does not exist', 'git_repository_missing')
  }
  throw error
}

/** Ids come from callers who got them from clients: nothing that is not an id reaches a command line. */
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
  const format = /^\s*objectformat\s*=\s*sha256\s*$/im.test(text) ? 'sha256' : 'sha1'
  context.caches.formats.set(key, format)
  return format
}

/** Empty caches, for which there is so much memory together with all others of the application. */
export function newCaches(budget: CacheBudget): GitCaches {
  return {
    objects: budget.open('git objects', { sizeOf: (object, key) => key.length + sizeOfCached(object) }),
    infos: budget.open('git objects', { sizeOf: (_, key) => key.length + 50 }),
    blobs: budget.open('git objects', { sizeOf: (content, key) => key.length + content.length }),
    // However many there are: without it they are read again for each one that is asked for.
    packedRefs: budget.open('git references', {
      maxEntryBytes: budget.maxBytes,
      sizeOf: ({ byName }) => byName.size * 200,
    }),
    shortFiles: budget.open('git references', { sizeOf: ({ text }, path) => path.length + text.length + 100 }),
    formats: budget.open('git references', { sizeOf: (_, key) => key.length }),
    answers: budget.open('git answers', { sizeOf: sizeOfAnswer }),
    pending: new Map(),
  }
}

/** About the bytes an answer and its key take. */
function sizeOfAnswer(answer: NonNullable<unknown>, key: string): number {
  if (Array.isArray(answer)) return key.length + answer.length * (typeof answer[0] === 'object' ? 400 : 80)
  return key.length + (answer instanceof Map ? answer.size * 200 : 50)
}

function sizeOfCached(object: CachedObject): number {
  if (object.kind === 'tree') return object.entries.length * 180
  const { message, signature, signedPayload } = object.kind === 'commit' ? object.commit : object.tag
  return 900 + message.length * 2 + (signature?.length ?? 0) + (signedPayload?.length ?? 0)
}
