/**
 * The references of a repository on the disk are a copy: the source (`RefSource`, the database) decides. The file
 * `generation` says which generation the copy has. Whoever reads references asks `ready` first, which brings a copy up
 * that lags: after a crash, after a restored backup, after a change by another process.
 */
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFound, Unavailable } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { isZeroOid, zeroOid } from '../../lib/refs.ts'
import { formatOf, type GitContext, locate } from '../context.ts'
import { copyRemoved, isHere, isOfRemoved } from '../copy-parts.ts'
import { manyReferences } from '../files/flush.ts'
import { whileHolding } from '../files/owned-lock.ts'
import type { GitKey } from '../git-key.ts'
import { foldersOf, type RefState, type RefStep } from '../git.ts'
import { objectInfos } from '../objects/object-reader.ts'
import { packsOn } from '../packs/blob-home.ts'
import { packRefs } from './pack-refs.ts'
import { readHead, readRefs, setHead } from './ref-reader.ts'
import { updateRefs } from './ref-writer.ts'

/** How long one request believes that a copy is up to date, while other processes may change references, in milliseconds. */
const believedMs = 1000

export const generationFile = 'generation'

/** How often a copy is brought up when it is removed meanwhile. */
const mostAttempts = 3

/**
 * Brings a copy up if it lags. Returns undefined when there is nothing to wait for. Rejects when the copy cannot be
 * brought up.
 */
export function ready(context: GitContext, key: GitKey): Promise<void> | undefined {
  const { source, caches, copies, shared } = context
  if (!source) return undefined
  const work = copies.working.get(key)
  if (work) {
    // The last work may have found nothing to do after another one failed.
    const again = (): Promise<void> | undefined => ready(context, key)
    return work.then(again, again)
  }
  // The copy may have been removed.
  const isThere = !context.home.isElsewhere || isHere(context, key)
  if (!shared) return isThere && caches.upToDate.get(key) ? undefined : verify(context, key)
  const request = source.request?.()
  const foundMs = request && copies.found.get(request)?.get(key)
  if (isThere && foundMs !== undefined && performance.now() - foundMs < believedMs) return undefined
  return verify(context, key, request)
}

/** Has the next reader compare a copy again, also in a request that has found it up to date. */
export function doubt({ source, caches, copies }: GitContext, key: GitKey): void {
  caches.upToDate.delete(key)
  const request = source?.request?.()
  if (request) copies.found.get(request)?.delete(key)
}

async function verify(context: GitContext, key: GitKey, request?: object): Promise<void> {
  const { caches, copies, source } = context
  const { failures } = copies
  const wanted = await source?.generation(key)
  // A repository that is being made, or deleted.
  if (wanted === undefined || !(context.home.isElsewhere || isHere(context, key))) return
  // Several readers may find the same copy behind: one of them works on it.
  for (let work = copies.working.get(key); work; work = copies.working.get(key)) await work.catch(() => undefined)
  if (!isHere(context, key) || readGeneration(context, key) !== wanted) await bringUp(context, key)
  // A change that failed meanwhile may have been to this copy.
  if (copies.failures !== failures) return
  caches.upToDate.set(key, true)
  if (request === undefined) return
  const found = copies.found.get(request) ?? new Map<GitKey, number>()
  copies.found.set(request, found.set(key, performance.now()))
}

/**
 * The generation of a copy. NaN: the file is damaged. A new repository has no file and the generation 0; where objects are
 * elsewhere, a copy without the file may lack them.
 */
function readGeneration(context: GitContext, key: GitKey): number {
  try {
    const text = readFileSync(join(locate(context, key).directory, generationFile), 'latin1')
    return /^\d+\n$/.test(text) ? Number(text) : Number.NaN
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return context.home.isElsewhere ? Number.NaN : 0
    throw error
  }
}

/** Whether a copy was brought up once. */
export const hasGeneration = (context: GitContext, key: GitKey): boolean =>
  existsSync(join(locate(context, key).directory, generationFile))

/** Copies a committed change. Readers wait for it from this call on. */
export function advance(context: GitContext, key: GitKey, step: RefStep): Promise<void> {
  const { steps } = context.copies
  steps.set(key, [...(steps.get(key) ?? []), step])
  return inOrder(context, key, () => workOn(context, key, 'steps'))
}

/** Compares a whole copy with the source and brings it up. */
export const bringUp = (context: GitContext, key: GitKey): Promise<void> =>
  inOrder(context, key, () => workOn(context, key, 'whole'))

/** Works on one copy in order. Readers wait. */
export function inOrder(context: GitContext, key: GitKey, act: () => Promise<void>): Promise<void> {
  const { working } = context.copies
  const before = working.get(key) ?? Promise.resolve()
  const work = before.catch(() => undefined).then(act)
  working.set(key, work)
  const end = (): void => {
    if (working.get(key) === work) working.delete(key)
  }
  work.then(end, () => {
    // The next reader compares and tries again.
    context.caches.upToDate.delete(key)
    context.copies.failures += 1
    end()
  })
  return work
}

async function workOn(context: GitContext, key: GitKey, how: 'steps' | 'whole'): Promise<void> {
  await copy(context, key, how)
  context.onCopied(key)
}

async function copy(context: GitContext, key: GitKey, how: 'steps' | 'whole'): Promise<void> {
  const { copies } = context
  // Taken together: changes that came meanwhile cost one process.
  const steps = copies.steps.get(key) ?? []
  copies.steps.delete(key)
  if (how === 'steps' && steps.length === 0) return
  for (let attempt = 1; ; attempt++) {
    try {
      if (!isHere(context, key)) await makeCopy(context, key)
      return await whileLocked(context, key, () =>
        how === 'steps' && attempt === 1 ? followSteps(context, key, steps) : followState(context, key),
      )
    } catch (error) {
      if (attempt === mostAttempts || !isOfRemoved(context, key, error)) throw error
    }
  }
}

async function followSteps(context: GitContext, key: GitKey, steps: readonly RefStep[]): Promise<void> {
  const present = readGeneration(context, key)
  const joined = joinSteps(steps, present)
  // Another process copied them, unless this is a copy from before the database was restored.
  if (joined === 'copied' && (await context.source?.generation(key)) === present) return
  if (typeof joined === 'object') {
    try {
      return await applyStep(context, key, joined)
    } catch (error) {
      if (error instanceof Unavailable || isOfRemoved(context, key, error)) throw error
      context.log('warn', 'a change of references did not fit the copy on the disk, which is compared now', {
        key,
        error: String(error),
      })
    }
  }
  await followState(context, key)
}

async function followState(context: GitContext, key: GitKey): Promise<void> {
  const state = await context.source?.state(key)
  if (state) await applyState(context, key, state)
}

/** Makes an empty copy of a repository whose objects are elsewhere. */
async function makeCopy(context: GitContext, key: GitKey): Promise<void> {
  const state = await context.source?.state(key)
  if (!state) throw new NotFound('the repository does not exist', 'git_repository_missing')
  // A former copy was evicted, or somebody removed it: its readers end, and what is cached of it does not count.
  await context.broker.release(locate(context, key).directory)
  context.caches.packedRefs.delete(key)
  context.copies.made.set(key, (context.copies.made.get(key) ?? 0) + 1)
  try {
    await context.home.make(context, key, state)
  } catch (error) {
    // A command beside the server made it.
    if (!isHere(context, key)) throw error
  }
}

/**
 * Joins changes into one that follows the present generation of a copy; `copied`: the copy is as new. Undefined when a
 * change between is missing: another process made it.
 */
function joinSteps(steps: readonly RefStep[], present: number): RefStep | 'copied' | undefined {
  const left = steps
    .filter(({ generation }) => !(generation <= present))
    .toSorted((one, other) => one.generation - other.generation)
  const last = left.at(-1)
  if (!last) return 'copied'
  if (!left.every(({ generation }, index) => generation === present + 1 + index)) return undefined
  return {
    generation: last.generation,
    updates: [...new Map(left.flatMap(({ updates }) => updates.map(({ ref, new: oid }) => [ref, oid] as const)))].map(
      ([ref, oid]) => ({ ref, new: oid }),
    ),
    head: left.findLast(({ head }) => head !== undefined)?.head,
  }
}

async function applyStep(context: GitContext, key: GitKey, { generation, updates, head }: RefStep): Promise<void> {
  // One file costs less than thousands.
  if (updates.length > manyReferences) await packRefs(context, key, updates)
  else await setRefs(context, key, updates)
  if (head !== undefined && (await readHead(context, key)).branch !== head) await setHead(context, key, head)
  await writeFile(join(locate(context, key).directory, generationFile), `${generation}\n`)
}

async function setRefs(context: GitContext, key: GitKey, updates: RefStep['updates']): Promise<void> {
  // Deletions go first: a branch `a` makes room for a branch `a/b`.
  const gone = updates.filter((update) => isZeroOid(update.new))
  const set = updates.filter((update) => !isZeroOid(update.new))
  for (const part of makesRoom(gone, set) ? [gone, set] : [updates]) {
    const result = await updateRefs(
      context,
      key,
      part.map((update) => ({ ...update, old: undefined })),
    )
    if (!result.ok) throw new Error(`the reference ${result.ref} was not copied: ${result.message}`)
  }
}

const makesRoom = (gone: RefStep['updates'], set: RefStep['updates']): boolean => {
  if (gone.length === 0 || set.length === 0) return false
  const names = new Set(gone.map(({ ref }) => ref))
  return set.some(({ ref }) => foldersOf(ref).some((folder) => names.has(folder))) || coversOne(names, set)
}

/** Whether one of the set references is a folder of a deleted one. */
const coversOne = (names: ReadonlySet<string>, set: RefStep['updates']): boolean => {
  const folders = new Set([...names].flatMap(foldersOf))
  return set.some(({ ref }) => folders.has(ref))
}

/** Makes a copy equal to a state, with its objects. A reference whose object is missing here stays as it is, and is reported. */
async function applyState(
  context: GitContext,
  key: GitKey,
  { generation, head, refs, packs }: RefState,
): Promise<void> {
  await context.home.bring(context, key, packs)
  const present = new Map((await readRefs(context, key)).map(({ name, oid }) => [name, oid]))
  const none = zeroOid(await formatOf(context, key))
  const wanted = [...refs].filter(([name, oid]) => present.get(name) !== oid)
  const oids = [...new Set(wanted.map(([, oid]) => oid))]
  const there = await objectInfos(context, key, oids)
  if (there.size < oids.length) await refuseRemoved(context, key, packs)
  const updates: { ref: string; new: Oid }[] = []
  for (const [ref, oid] of wanted) {
    if (there.has(oid)) updates.push({ ref, new: oid })
    else context.log('error', 'the object of a reference is missing', { key, ref, oid })
  }
  for (const name of present.keys()) if (!refs.has(name)) updates.push({ ref: name, new: none })
  await applyStep(context, key, { generation, updates, head })
}

/**
 * Throws when packs that were brought are gone: the copy was removed meanwhile, and lacks no object of the repository. A copy
 * without the references of such objects would seem to be up to date.
 */
async function refuseRemoved(context: GitContext, key: GitKey, packs: RefState['packs']): Promise<void> {
  if (!context.home.isElsewhere) return
  const left = new Set(await packsOn(locate(context, key).directory))
  if (packs.some(({ name }) => !left.has(name))) throw copyRemoved()
}

/** Excludes other processes that work on the same copy: replicas, and commands beside a server. */
const whileLocked = (context: GitContext, key: GitKey, work: () => Promise<void>): Promise<void> =>
  whileHolding(context, join(locate(context, key).directory, `${generationFile}.lock`), work)
