import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { StoredPack } from '../git.ts'

/** Packs of one repository from which joining some pays. */
const manyPacks = 8

/** How much larger than all smaller packs together a pack is in a geometric progression. */
const factor = 2

/**
 * Returns the packs to join so that the sizes of all packs form a geometric progression, as `git repack --geometric` does:
 * each object is packed again a logarithmic number of times. Empty: nothing is to be joined.
 */
export function packsToJoin<Pack extends Pick<StoredPack, 'sizeBytes'>>(packs: readonly Pack[]): readonly Pack[] {
  if (packs.length < manyPacks) return []
  const sorted = packs.toSorted((one, other) => one.sizeBytes - other.sizeBytes)
  let smallerBytes = 0
  let count = 0
  for (const [index, { sizeBytes }] of sorted.entries()) {
    if (sizeBytes < factor * smallerBytes) count = index + 1
    smallerBytes += sizeBytes
  }
  return sorted.slice(0, count)
}

/** Writes a pack with all objects of packs on the disk, and stores it. */
export async function joinPacks(context: GitContext, key: GitKey, names: readonly string[]): Promise<StoredPack> {
  const location = locate(context, key)
  const ended = await context.broker
    .run({
      args: ['pack-objects', '--stdin-packs', '--quiet', join('objects', 'pack', 'pack')],
      cwd: location.directory,
      kind: 'maintenance',
      timeoutMs: context.limits.transportTimeoutMs,
      input: Buffer.from(names.map((name) => `pack-${name}.pack\n`).join('')),
    })
    .catch((error: unknown) => explainMissing(location, error))
  mustSucceed(ended, 'pack-objects')
  const name = ended.stdout.toString().trim()
  try {
    return await context.home.send(context, key, name)
  } catch (error) {
    // The next change would store it.
    if (!names.includes(name)) await dropPacks(context, key, [name])
    throw error
  }
}

/** Removes packs whose objects are in others. Processes that read them go on. */
export async function dropPacks(context: GitContext, key: GitKey, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const { directory } = locate(context, key)
  const folder = join(directory, 'objects', 'pack')
  // It names them, and its bitmap is of no use without them.
  await dropIndex(directory)
  for (const name of names) {
    for (const ending of ['.idx', '.rev', '.pack']) await rm(join(folder, `pack-${name}${ending}`), { force: true })
  }
}

/** Removes the index of several packs, and its bitmap, from a repository. */
export async function dropIndex(directory: string): Promise<void> {
  const folder = join(directory, 'objects', 'pack')
  for (const name of await readdir(folder)) {
    if (name.startsWith('multi-pack-index') && !name.endsWith('.lock')) await rm(join(folder, name), { force: true })
  }
}
