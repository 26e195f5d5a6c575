import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder } from '../../lib/flush-folder.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import type { GitContext } from '../context.ts'
import { entriesOf } from './walk.ts'

/** Files and folders that are synced at once. */
const atOnce = 4

/** More references than this are synced together (docs/decisions/0066). */
export const manyReferences = 100

/**
 * Settings of a git that moves many references: it writes each file out to the disk, and whoever started it has the disk
 * make all of them last, by syncing a folder after the last one.
 */
export const writtenOut = ['-c', 'core.fsyncMethod=writeout-only'] as const

/**
 * Makes a change of references last, and what git wrote for it. Git syncs the files that it writes (`core.fsync`), not
 * the folders in which they get their names; what follows a change must not be safer than the change.
 */
export async function flushRefs(context: GitContext, directory: string, refs: readonly string[]): Promise<void> {
  if (!context.durable) return
  const folders = new Set(['', 'objects', 'objects/pack', 'refs'])
  for (const ref of refs) {
    // Of very many, the rest gets to the disk before the last of these: names do in their order (docs/decisions/0032).
    if (folders.size > manyReferences) break
    for (let folder = dirname(ref); folder.startsWith('refs/'); folder = dirname(folder)) folders.add(folder)
  }
  await mapLimited([...folders], atOnce, (folder) => flushFolder(join(directory, folder)))
}

/** Makes a new repository, or what a push brought, last before it gets its place: its few files and all its folders. */
export async function flushWhole(context: GitContext, directory: string): Promise<void> {
  if (!context.durable) return
  const files: string[] = []
  const folders: string[] = []
  const waiting = [directory]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders.push(folder)
    for (const { name, isFolder } of await entriesOf(folder)) (isFolder ? waiting : files).push(join(folder, name))
  }
  await mapLimited(files, atOnce, async (path) => {
    // A second name of a file that another repository has already.
    if ((await stat(path)).nlink > 1) return
    const file = await open(path, 'r')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  })
  await mapLimited(folders, atOnce, flushFolder)
}
