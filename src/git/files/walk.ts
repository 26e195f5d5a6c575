import { statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** git creates and removes files during a walk. */
export const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

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

/** Files whose sizes are read in one turn of the event loop: less than a millisecond. */
const filesPerTurn = 256

/** Resolves after the other events of this turn. */
const turn = promisify(setImmediate)

/** Returns the bytes of all files below a folder. */
export async function bytesBelow(folder: string, isLeftOut: (name: string) => boolean): Promise<number> {
  let bytes = 0
  let count = 0
  for await (const path of filesBelow(folder, isLeftOut)) {
    bytes += sizeOf(path)
    count += 1
    if (count % filesPerTurn === 0) await turn()
  }
  return bytes
}

/** The bytes of a file; 0 when it does not exist. Synchronous: the thread pool costs several times the work. */
function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch (error) {
    if (isGone(error)) return 0
    throw error
  }
}
