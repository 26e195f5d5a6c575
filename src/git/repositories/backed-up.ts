import { randomBytes } from 'node:crypto'
import { constants, copyFile, mkdir, open, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Unavailable } from '../../lib/errors.ts'
import { withFullDisk } from '../../lib/full-disk.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, locate } from '../context.ts'
import { flushWhole } from '../files/flush.ts'
import type { GitKey } from '../git-key.ts'
import type { BackedUpRepository, OpenedPack, OpenedPacks } from '../git.ts'
import { looseObjects, packsOn } from '../packs/blob-home.ts'
import { generationFile } from '../refs/ref-copy.ts'
import { writeRepositoryFiles } from './new-repository.ts'
import { build } from './repository.ts'

const packFolder = join('objects', 'pack')

/** Attempts to list the packs of a repository while git repacks it. */
const maxAttempts = 10

/**
 * Opens the packs that together have all objects of a repository on the disk, and one with its loose objects. Git may remove
 * any of them meanwhile.
 * @param has whether the caller has a pack of a name; such packs stay closed
 */
export async function openPacks(
  context: GitContext,
  key: GitKey,
  has: (name: string) => boolean,
): Promise<OpenedPacks> {
  const { directory } = locate(context, key)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await using opening = new AsyncDisposableStack()
    const opened = new Map<string, OpenedPack>()
    /** Returns false when a pack disappeared. */
    const openAll = async (names: readonly string[]): Promise<boolean> => {
      for (const name of names) {
        if (has(name) || opened.has(name)) continue
        const pack = await openPack(join(directory, packFolder), name, opening)
        if (pack === undefined) return false
        opened.set(name, pack)
      }
      return true
    }
    const before = await packsOn(directory)
    if (!(await openAll(before))) continue
    const oids = await looseObjects(join(directory, 'objects'))
    // Objects move between loose files and packs. They cannot have escaped both lists as long as no pack is gone.
    const names = await packsOn(directory)
    if (!before.every((name) => names.includes(name)) || !(await openAll(names))) continue
    if (oids.length > 0) {
      const folder = join(directory, `tmp_backup-${randomBytes(8).toString('hex')}`)
      opening.defer(() => rm(folder, { recursive: true, force: true }))
      const name = await packObjects(context, key, folder, oids)
      // Maintenance removed an unreachable object after two weeks.
      if (name === undefined) continue
      if (!names.includes(name)) names.push(name)
      if (!has(name) && !opened.has(name)) {
        opened.set(name, (await openPack(folder, name, opening)) as OpenedPack)
      }
    }
    const kept = opening.move()
    return { names, opened: [...opened.values()], [Symbol.asyncDispose]: () => kept.disposeAsync() }
  }
  throw new Unavailable('the repository is repacked all the time', 'git_repository_busy')
}

async function openPack(folder: string, name: string, opening: AsyncDisposableStack): Promise<OpenedPack | undefined> {
  const openFile = async (ending: string): Promise<FileHandle> => {
    const file = await open(join(folder, `pack-${name}${ending}`))
    opening.defer(() => file.close())
    return file
  }
  try {
    return { name, pack: await openFile('.pack'), index: await openFile('.idx') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes a pack of objects to a new folder and returns its name. Equal objects make an equal pack. Undefined: an object is
 * missing.
 */
async function packObjects(
  context: GitContext,
  key: GitKey,
  folder: string,
  oids: readonly string[],
): Promise<string | undefined> {
  const location = locate(context, key)
  await mkdir(folder)
  const ended = await context.broker
    .run({
      args: ['pack-objects', '--quiet', '--threads=1', join(folder, 'pack')],
      name: 'pack-loose',
      cwd: location.directory,
      kind: 'maintenance',
      timeoutMs: context.limits.transportTimeoutMs,
      input: Buffer.from(`${oids.toSorted().join('\n')}\n`),
    })
    .catch((error: unknown) => explainMissing(location, error))
  if (ended.exitCode !== 0 && /unable to (?:find|get type of) object|bad object/.test(ended.stderr)) return undefined
  mustSucceed(ended, 'pack-objects')
  return ended.stdout.toString().trim()
}

/**
 * Makes a repository of packs. It has no references: the first reader, and `bringUp`, bring up what the source says. Throws
 * `Conflict` when the repository exists.
 */
export async function restore(
  context: GitContext,
  key: GitKey,
  { head, objectFormat, packs }: BackedUpRepository,
): Promise<void> {
  await build(context, key, async (temporary) => {
    await writeRepositoryFiles(temporary, { defaultBranch: head, objectFormat, first: undefined }, false)
    try {
      for (const { name, packPath, indexPath } of packs) {
        const target = join(temporary, packFolder, `pack-${name}`)
        await copyFile(packPath, `${target}.pack`, constants.COPYFILE_FICLONE)
        await copyFile(indexPath, `${target}.idx`, constants.COPYFILE_FICLONE)
      }
      // No generation: the copy is compared with the source first.
      await writeFile(join(temporary, generationFile), 'restored\n')
    } catch (error) {
      throw withFullDisk(error)
    }
    await flushWhole(context, temporary)
  })
}
