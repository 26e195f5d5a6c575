import type { Git, PathEntry } from '../git/git.ts'
import { parseAttributes, type Attributes } from '../lib/gitattributes.ts'
import type { GitKey, Oid } from '../lib/ids.ts'

/** Most `.gitattributes` files of a tree, and the largest of them in bytes, that are read. */
const maxFiles = 200
const maxFileBytes = 256 * 1024

const fileName = '.gitattributes'

async function readAll(git: Git, key: GitKey, entries: readonly (readonly [string, Oid])[]): Promise<Attributes> {
  const texts = await Promise.all(
    entries.slice(0, maxFiles).map(async ([folder, oid]) => {
      const { content } = await git.readBlob(key, oid, { maxBytes: maxFileBytes })
      return [folder, content?.toString('utf8') ?? ''] as const
    }),
  )
  return parseAttributes(new Map(texts))
}

/** Attributes of all files of a tree, whose entries are known. */
export const attributesOfTree = (git: Git, key: GitKey, entries: readonly PathEntry[]): Promise<Attributes> =>
  readAll(
    git,
    key,
    entries
      .filter((entry) => entry.name === fileName && entry.type === 'blob')
      .map((entry) => [entry.path.slice(0, -fileName.length).replace(/\/$/, ''), entry.oid] as const),
  )

/** Attributes that count for a path of a commit: those of its folder and of the ones above. */
export async function attributesOfPath(git: Git, key: GitKey, commit: Oid, path: string): Promise<Attributes> {
  const parts = path.split('/').slice(0, -1)
  const folders = ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))]
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entry = await git.findPath(key, commit, folder === '' ? fileName : `${folder}/${fileName}`)
      return entry?.type === 'blob' ? ([folder, entry.oid] as const) : undefined
    }),
  )
  return readAll(
    git,
    key,
    found.filter((each) => each !== undefined),
  )
}
