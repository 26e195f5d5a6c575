/**
 * Reads references from the files backend without a process: loose files first, then `packed-refs`. This is git's own
 * order, and it is safe during a concurrent `pack-refs`, which writes the packed file before it removes loose ones.
 * Each read sees the changes of all writers: pushes, this layer, other servers on a shared folder.
 */
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pluck } from '../../lib/pluck.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { fetchedPrefix, isOid } from '../../lib/refs.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import { type GitKey, repositoryPath } from '../git-key.ts'
import type { BareRef, ReadFrom, Ref, Resolved } from '../git.ts'
import { flushRefs } from '../files/flush.ts'
import { removeAbandonedLocks } from '../files/leftovers.ts'
import { expandAbbreviation, objectInfo, objectInfos, peel, readCommits, readTag } from '../objects/object-reader.ts'
import { compareNames, readPackedRefs } from './packed-refs.ts'
import { isValidRefName } from '../../lib/ref-name.ts'

const maxSymbolicDepth = 5
/** Concurrent reads of loose files. */
const parallelReads = 32

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** A folder is not a reference: `refs/heads/a` when only `refs/heads/a/b` exists. */
const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')

/** The text of a file; undefined when it does not exist. */
async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/**
 * The text of a short file, read synchronously: the thread pool costs ten times the work. `stat` comes first because a packed
 * reference has no file, and creating an error costs more than the call.
 */
function readShortFile(path: string): string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : undefined
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** The value of a full reference name; symbolic references are followed. */
export const readRef = (context: GitContext, key: GitKey, ref: string): Promise<Oid | undefined> =>
  follow(context, key, ref, readShortFile, 0)

async function follow(
  context: GitContext,
  key: GitKey,
  ref: string,
  read: (path: string) => string | undefined | Promise<string | undefined>,
  depth: number,
): Promise<Oid | undefined> {
  if (ref === 'HEAD') return (await readHead(context, key)).oid
  if (!isValidRefName(ref) || depth > maxSymbolicDepth) return undefined
  const text = (await read(`${repositoryPath(context.root, key)}/${ref}`))?.trimEnd()
  if (text?.startsWith('ref: ')) return follow(context, key, text.slice(5).trim(), read, depth + 1)
  if (text !== undefined && isOid(text)) return text
  return (await readPackedRefs(context, key)).byName.get(ref)?.oid
}

export async function readHead(context: GitContext, key: GitKey): Promise<{ branch: string; oid: Oid | undefined }> {
  const text = readShortFile(join(repositoryPath(context.root, key), 'HEAD'))
  if (text === undefined) throw new NotFound('the repository does not exist', 'git_repository_missing')
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]
  // This layer never detaches HEAD, but an imported repository may have a detached one.
  if (branch === undefined) return { branch: '', oid: isOid(text.trim()) ? (text.trim() as Oid) : undefined }
  return { branch, oid: await readRef(context, key, `refs/heads/${branch}`) }
}

/** Points HEAD at a branch, which need not exist. */
export async function setHead(context: GitContext, key: GitKey, branch: string): Promise<void> {
  if (!isValidRefName(`refs/heads/${branch}`)) throw new TypeError('not a branch name')
  await removeAbandonedLocks(context, key, ['HEAD'])
  const result = await context.broker
    .run({
      args: ['symbolic-ref', 'HEAD', `refs/heads/${branch}`],
      cwd: repositoryPath(context.root, key),
      kind: 'write',
    })
    .catch((error: unknown) => explainMissing(locate(context, key), error))
  if (result.exitCode !== 0) throw new Error(`git symbolic-ref failed: ${result.stderr}`)
  await flushRefs(context, repositoryPath(context.root, key), [])
}

/**
 * All references whose name begins with a prefix, in bytewise order. References fetched aside are returned only for
 * their own prefix.
 */
export async function readRefs(context: GitContext, key: GitKey, prefix = 'refs/'): Promise<readonly BareRef[]> {
  // Lists only the folder that can hold matches: `refs/heads` for `refs/heads/fea`.
  const folder = prefix.startsWith('refs/') ? prefix.slice(0, prefix.lastIndexOf('/')) : 'refs'
  if (folder.split('/').some((part) => part === '..' || part === '.')) return []
  const loose = await readLoose(context, key, folder)
  const { list: packed } = await readPackedRefs(context, key)
  const isAside = prefix.startsWith(fetchedPrefix)
  const isWanted = ({ name }: BareRef): boolean =>
    name.startsWith(prefix) && (isAside || !name.startsWith(fetchedPrefix))
  const refs = merged(packed, loose).filter(isWanted)
  if (refs.length === 0 && (await readIfPresent(join(repositoryPath(context.root, key), 'HEAD'))) === undefined) {
    throw new NotFound('the repository does not exist', 'git_repository_missing')
  }
  return refs
}

/** Merges both lists by name; a loose reference replaces the packed one. */
function merged(packed: readonly BareRef[], loose: readonly BareRef[]): readonly BareRef[] {
  if (loose.length === 0) return packed
  const all: BareRef[] = []
  let next = 0
  for (const ref of loose) {
    // Usually a few loose references among many packed ones.
    const end = firstFrom(packed, ref.name, next)
    for (; next < end; next += 1) all.push(packed[next]!)
    if (packed[next]?.name === ref.name) next += 1
    all.push(ref)
  }
  for (; next < packed.length; next += 1) all.push(packed[next]!)
  return all
}

/** Index of the first reference at or after `name`, searching from `from`. */
function firstFrom(refs: readonly BareRef[], name: string, from: number): number {
  let end = refs.length
  while (from < end) {
    const middle = (from + end) >>> 1
    if (compareNames(refs[middle]!.name, name) < 0) from = middle + 1
    else end = middle
  }
  return from
}

/** The loose references in a folder and below, in bytewise order. */
async function readLoose(context: GitContext, key: GitKey, folder: string): Promise<readonly BareRef[]> {
  const names: string[] = []
  await listFiles(repositoryPath(context.root, key), folder, names)
  const refs: BareRef[] = []
  await mapLimited(names, parallelReads, async (name) => {
    // Asynchronous, because there may be thousands.
    const oid = await follow(context, key, name, readIfPresent, 0)
    if (oid !== undefined) refs.push({ name, oid })
  })
  return refs.sort((one, other) => compareNames(one.name, other.name))
}

/** A text that changes when any reference or HEAD moves. It may also change when references are only packed. */
export async function refsStamp(context: GitContext, key: GitKey): Promise<string> {
  const { branch } = await readHead(context, key)
  // In this order a reference that is packed meanwhile is counted twice, never missed.
  const loose = await readLoose(context, key, 'refs')
  const { stamp } = await readPackedRefs(context, key)
  const lines = loose.map(({ name, oid }) => `${oid} ${name}`)
  return hash('sha256', `${branch}\n${stamp}\n${lines.join('\n')}`, 'base64url')
}

/** Names of the loose references, in no order. */
export async function listLoose(context: GitContext, key: GitKey): Promise<readonly string[]> {
  const names: string[] = []
  await listFiles(repositoryPath(context.root, key), 'refs', names)
  return names
}

async function listFiles(root: string, folder: string, into: string[]): Promise<void> {
  let entries
  try {
    entries = await readdir(join(root, folder), { withFileTypes: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return
    throw error
  }
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) await listFiles(root, name, into)
    else if (!entry.name.endsWith('.lock')) into.push(name)
  }
}

/** Whether the repository has no branch. */
export async function isEmpty(context: GitContext, key: GitKey): Promise<boolean> {
  return (await readRefs(context, key, 'refs/heads/')).length === 0
}

type Sort = 'name' | '-committerdate' | '-creatordate'

/** Unix time of each reference: of the commit, or of the tag object for creator dates. */
async function datesOf(
  context: GitContext,
  key: GitKey,
  refs: readonly Ref[],
  sort: Sort,
): Promise<Map<string, number>> {
  const commits = refs.filter((ref) => ref.peeledType === 'commit').map((ref) => ref.peeled)
  const seconds = new Map(
    (await readCommits(context, key, commits)).map((commit) => [commit.oid, commit.committer.unixSeconds] as const),
  )
  const dates = new Map<string, number>()
  for (const ref of refs) {
    const tagger =
      sort === '-creatordate' && ref.type === 'tag' ? (await readTag(context, key, ref.oid)).tagger : undefined
    dates.set(ref.name, tagger?.unixSeconds ?? seconds.get(ref.peeled) ?? 0)
  }
  return dates
}

export async function listRefs(
  context: GitContext,
  key: GitKey,
  query: {
    prefix?: string
    sort?: Sort
    skip?: number
    limit?: number
  } = {},
): Promise<{ refs: readonly Ref[]; total: number }> {
  const { sort = 'name', skip = 0, limit = Number.POSITIVE_INFINITY } = query
  const bare = await readRefs(context, key, query.prefix)
  if (sort === 'name') {
    return { refs: await withTypes(context, key, bare.slice(skip, skip + limit)), total: bare.length }
  }
  const refs = [...(await withTypes(context, key, bare))]
  const dates = await datesOf(context, key, refs, sort)
  // Newest first; the sort is stable, so equal dates keep the order of names.
  refs.sort((a, b) => dates.get(b.name)! - dates.get(a.name)!)
  return { refs: refs.slice(skip, skip + limit), total: refs.length }
}

/** Adds types and peeled ids, in two batches unless tags point at tags. */
async function withTypes(context: GitContext, key: GitKey, bare: readonly BareRef[]): Promise<readonly Ref[]> {
  const infos = await objectInfos(context, key, pluck(bare, 'oid'))
  const packed = (await readPackedRefs(context, key)).byName
  const refs: Ref[] = []
  const tagTargets = bare.flatMap((ref) => {
    const entry = packed.get(ref.name)
    return entry?.oid === ref.oid && entry.peeled !== undefined ? [entry.peeled] : []
  })
  const targets = tagTargets.length === 0 ? undefined : await objectInfos(context, key, tagTargets)
  for (const ref of bare) {
    const type = infos.get(ref.oid)?.type
    // A reference to a missing object is left out, so that one damaged reference does not fail the list.
    if (type === undefined) continue
    if (type !== 'tag') {
      refs.push({ ...ref, type, peeled: ref.oid, peeledType: type })
      continue
    }
    const entry = packed.get(ref.name)
    const packedType =
      entry?.oid === ref.oid && entry.peeled !== undefined ? targets?.get(entry.peeled)?.type : undefined
    const peeled =
      packedType !== undefined ? { oid: entry!.peeled!, type: packedType } : await peel(context, key, ref.oid)
    if (peeled !== undefined) refs.push({ ...ref, type, peeled: peeled.oid, peeledType: peeled.type })
  }
  return refs
}

/** Whole ids come first, so that no branch can pose as a commit; then branch, tag, full reference, abbreviated id. */
export async function resolve(context: GitContext, at: ReadFrom, rev: string): Promise<Resolved | undefined> {
  const key = typeof at === 'string' ? at : at.key
  if (rev === '' || rev.length > 1024) return undefined
  if (isOid(rev)) {
    const found = await describe(context, at, rev, undefined)
    if (found !== undefined) return found
  }
  const candidates =
    rev === 'HEAD' ? ['HEAD'] : [`refs/heads/${rev}`, `refs/tags/${rev}`, ...(rev.startsWith('refs/') ? [rev] : [])]
  for (const ref of candidates) {
    const oid = await readRef(context, key, ref)
    if (oid !== undefined) return describe(context, at, oid, ref)
  }
  // Shorter ids are easy to guess, and they also name unreachable objects.
  if (!/^[0-9a-f]{7,64}$/i.test(rev)) return undefined
  const oid = await expandAbbreviation(context, at, rev.toLowerCase())
  return oid === undefined ? undefined : describe(context, at, oid, undefined)
}

export async function resolveRef(context: GitContext, key: GitKey, ref: string): Promise<Resolved | undefined> {
  const oid = await readRef(context, key, ref)
  return oid === undefined ? undefined : describe(context, key, oid, ref)
}

async function describe(
  context: GitContext,
  at: ReadFrom,
  oid: Oid,
  ref: string | undefined,
): Promise<Resolved | undefined> {
  const info = await objectInfo(context, at, oid)
  if (info === undefined) return undefined
  const peeled = info.type === 'tag' ? await peel(context, at, oid) : { oid, type: info.type }
  return {
    oid,
    type: info.type,
    ...(peeled?.type === 'commit' ? { commit: peeled.oid } : {}),
    ...(ref === undefined ? {} : { ref }),
  }
}
