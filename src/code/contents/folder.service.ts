import type { RepoCtx } from '../../access/context.ts'
import { pluck } from '../../lib/pluck.ts'
import type { Commit, PathEntry } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { shortCommit } from '../commits/message.rules.ts'
import { readSubmodules, submodulePage } from './submodules.ts'

/** Entries of a folder that are read; further ones are counted only. */
const maxEntries = 1000

/** An entry of a folder with the last commit that touched it. */
export interface FolderEntry extends PathEntry {
  readonly lastCommit: Commit | undefined
  /** Address of the pages of a submodule, when it names a server. */
  readonly submodulePage: string | undefined
}

export interface Folder {
  /** Folders first, then by name. */
  readonly entries: readonly FolderEntry[]
  /** Number of all entries. */
  readonly total: number
}

const rank = (entry: Pick<PathEntry, 'type'>): number => (entry.type === 'tree' ? 0 : entry.type === 'commit' ? 1 : 2)

/** Returns a folder with the last commits of its entries, by batched reads. */
export async function getFolder(
  ctx: RepoCtx,
  commit: Oid,
  folder: { readonly path: string; readonly tree: Oid },
): Promise<Folder> {
  const { git, repo } = ctx
  const key = repo.git_key
  const all = await git.readTree(key, folder.tree)
  const below = folder.path === '' ? '' : `${folder.path}/`
  const shown = all.toSorted((one, other) => rank(one) - rank(other)).slice(0, maxEntries)
  const [lastOids, submodules] = await Promise.all([
    git.lastCommitsOfPaths(key, commit, folder.path, pluck(shown, 'name')),
    shown.some(({ type }) => type === 'commit') ? readSubmodules(git, key, commit) : new Map<string, string>(),
  ])
  const commits = await git.readCommits(key, [...new Set(lastOids.values())])
  const commitOf = new Map(commits.map((each) => [each.oid, shortCommit(each)]))
  return {
    entries: shown.map((entry) => {
      const path = below + entry.name
      const oid = lastOids.get(entry.name)
      return {
        ...entry,
        path,
        lastCommit: oid && commitOf.get(oid),
        submodulePage: submodulePage(submodules.get(path) ?? '', repoWebUrl(ctx)),
      }
    }),
    total: all.length,
  }
}

const readmeNames = ['readme.md', 'readme.markdown', 'readme.org', 'readme.txt', 'readme.rst', 'readme.adoc', 'readme']

/** Returns the files and symbolic links of a folder that may describe it, in order of precedence. */
export function readmesOf<Entry extends Pick<PathEntry, 'name' | 'type'>>(entries: readonly Entry[]): Entry[] {
  const files = entries.filter(({ type }) => type === 'blob')
  return readmeNames.flatMap((name) => files.filter((entry) => entry.name.toLowerCase() === name))
}

/** Folders of the root that may hold the file that describes the repository. */
const readmeFolders = ['docs', '.github', '.gitea', '.forgejo']

/** Returns the folders that may hold the file that describes a repository, in order of precedence. */
export function readmeFoldersOf<Entry extends Pick<PathEntry, 'name' | 'type'>>(root: readonly Entry[]): Entry[] {
  const folders = root.filter(({ type }) => type === 'tree')
  return readmeFolders.flatMap((name) => folders.filter((entry) => entry.name.toLowerCase() === name))
}
