import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { finished, Readable } from 'node:stream'
import { fetchedPrefix } from '../../lib/refs.ts'
import { type GitContext, locate } from '../context.ts'
import { copyRemoved, isOfRemoved } from '../copy-parts.ts'
import type { GitKey } from '../git-key.ts'
import { readRefs } from '../refs/ref-reader.ts'
import { hasGeneration, inOrder } from '../refs/ref-copy.ts'
import { listKeys, remove } from './repository.ts'

/**
 * Runs a call while the copies of its repositories are in use: until it has failed, or what it returned has ended (a
 * stream, a service of git). A copy in use is not evicted.
 */
export async function using<Result>(
  { uses }: GitContext,
  keys: readonly GitKey[],
  call: () => Promise<Result>,
): Promise<Result> {
  for (const key of keys) uses.counts.set(key, (uses.counts.get(key) ?? 0) + 1)
  const end = (): void => {
    for (const key of keys) {
      const left = uses.counts.get(key)! - 1
      if (left === 0) uses.counts.delete(key)
      else uses.counts.set(key, left)
      uses.lastMs.set(key, performance.now())
    }
  }
  try {
    const result = await call()
    onEnd(result, end)
    return result
  } catch (error) {
    end()
    throw error
  }
}

/** Rejects with `Unavailable` when a copy was removed from the disk during a call. The next reader brings it back. */
export async function explainRemoved(context: GitContext, keys: readonly GitKey[], error: unknown): Promise<never> {
  for (const key of keys) {
    if (!isOfRemoved(context, key, error)) continue
    // The source does not know a repository that is deleted.
    if ((await context.source?.generation(key)) === undefined) continue
    throw Object.assign(copyRemoved(), { cause: error })
  }
  throw error
}

/** Calls `end` when a result lasts no longer. */
function onEnd(result: unknown, end: () => void): void {
  if (typeof result !== 'object' || result === null) return end()
  const stream = result instanceof Readable ? result : 'stream' in result ? result.stream : undefined
  if ('finished' in result) Promise.resolve(result.finished).then(end, end)
  else if (stream instanceof Readable) finished(stream, { writable: false }, end)
  else end()
}

/** The part of the budget that copies have after an eviction, so that the next fetch causes none. */
const filledPart = 0.9

/** Evicts copies that were not used for the longest time until the others are within the budget. Returns their keys. */
export async function evictCopies(context: GitContext): Promise<readonly GitKey[]> {
  const { bytes: budgetBytes, idleMs } = context.copyBudget
  const copies = []
  for await (const key of listKeys(context)) copies.push({ key, ...(await measureCopy(context, key)) })
  let left = copies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (left <= budgetBytes) return []
  const evicted: GitKey[] = []
  const nowMs = performance.now()
  for (const { key, sizeBytes, usedMs } of copies.toSorted((one, other) => one.usedMs - other.usedMs)) {
    if (left <= budgetBytes * filledPart) break
    if (nowMs - usedMs < idleMs) break
    if (!(await evict(context, key))) continue
    evicted.push(key)
    left -= sizeBytes
  }
  return evicted
}

/** Whether a copy belongs to a repository that the source does not know any more: deleted, or with another key now. */
export const isForsaken = async (context: GitContext, key: GitKey): Promise<boolean> =>
  context.home.isElsewhere && hasGeneration(context, key) && (await context.source?.generation(key)) === undefined

/** Removes forsaken copies that this process has not used for the idle time. Returns their number. */
export async function removeForsaken(context: GitContext): Promise<number> {
  let count = 0
  for await (const key of listKeys(context)) {
    const usedMs = context.uses.lastMs.get(key) ?? -Infinity
    if (performance.now() - usedMs < context.copyBudget.idleMs || !(await isForsaken(context, key))) continue
    if (await evict(context, key)) count += 1
  }
  return count
}

/** Bytes of the packs of a copy, and when it was used last; by its folder when this process has not used it. */
async function measureCopy(context: GitContext, key: GitKey): Promise<{ sizeBytes: number; usedMs: number }> {
  const folder = join(locate(context, key).directory, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  const sizeBytes = found.reduce((sum, file) => sum + (file?.size ?? 0), 0)
  const usedMs = context.uses.lastMs.get(key)
  if (usedMs !== undefined) return { sizeBytes, usedMs }
  const changed = await stat(folder).catch(() => undefined)
  return { sizeBytes, usedMs: (changed?.mtimeMs ?? 0) - performance.timeOrigin }
}

/** Removes a copy, unless it is in use or its repository is being made. That of a deleted repository has a generation. */
async function evict(context: GitContext, key: GitKey): Promise<boolean> {
  const { copies, uses, source } = context
  if (uses.counts.has(key) || copies.working.has(key)) return false
  if ((await source?.generation(key)) === undefined && !hasGeneration(context, key)) return false
  let isEvicted = false
  // Readers that come now wait, and then bring the copy up.
  await inOrder(context, key, async () => {
    if (!existsSync(locate(context, key).directory)) return
    // References fetched aside are nowhere else. Nobody can use those of a forsaken copy.
    const aside = (await isForsaken(context, key)) ? [] : await readRefs(context, key, fetchedPrefix)
    if (aside.length > 0 || uses.counts.has(key)) return
    await remove(context, key)
    uses.lastMs.delete(key)
    isEvicted = true
  })
  return isEvicted
}
