import { TooLarge } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { pluck } from '../../lib/pluck.ts'
import { mustSucceed } from '../broker/broker-client.ts'
import { explainMissing, type GitContext, type Location, locate } from '../context.ts'
import type { PathEntry, ReadFrom, TreeEntry } from '../git.ts'
import { decodeName, typeOfMode } from './object-codec.ts'
import { blobSizes, readParsed, readTree } from './object-reader.ts'

const maxListedEntries = 1_000_000

/** Folders of a tree that is read through the cache. Git lists a larger one, which would evict everything else there. */
const maxReadFolders = 1000

export interface ListingOptions {
  readonly skip?: number
  readonly limit?: number
  readonly sizes?: boolean
  readonly foldersToo?: boolean
}

export interface TreeListing {
  readonly entries: readonly PathEntry[]
  readonly total: number
}

/** The whole tree below a commit or tree. */
export async function listTreeRecursive(
  context: GitContext,
  at: ReadFrom,
  treeish: Oid,
  options: ListingOptions = {},
): Promise<TreeListing> {
  const location = locate(context, at)
  const root = await readTree(context, at, treeish)
  const folders = await readFolders(context, location, root)
  if (folders === undefined) return listByProcess(context, location, treeish, options)
  const listing = listOf(options)
  const visit = (list: readonly TreeEntry[], prefix: string): void => {
    for (const entry of list) {
      const path = prefix + entry.name
      listing.add(entry.type, () => ({ ...entry, path }))
      if (entry.type === 'tree') visit(folders.get(entry.oid) ?? [], `${path}/`)
    }
  }
  visit(root, '')
  const { entries, total } = listing
  if (options.sizes !== true) return { entries, total }
  const blobs = entries.filter((entry) => entry.type === 'blob')
  const sizes = await blobSizes(context, at, pluck(blobs, 'oid'))
  return { entries: entries.map((entry) => ({ ...entry, sizeBytes: sizes.get(entry.oid) ?? 0 })), total }
}

/** The folders below a tree by id, with one batch of reads for each level; undefined when there are too many. */
async function readFolders(
  context: GitContext,
  location: Location,
  root: readonly TreeEntry[],
): Promise<ReadonlyMap<Oid, readonly TreeEntry[]> | undefined> {
  const folders = new Map<Oid, readonly TreeEntry[]>()
  const idsIn = (list: readonly TreeEntry[]) => list.filter(({ type }) => type === 'tree').map(({ oid }) => oid)
  let level = new Set(idsIn(root))
  while (level.size > 0) {
    if (folders.size + level.size > maxReadFolders) return undefined
    const next: Oid[] = []
    for (const [oid, object] of await readParsed(context, location, level)) {
      if (object.kind !== 'tree') continue
      folders.set(oid, object.entries)
      next.push(...idsIn(object.entries))
    }
    level = new Set(next.filter((oid) => !folders.has(oid)))
  }
  return folders
}

async function listByProcess(
  context: GitContext,
  location: Location,
  treeish: Oid,
  options: ListingOptions,
): Promise<TreeListing> {
  const { sizes = false, foldersToo = true } = options
  const format = `--format=%(objectmode) %(objectname) ${sizes ? '%(objectsize)' : ''}%x09%(path)`
  const listing = listOf(options)
  let rest = ''
  const take = (line: string): void => {
    const tab = line.indexOf('\t')
    const [mode = '', oid = '', size] = line.slice(0, tab).split(' ')
    const type = typeOfMode(mode)
    listing.add(type, () => {
      const path = decodeName(line.slice(tab + 1))
      const entry = { mode, type, oid: oid as Oid, name: path.slice(path.lastIndexOf('/') + 1), path }
      // Folders and submodules have a dash.
      return sizes ? { ...entry, sizeBytes: Number(size) || 0 } : entry
    })
  }
  const ended = await context.broker
    .each(
      {
        args: ['ls-tree', '-r', ...(foldersToo ? ['-t'] : []), '-z', '--full-tree', format, treeish],
        cwd: location.directory,
        ...(location.environment ? { environment: location.environment } : {}),
      },
      (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\0')
        rest = lines.pop() ?? ''
        for (const line of lines) take(line)
        return listing.total <= maxListedEntries
      },
    )
    .catch((error: unknown) => explainMissing(location, error))
  const { entries, total } = listing
  if (total > maxListedEntries) throw tooLarge()
  mustSucceed(ended, 'ls-tree')
  return { entries, total }
}

const tooLarge = (): TooLarge => new TooLarge(`the tree has more than ${maxListedEntries} entries`)

/** Counts entries in order and makes those that the options ask for. */
function listOf({ skip = 0, limit = Number.POSITIVE_INFINITY, foldersToo = true }: ListingOptions) {
  const entries: PathEntry[] = []
  let total = 0
  return {
    entries,
    get total() {
      return total
    },
    add(type: TreeEntry['type'], make: () => PathEntry): void {
      if (!foldersToo && type === 'tree') return
      if (total >= skip && total < skip + limit) entries.push(make())
      total += 1
    },
  }
}
