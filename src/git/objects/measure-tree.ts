import { TooLarge } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, locate } from '../context.ts'
import type { TreeLimits } from '../git.ts'
import type { GitKey } from '../git-key.ts'

/** Larger files are tracked by id, to count the bytes of repeated ones. */
const largeFileBytes = 64 << 10

/** Approximate bytes that a file adds to an archive besides its content. */
const entryBytes = 512

/** Returns the bytes of all files of a tree without reading them. Throws `TooLarge` when a limit is exceeded. */
export async function measureTree(context: GitContext, key: GitKey, treeish: Oid, limits: TreeLimits): Promise<number> {
  checkOids(treeish)
  const location = locate(context, key)
  const large = new Set<string>()
  let [files, bytes, repeatedBytes, rest] = [0, 0, 0, '']
  const isWithin = (): boolean =>
    files <= limits.maxFiles && bytes <= limits.maxBytes && repeatedBytes <= limits.maxRepeatedBytes
  const ended = await context.broker
    .each(
      {
        args: ['ls-tree', '-r', '--format=%(objectname) %(objectsize)', treeish],
        cwd: location.directory,
        ...(limits.signal ? { signal: limits.signal } : {}),
      },
      (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const [oid = '', size] = line.split(' ')
          // Submodules have no size.
          const sizeBytes = Number(size) || 0
          files += 1
          bytes += sizeBytes + entryBytes
          if (sizeBytes < largeFileBytes) continue
          if (large.has(oid)) repeatedBytes += sizeBytes
          else large.add(oid)
        }
        return isWithin()
      },
    )
    .catch((error: unknown) => explainMissing(location, error))
  if (!isWithin()) throw new TooLarge('the tree has too many or too large files for one archive', 'tree_too_large')
  mustSucceed(ended, 'ls-tree')
  return bytes
}
