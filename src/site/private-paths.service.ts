import { chmod, open, stat } from 'node:fs/promises'
import type { Config } from '../config/load-config.ts'

/** Permission bits of group and others. */
const ofOthers = 0o077

/** Returns the paths that only the server's user may access; the data folder protects what it contains. */
function privatePaths({ paths, database }: Config): string[] {
  const files = database.kind === 'sqlite3' ? ['', '-wal', '-shm'].map((end) => paths.database + end) : []
  return [paths.data, ...files]
}

/** A folder or file that other users can access. */
export interface OpenPath {
  readonly path: string
  readonly mode: number
}

/** Returns the paths that other users can access. */
export async function findOpenPaths(config: Config): Promise<OpenPath[]> {
  const looked = await Promise.all(
    privatePaths(config).map(async (path) => {
      const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return found && { path, mode: found.mode & 0o7777 }
    }),
  )
  return looked.filter((each) => each !== undefined && (each.mode & ofOthers) !== 0) as OpenPath[]
}

/** @returns false when only another user can change the mode, as for the root of a mounted volume */
export async function closePath({ path, mode }: OpenPath): Promise<boolean> {
  try {
    await chmod(path, mode & ~ofOthers)
    return true
  } catch (error) {
    if (['EPERM', 'EROFS', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/**
 * Removes permissions of other users from the data folder and the database before anything is written. It creates a
 * missing database file for the owner only.
 * @returns the paths that could not be changed
 */
export async function closeToOthers(config: Config): Promise<OpenPath[]> {
  if (config.database.kind === 'sqlite3') await begin(config.paths.database)
  const left: OpenPath[] = []
  for (const each of await findOpenPaths(config)) if (!(await closePath(each))) left.push(each)
  return left
}

/** SQLite treats an empty file as a new database and gives its other files the same mode. */
async function begin(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close()
  } catch (error) {
    // The file exists, or SQLite reports the problem itself.
    if (
      !['EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EROFS', 'EISDIR'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    ) {
      throw error
    }
  }
}
