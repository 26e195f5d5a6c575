import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** git creates and removes files during a walk. */
const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Entries of a folder; none when it does not exist. */
export async function entriesOf(folder: string): Promise<readonly { name: string; isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** Paths of all files below a folder, including the folder's own path. */
export async function* filesBelow(
  folder: string,
  isLeftOut: (name: string) => boolean = () => false,
): AsyncGenerator<string> {
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { name, isFolder } of await entriesOf(next)) {
      if (isLeftOut(name)) continue
      if (isFolder) waiting.push(join(next, name))
      else yield join(next, name)
    }
  }
}

/** The file's status; undefined when it does not exist. */
export async function statOf(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
