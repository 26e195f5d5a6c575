import type { Oid } from '../../lib/ids.ts'
import type { GitContext } from '../context.ts'
import type { ReadFrom, TreeChangeOfFile, TreeEntry } from '../git.ts'
import { readTree } from './object-reader.ts'

/**
 * The files that differ between two commits or trees, without a process and without reading folders that are the same.
 * Undefined above `maxTrees` differing folders.
 */
export async function treeChanges(
  context: GitContext,
  at: ReadFrom,
  before: Oid,
  after: Oid,
  maxTrees: number,
): Promise<readonly TreeChangeOfFile[] | undefined> {
  const changes: TreeChangeOfFile[] = []
  const folders: Array<{ path: string; before: Oid | undefined; after: Oid | undefined }> = [
    { path: '', before, after },
  ]
  let count = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    count += 1
    if (count > maxTrees) return undefined
    const read = async (oid: Oid | undefined): Promise<ReadonlyMap<string, TreeEntry>> =>
      new Map(oid === undefined ? [] : (await readTree(context, at, oid)).map((entry) => [entry.name, entry]))
    const [old, now] = [await read(folder.before), await read(folder.after)]
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [one, other] = [old.get(name), now.get(name)]
      if (one?.oid === other?.oid && one?.mode === other?.mode) continue
      const path = folder.path + name
      const treeOf = (entry: TreeEntry | undefined) => (entry?.type === 'tree' ? entry.oid : undefined)
      const fileOf = (entry: TreeEntry | undefined) => (entry?.type === 'tree' ? undefined : entry)
      if (treeOf(one) ?? treeOf(other)) folders.push({ path: `${path}/`, before: treeOf(one), after: treeOf(other) })
      if (fileOf(one) ?? fileOf(other)) changes.push({ path, before: fileOf(one), after: fileOf(other) })
    }
  }
  return changes
}
