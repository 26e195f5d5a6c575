import type { PathEntry } from '../../git/git.ts'
import type { GitEntry } from './tree.schemas.ts'

/**
 * Presents a tree entry. Submodules have no address.
 * @param api the repository's API address
 */
export const presentTreeEntry = (api: string, entry: PathEntry): GitEntry => ({
  path: entry.path,
  mode: entry.mode,
  type: entry.type,
  size: entry.type === 'blob' ? (entry.sizeBytes ?? 0) : 0,
  sha: entry.oid,
  url: entry.type === 'commit' ? '' : `${api}/git/${entry.type}s/${entry.oid}`,
})
