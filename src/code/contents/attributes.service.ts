import type { Git, PathEntry } from '../../git/git.ts'
import { parseAttributes, type Attributes } from '../../lib/gitattributes.ts'
import type { GitKey, Oid } from '../../lib/ids.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/** Limits of `.gitattributes` files per tree, and of their size in bytes. */
const maxFiles = 200
const maxFileBytes = 256 * 1024

const fileName = '.gitattributes'

interface Work {
  readonly git: Git
  readonly budget: WorkBudget
}

async function readAll(
  { git, budget }: Work,
  key: GitKey,
  entries: readonly (readonly [string, Oid])[],
): Promise<Attributes> {
  const texts = await Promise.all(
    entries.slice(0, maxFiles).map(async ([folder, oid]) => {
      const { content } = await git.readBlob(key, oid, { maxBytes: maxFileBytes })
      return [folder, content?.toString('utf8') ?? ''] as const
    }),
  )
  return parseAttributes(new Map(texts), budget)
}

/** Attributes of all files of a tree with known entries. */
export const attributesOfTree = (work: Work, key: GitKey, entries: readonly PathEntry[]): Promise<Attributes> =>
  readAll(
    work,
    key,
    entries
      .filter((entry) => entry.name === fileName && entry.type === 'blob')
      .map((entry) => [entry.path.slice(0, -fileName.length).replace(/\/$/, ''), entry.oid] as const),
  )

/** Attributes of paths below a commit or tree, from the attribute files of all parent folders. */
export async function attributesOfPaths(
  work: Work,
  key: GitKey,
  treeish: Oid,
  paths: readonly string[],
): Promise<Attributes> {
  const folders = new Set(paths.flatMap(foldersAbove))
  const files = new Map([...folders].map((folder) => [folder === '' ? fileName : `${folder}/${fileName}`, folder]))
  const found = await work.git.findPaths(key, treeish, [...files.keys()])
  return readAll(
    work,
    key,
    [...found].flatMap(([path, entry]) =>
      entry.type === 'blob' ? [[files.get(path) as string, entry.oid] as const] : [],
    ),
  )
}

/** `a/b/c` gives the root, `a` and `a/b`. */
function foldersAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, count) => segments.slice(0, count).join('/'))
}
