import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The errors of something that went while it was looked at: git makes and removes files and folders all the time. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Names in a folder; none in one that is not there. */
export async function entriesOf(folder: string): Promise<readonly { name: string; isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** Paths of all files below a folder, with the folder in front. */
export async function* filesBelow(folder: string): AsyncGenerator<string> {
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { name, isFolder } of await entriesOf(next)) {
      if (isFolder) waiting.push(join(next, name))
      else yield join(next, name)
    }
  }
}

/** What the disk says of a file; undefined when it is gone. */
export async function statOf(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
