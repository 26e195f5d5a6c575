/**
 * References are read straight from the files backend, without a process: loose files first, then `packed-refs`. That
 * is git's own order, and right in the face of a concurrent `pack-refs`, which writes the packed file before it removes
 * loose ones. So a change is visible to the next read, whoever made it (a push, this layer, another server on a shared
 * folder).
 */
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { fetchedPrefix, isOid } from '../../lib/refs.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import { type GitKey, repositoryPath } from '../git-key.ts'
import type { BareRef, ReadFrom, Ref, Resolved } from '../git.ts'
import { flushRefs } from '../files/flush.ts'
import { removeDeadLocks } from '../files/leftovers.ts'
import { expandAbbreviation, objectInfo, objectInfos, peel, readCommits, readTag } from '../objects/object-reader.ts'
import { compareNames, readPackedRefs } from './packed-refs.ts'
import { isValidRefName } from './ref-name.ts'

const maxSymbolicDepth = 5
/** Loose files read at the same time. */
const parallelReads = 32

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** A folder of that name counts as no file: `refs/heads/a` when only `refs/heads/a/b` exists. */
const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')

/** The text of a file of the repository, undefined when there is no such file. */
async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** Age from which a file's time tells it from the next one: no file system keeps time so coarsely, in milliseconds. */
const settledMs = 3000

/**
 * The same for one short file, at once: what a thread pool adds to it is ten times the work. A file that is the same by
 * its time, number and size is not read again, unless it was changed so shortly before that another change would leave
 * all three as they are. Looking first is also for the usual case of a packed reference, where an error would be made
 * only to be dropped.
 */
function readIfPresentNow({ caches: { shortFiles } }: GitContext, path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) return undefined
    const { ino, mtimeMs, ctimeMs, size } = found
    const known = shortFiles.get(path)
    if (known?.ino === ino && known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.size === size) {
      return known.text
    }
    const text = readFileSync(path, 'utf8')
    if (Date.now() - Math.max(mtimeMs, ctimeMs) > settledMs) shortFiles.set(path, { ino, mtimeMs, ctimeMs, size, text })
    return text
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** The id a full reference name holds now; symbolic references are followed. */
export const readRef = (context: GitContext, key: GitKey, ref: string): Promise<Oid | undefined> =>
  follow(context, key, ref, (path) => readIfPresentNow(context, path), 0)

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
  const text = readIfPresentNow(context, join(repositoryPath(context.root, key), 'HEAD'))
  if (text === undefined) throw new NotFound('the repository does not exist', 'git_repository_missing')
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]
  // A detached HEAD is nothing this layer makes; an imported repository may have one.
  if (branch === undefined) return { branch: '', oid: isOid(text.trim()) ? (text.trim() as Oid) : undefined }
  return { branch, oid: await readRef(context, key, `refs/heads/${branch}`) }
}

/** Points HEAD at a branch, which need not exist. */
export async function setHead(context: GitContext, key: GitKey, branch: string): Promise<void> {
  if (!isValidRefName(`refs/heads/${branch}`)) throw new TypeError('not a branch name')
  await removeDeadLocks(context, key, ['HEAD'])
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
 * All references below a prefix (`refs/` by default, any text that a name may begin with), by name bytewise. Those of
 * another server that lie aside are given to who asks for them alone.
 */
export async function readRefs(context: GitContext, key: GitKey, prefix = 'refs/'): Promise<readonly BareRef[]> {
  // Only folders that can hold matches are listed: `refs/heads/fea` lists `refs/heads`.
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

/** Both in the order of their names; what has a file of its own is as that says. */
function merged(packed: readonly BareRef[], loose: readonly BareRef[]): readonly BareRef[] {
  if (loose.length === 0) return packed
  const all: BareRef[] = []
  let next = 0
  for (const ref of loose) {
    // Most often there are few of these among very many.
    const end = firstFrom(packed, ref.name, next)
    for (; next < end; next += 1) all.push(packed[next]!)
    if (packed[next]?.name === ref.name) next += 1
    all.push(ref)
  }
  for (; next < packed.length; next += 1) all.push(packed[next]!)
  return all
}

/** Where the first reference is, from a place on, whose name is that one or comes after it. */
function firstFrom(refs: readonly BareRef[], name: string, from: number): number {
  let end = refs.length
  while (from < end) {
    const middle = (from + end) >>> 1
    if (compareNames(refs[middle]!.name, name) < 0) from = middle + 1
    else end = middle
  }
  return from
}

/** The references that have a file of their own, in a folder and below, by name bytewise. */
async function readLoose(context: GitContext, key: GitKey, folder: string): Promise<readonly BareRef[]> {
  const names: string[] = []
  await listFiles(repositoryPath(context.root, key), folder, names)
  const refs: BareRef[] = []
  await mapLimited(names, parallelReads, async (name) => {
    // There may be thousands, which must not hold up everything else.
    const oid = await follow(context, key, name, readIfPresent, 0)
    if (oid !== undefined) refs.push({ name, oid })
  })
  return refs.sort((one, other) => compareNames(one.name, other.name))
}

/**
 * Stands for all references as they are now: another text as soon as one of them, or HEAD, has moved. It may also be another
 * one when they were only packed anew.
 */
export async function refsStamp(context: GitContext, key: GitKey): Promise<string> {
  const { branch } = await readHead(context, key)
  // In this order: what is packed between the two is in both, and never in none.
  const loose = await readLoose(context, key, 'refs')
  const { stamp } = await readPackedRefs(context, key)
  const lines = loose.map(({ name, oid }) => `${oid} ${name}`)
  return hash('sha256', `${branch}\n${stamp}\n${lines.join('\n')}`, 'base64url')
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

/** Whether no branch exists. Stops at the first one. */
export async function isEmpty(context: GitContext, key: GitKey): Promise<boolean> {
  return (await readRefs(context, key, 'refs/heads/')).length === 0
}

type Sort = 'name' | '-committerdate' | '-creatordate'

/** Seconds since 1970 of a reference: of the commit, or (creator date) of the tag object where there is one. */
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
  // Newest first; the sort is stable, so equals stay in the order of their names.
  refs.sort((a, b) => dates.get(b.name)! - dates.get(a.name)!)
  return { refs: refs.slice(skip, skip + limit), total: refs.length }
}

/** Adds types and peeled ids, in two batches at most but for tags of tags. */
async function withTypes(context: GitContext, key: GitKey, bare: readonly BareRef[]): Promise<readonly Ref[]> {
  const infos = await objectInfos(
    context,
    key,
    bare.map((ref) => ref.oid),
  )
  const packed = (await readPackedRefs(context, key)).byName
  const refs: Ref[] = []
  const tagTargets = bare.flatMap((ref) => {
    const entry = packed.get(ref.name)
    return entry?.oid === ref.oid && entry.peeled !== undefined ? [entry.peeled] : []
  })
  const targets = tagTargets.length === 0 ? undefined : await objectInfos(context, key, tagTargets)
  for (const ref of bare) {
    const type = infos.get(ref.oid)?.type
    // A reference to nothing (a damaged repository) is left out rather than failing the whole list.
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

/** Whole ids first (no branch can pretend to be a commit), then branch, tag, full reference, abbreviated id. */
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
  // Shorter ones are soon guessed through, and name what no reference reaches any more as well.
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
