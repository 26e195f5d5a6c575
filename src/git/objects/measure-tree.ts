import { TooLarge } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { checkOids, explainMissing, type GitContext, locate } from '../context.ts'
import type { GitKey } from '../git-key.ts'

/** Files of more bytes than this are told apart: what one of them adds when a tree names it again is counted. */
const largeFileBytes = 64 << 10

/** What a file adds to an archive besides its content, about. */
const entryBytes = 512

/** What a tree may hold for somebody to be given all of it. */
export type TreeLimits = {
  readonly maxFiles: number
  /** Of all files together, each as often as the tree names it. */
  readonly maxBytes: number
  /** Of large files that the tree names again: a small repository can name one ten thousand times. */
  readonly maxRepeatedBytes: number
  readonly signal?: AbortSignal
}

/** The bytes of all files of a tree, told without reading any of them. Throws `TooLarge` as soon as a limit is passed. */
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
          // Of a submodule there is no size.
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
  if (!isWithin()) throw new TooLarge('the files are too many or too large to be given all at once', 'tree_too_large')
  mustSucceed(ended, 'ls-tree')
  return bytes
}
