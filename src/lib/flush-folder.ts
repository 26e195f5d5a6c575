import { open } from 'node:fs/promises'

/**
 * Makes created, renamed and removed entries of a folder durable: a synced file may still lose its name in a power failure.
 * A folder that does not exist is ignored.
 */
export async function flushFolder(path: string): Promise<void> {
  let folder
  try {
    folder = await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
