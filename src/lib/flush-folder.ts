import { open } from 'node:fs/promises'

/**
 * Makes what was made, moved or removed in a folder last: a file that was synced may still lose its name in a cut of
 * power. A folder that is gone meanwhile needs none.
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
