import { link, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pluck } from '../../lib/pluck.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'
import type { DividedPacks, NamedPack } from '../git.ts'
import { packsOn } from '../packs/blob-home.ts'
import { dropPacks } from '../packs/join-packs.ts'
import { generationFile, inOrder } from '../refs/ref-copy.ts'
import { remove } from './repository.ts'

const packFolder = join('objects', 'pack')

/**
 * Makes a copy for another key with two packs: the objects that the references of a repository reach, and the others of its
 * packs. Objects that are in expired packs only are left out, unless one of the others needs them. Stores both packs.
 * Undefined, without a copy: all objects are reachable, and no pack has expired.
 */
export async function dividePacks(
  context: GitContext,
  key: GitKey,
  to: GitKey,
  isExpired: (pack: NamedPack) => boolean,
): Promise<DividedPacks | undefined> {
  const { home, source } = context
  const state = await source?.state(key)
  if (!state || state.packs.length === 0) return undefined
  await inOrder(context, key, () => home.bring(context, key, state.packs))
  const names = pluck(state.packs, 'name')
  const expired = pluck(state.packs.filter(isExpired), 'name')
  let divided: DividedPacks | undefined
  try {
    await home.make(context, to, state)
    const { directory } = locate(context, to)
    // With a generation, and without a repository, the copy is removed one day after a crash (`isForsaken`).
    await writeFile(join(directory, generationFile), 'divided\n')
    // A folder of its own: other objects of the first copy are those of changes under way.
    await linkPacks(context, key, to, names)
    const reachable = await packReachable(context, to, [...new Set(state.refs.values())])
    const others = await packOthers(context, to, { reachable, names, expired })
    const made = [reachable, others].filter((name) => name !== undefined)
    await dropPacks(
      context,
      to,
      names.filter((name) => !made.includes(name)),
    )
    if (others === undefined && expired.length === 0) return undefined
    divided = {
      generation: state.generation,
      names,
      isLossy: expired.length > 0,
      reachable: reachable === undefined ? undefined : await home.send(context, to, reachable),
      others: others === undefined ? undefined : await home.send(context, to, others),
    }
    return divided
  } finally {
    if (!divided) await remove(context, to)
  }
}

/** Moves packs from the copy of one key to that of another, and removes the former. */
export async function takePacks(
  context: GitContext,
  from: GitKey,
  to: GitKey,
  names: readonly string[],
): Promise<void> {
  await linkPacks(context, from, to, names)
  await remove(context, from)
}

async function linkPacks(context: GitContext, from: GitKey, to: GitKey, names: readonly string[]): Promise<void> {
  const [source, target] = [from, to].map((key) => join(locate(context, key).directory, packFolder)) as [string, string]
  const present = new Set(await packsOn(locate(context, to).directory))
  for (const name of names) {
    if (present.has(name)) continue
    // git reads a pack when its index is there.
    for (const ending of ['.pack', '.idx']) {
      const file = `pack-${name}${ending}`
      await rm(join(target, file), { force: true })
      await link(join(source, file), join(target, file))
    }
  }
}

const packObjects = async (
  context: GitContext,
  key: GitKey,
  args: readonly string[],
  lines: readonly string[],
): Promise<string | undefined> => {
  const ended = await context.broker.run({
    args: ['pack-objects', '--quiet', '--non-empty', '--delta-base-offset', ...args, join(packFolder, 'pack')],
    cwd: locate(context, key).directory,
    kind: 'maintenance',
    timeoutMs: context.limits.transportTimeoutMs,
    input: Buffer.from(lines.map((line) => `${line}\n`).join('')),
  })
  mustSucceed(ended, 'pack-objects')
  return ended.stdout.toString().trim() || undefined
}

/** Fails when an object is missing. */
const packReachable = (context: GitContext, key: GitKey, tips: readonly string[]): Promise<string | undefined> =>
  packObjects(context, key, ['--revs'], tips)

/** The times of packs decide which objects git leaves out. */
const longAgo = new Date(0)

async function packOthers(
  context: GitContext,
  key: GitKey,
  packs: {
    readonly reachable: string | undefined
    readonly names: readonly string[]
    readonly expired: readonly string[]
  },
): Promise<string | undefined> {
  const { reachable, names, expired } = packs
  const folder = join(locate(context, key).directory, packFolder)
  const now = new Date()
  for (const name of names) {
    const time = expired.includes(name) ? longAgo : now
    await utimes(join(folder, `pack-${name}.pack`), time, time)
  }
  const left = [
    ...(reachable === undefined ? [] : [`pack-${reachable}.pack`]),
    ...names.filter((name) => name !== reachable).map((name) => `-pack-${name}.pack`),
  ]
  const name = await packObjects(
    context,
    key,
    ['--cruft', ...(expired.length > 0 ? ['--cruft-expiration=1.day.ago'] : [])],
    left,
  )
  // The row of the pack has its time.
  if (name !== undefined) await rm(join(folder, `pack-${name}.mtimes`), { force: true })
  return name
}
