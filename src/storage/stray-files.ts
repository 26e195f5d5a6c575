import { mapLimited } from '../lib/map-limited.ts'
import type { Unix } from '../lib/time.ts'
import type { Blobs } from './blobs.ts'

/** Number of files looked up, and deleted, together. */
const batch = 200
const parallelDeletions = 8

/** Deletes files that no row names and that are older than a time, left by crashes between file and row. */
export async function removeStrayFiles(
  blobs: Blobs,
  stray: {
    readonly beforeUnix: Unix
    /** Returns the files that rows name. */
    readonly usedAmong: (keys: readonly string[]) => Promise<ReadonlySet<string>>
    readonly signal: AbortSignal
  },
): Promise<void> {
  let keys: string[] = []
  const removeUnnamed = async (): Promise<void> => {
    const used = await stray.usedAmong(keys)
    const unnamed = keys.filter((key) => !used.has(key))
    await mapLimited(unnamed, parallelDeletions, (key) => blobs.delete(key))
    keys = []
  }
  for await (const { key, modifiedUnix } of blobs.list('')) {
    stray.signal.throwIfAborted()
    if (modifiedUnix >= stray.beforeUnix) continue
    keys.push(key)
    if (keys.length >= batch) await removeUnnamed()
  }
  if (keys.length > 0) await removeUnnamed()
}
