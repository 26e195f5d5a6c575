import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { mapLimited } from '../../lib/map-limited.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import { lockedFiles, removeAbandoned, removeAbandonedLocks } from '../files/leftovers.ts'
import { filesBelow, isGone } from '../files/walk.ts'
import type { GitKey } from '../git-key.ts'
import type { MaintenanceTask } from '../git.ts'
import { looseObjects, packsOn } from '../packs/blob-home.ts'
import { dropIndex } from '../packs/join-packs.ts'

/** Numbers of loose objects and packs that justify a repack. */
const manyLooseObjects = 2000
const manyPacks = 20
/** Size of all packs from which a bitmap pays. */
const bitmapFromBytes = 2 << 20
const manyLooseRefs = 200

/** How long objects are kept after they were found unreachable: writes under way, and backups, may refer to them. */
const kept = '2.weeks.ago'

/** Files whose times are set side by side. */
const atOnce = 8

/** Runs maintenance tasks. Without `force` a task runs only when its threshold is exceeded. */
export async function maintain(
  context: GitContext,
  key: GitKey,
  tasks: readonly MaintenanceTask[],
  options: { force?: boolean } = {},
): Promise<{ done: readonly MaintenanceTask[] }> {
  const location = locate(context, key)
  const { force = false } = options
  const done: MaintenanceTask[] = []
  await removeAbandonedLocks(context, key, lockedFiles)
  const run = async (args: readonly string[], input?: Buffer): Promise<void> => {
    mustSucceed(
      await context.broker
        .run({
          args,
          input,
          cwd: location.directory,
          kind: 'maintenance',
          timeoutMs: context.limits.transportTimeoutMs,
        })
        .catch((error: unknown) => explainMissing(location, error)),
      args[0]!,
    )
  }
  for (const task of tasks) {
    // Packs on the disk are those of the manifest.
    if (context.home.isElsewhere && task === 'repack') continue
    if (task === 'leftovers') await removeAbandoned(context, key)
    else if (task === 'pack-refs') {
      if (!force && (await countLooseRefs(location.directory)) < manyLooseRefs) continue
      await run(['pack-refs', '--all'])
    } else if (task === 'bitmap') {
      if (!force && !(await lacksBitmap(location.directory, await packFiles(location.directory)))) continue
      // A bitmap over the present packs: repacking them takes twice as long. Loose objects are packed first, because
      // git writes no bitmap unless packs hold all reachable objects.
      if (!context.home.isElsewhere) await run(['repack', '-d', '-l', '--quiet', '--no-write-bitmap-index'])
      await writeIndex(context, key, (names) =>
        run(['multi-pack-index', 'write', '--bitmap', '--no-progress', '--stdin-packs'], names),
      )
    } else if (task === 'commit-graph') {
      await run(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'])
    } else {
      if (!force && !(await needsRepack(location.directory))) continue
      await freshen(location.directory)
      await run(['repack', '-d', '-l', '--quiet', '--cruft', `--cruft-expiration=${kept}`, '--write-bitmap-index'])
    }
    done.push(task)
  }
  return { done }
}

const packFolder = join('objects', 'pack')
const packFiles = (directory: string): Promise<string[]> => readdir(join(directory, packFolder)).catch(() => [])

async function needsRepack(directory: string): Promise<boolean> {
  const names = await packFiles(directory)
  if (names.filter((name) => name.endsWith('.pack')).length > manyPacks) return true
  if (await lacksBitmap(directory, names)) return true
  // Ids are spread evenly, so one of 256 folders is a sample.
  const sample = await readdir(join(directory, 'objects', '17')).catch(() => [])
  return sample.length > manyLooseObjects / 256
}

/**
 * Whether the packs lack a bitmap that clones would gain by: it saves the walk of the history. A repository that
 * borrows objects cannot have one.
 */
async function lacksBitmap(directory: string, names: readonly string[]): Promise<boolean> {
  if (names.some((name) => name.endsWith('.bitmap'))) return false
  const packs = names.filter((name) => name.endsWith('.pack'))
  const found = await Promise.all(packs.map((name) => stat(join(directory, packFolder, name)).catch(() => undefined)))
  if (found.reduce((sum, pack) => sum + (pack?.size ?? 0), 0) < bitmapFromBytes) return false
  const alternates = await stat(join(directory, 'objects', 'info', 'alternates')).catch(() => undefined)
  return alternates === undefined
}

/**
 * Writes an index of several packs. One must not stay that has a joined pack beside another that it replaced: readers look for
 * an object in the one that has gone, and skip the other, because the index has it too.
 * @param write takes the packs, one in each line
 */
async function writeIndex(context: GitContext, key: GitKey, write: (names: Buffer) => Promise<void>): Promise<void> {
  const { directory } = locate(context, key)
  const present = await packsOn(directory)
  const names = context.home.isElsewhere ? await namedPacks(context, key, present) : present
  if (names.length === 0) return
  await write(Buffer.from(names.map((name) => `pack-${name}.idx\n`).join('')))
  const left = new Set(await packsOn(directory))
  // Replaced meanwhile.
  if (names.some((name) => !left.has(name))) await dropIndex(directory)
}

/** Returns the packs that the source names: a joined pack, or those that it replaces. */
async function namedPacks(context: GitContext, key: GitKey, present: readonly string[]): Promise<readonly string[]> {
  const found = await context.source?.findPacks(key, present)
  return present.filter((name) => found?.get(name)?.isReplaced === false)
}

async function countLooseRefs(directory: string): Promise<number> {
  let count = 0
  for await (const file of filesBelow(join(directory, 'refs'))) count += file === '' ? 0 : 1
  return count
}

/**
 * Gives all objects the present time, but for those that an earlier repack found unreachable, whose times are in their cruft
 * pack. Git takes the time of a file for the time when its objects became unreachable; it is that of their writing.
 */
async function freshen(directory: string): Promise<void> {
  const objects = join(directory, 'objects')
  const cruft = new Set((await packFiles(directory)).filter((name) => name.endsWith('.mtimes')))
  const packs = (await packsOn(directory)).filter((name) => !cruft.has(`pack-${name}.mtimes`))
  const loose = await looseObjects(objects)
  const now = new Date()
  await mapLimited(
    [
      ...packs.map((name) => join(directory, packFolder, `pack-${name}.pack`)),
      ...loose.map((oid) => join(objects, oid.slice(0, 2), oid.slice(2))),
    ],
    atOnce,
    async (path) => {
      await utimes(path, now, now).catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
    },
  )
}
