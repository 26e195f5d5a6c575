import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flushFolder } from '../../lib/flush-folder.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import type { GitContext } from '../context.ts'
import { entriesOf } from './walk.ts'

/** Concurrent syncs. */
const atOnce = 4

/** More references than this are synced together (docs/decisions/0062-many-references.md). */
export const manyReferences = 100

/**
 * Settings of a git that moves many references: git writes each file out without a sync. The caller syncs a folder
 * afterwards, which makes all of them durable.
 */
export const withoutSync = ['-c', 'core.fsyncMethod=writeout-only'] as const

/** Makes written objects durable, before references name them. git syncs the files (`core.fsync`), but not their folders. */
export async function flushObjects(context: GitContext, directory: string): Promise<void> {
  if (!context.durable) return
  await mapLimited(['objects', 'objects/pack'], atOnce, (folder) => flushFolder(join(directory, folder)))
}

/** Makes a change of references durable. git syncs the files that it writes, but not the folders that name them. */
export async function flushRefs(context: GitContext, directory: string, refs: readonly string[]): Promise<void> {
  if (!context.durable) return
  const folders = new Set(['', 'refs'])
  for (const ref of refs) {
    // File systems write names in order, so syncing some of many folders covers the rest
    // (docs/decisions/0028-acknowledged-changes.md).
    if (folders.size > manyReferences) break
    for (let folder = dirname(ref); folder.startsWith('refs/'); folder = dirname(folder)) folders.add(folder)
  }
  await mapLimited([...folders], atOnce, (folder) => flushFolder(join(directory, folder)))
}

/** Syncs all files and folders of a new repository or a quarantine before it is used. */
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
    // A hard link to a file that another repository has synced.
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
