import { chmod, open, stat } from 'node:fs/promises'
import type { Config } from '../config/load-config.ts'

/** The bits of everybody but the owner. */
const ofOthers = 0o077

/** What nobody but the account of the server may look into; what is inside of the data folder is covered by it. */
function privatePaths({ paths, database }: Config): string[] {
  const files = database.kind === 'sqlite3' ? ['', '-wal', '-shm'].map((end) => paths.database + end) : []
  return [paths.data, ...files]
}

/** A folder or file that others may look into. */
export interface OpenPath {
  readonly path: string
  readonly mode: number
}

/** Those that others may look into, as when the folder was made before the first start. */
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

/** @returns false where only somebody else may do it, as with the root of a mounted volume */
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
 * Takes what others may do away from the data folder and the database, before anything is written there; a database that is
 * not there yet is begun for its owner alone.
 * @returns what could not be closed
 */
export async function closeToOthers(config: Config): Promise<OpenPath[]> {
  if (config.database.kind === 'sqlite3') await begin(config.paths.database)
  const left: OpenPath[] = []
  for (const each of await findOpenPaths(config)) if (!(await closePath(each))) left.push(each)
  return left
}

/** An empty file is a new database to SQLite, which gives its other files the same mode. */
async function begin(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close()
  } catch (error) {
    // It is there already; or SQLite says by itself what is wrong with the place.
    if (
      !['EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EROFS', 'EISDIR'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    ) {
      throw error
    }
  }
}
