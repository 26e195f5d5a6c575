import { mapLimited } from '../lib/map-limited.ts'
import type { Unix } from '../lib/time.ts'
import type { Blobs } from './blobs.ts'

/** Files that are looked up in one question, and removed at the same time. */
const batch = 200
const parallelDeletions = 8

/** Removes files of a store that no row names and that came before a moment: what a crash left between a file and its row. */
export async function removeStrayFiles(
  blobs: Blobs,
  stray: {
    readonly beforeUnix: Unix
    /** Those of some files that rows name. */
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
