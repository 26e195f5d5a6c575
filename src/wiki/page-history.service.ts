import type { Services } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { NotFound } from '../lib/errors.ts'
import type { GitKey, Oid, RepoId } from '../lib/ids.ts'
import { isPageFile } from './page-name.rules.ts'
import {
  addToHistories,
  deleteHistories,
  deleteIndex,
  findIndexedHead,
  loadHistories,
  moveIndexedHead,
  type FileHistory,
} from './page-history.store.ts'

/** A wiki at one commit. */
export interface WikiState {
  readonly repoId: RepoId
  readonly gitKey: GitKey
  readonly head: Oid
}

type Histories = ReadonlyMap<string, FileHistory>

/** Wikis whose history has more pages are not indexed: each request reads git. */
const maxIndexedFiles = 100_000

/** Most commits after the indexed one that are read without a git process. */
const maxCaughtUp = 16

/** Only pages at the root are indexed. Pages in folders appear in no list. */
const isIndexed = (file: string): boolean => !file.includes('/') && isPageFile(file)

/**
 * Returns the last commit and the number of commits of each file that has a history. They come from the index, to which later
 * commits are added from git. Without an index git walks the history.
 */
export async function getHistories(services: Services, wiki: WikiState, files: readonly string[]): Promise<Histories> {
  if (files.length === 0) return new Map()
  const known = files.every(isIndexed) ? await loadHistories(services.db, wiki.repoId, files) : undefined
  const since = known && (await changesSince(services, wiki, known.head))
  if (!known || !since) return historiesInGit(services, wiki, files)
  return new Map(
    files.flatMap((file) => {
      const [before, after] = [known.histories.get(file), since.get(file)]
      return before && after ? [[file, combine(before, after)]] : before || after ? [[file, before ?? after]] : []
    }) as [string, FileHistory][],
  )
}

const combine = (before: FileHistory, after: FileHistory): FileHistory => ({
  lastOid: after.lastOid,
  commitCount: before.commitCount + after.commitCount,
})

async function historiesInGit({ git }: Services, wiki: WikiState, files: readonly string[]): Promise<Histories> {
  const { gitKey, head } = wiki
  const [file] = files
  if (files.length > 1 || file === undefined) {
    const lastOids = await git.lastCommitsOfPaths(gitKey, head, '', files)
    // Lists show no counts.
    return new Map([...lastOids].map(([each, lastOid]) => [each, { lastOid, commitCount: 0 }]))
  }
  const [lastOid, commitCount] = await Promise.all([
    git.lastCommitOfPath(gitKey, head, file),
    git.countCommits(gitKey, { from: [head], path: file }),
  ])
  return new Map(lastOid === undefined ? [] : [[file, { lastOid, commitCount }]])
}

/** Returns the changes since the commit `known`, without a git process; undefined when `known` is not a few steps back. */
async function changesSince(
  { git }: Services,
  { gitKey, head }: WikiState,
  known: Oid,
): Promise<Histories | undefined> {
  const found = new Map<string, FileHistory>()
  if (known === head) return found
  let oid = head
  let after = await rootOf(git, gitKey, head)
  for (let step = 0; oid !== known; step++) {
    const { parents } = await git.readCommit(gitKey, oid)
    const [parent] = parents
    if (step === maxCaughtUp || parents.length !== 1 || parent === undefined) return undefined
    const before = await rootOf(git, gitKey, parent)
    for (const file of new Set([...after.keys(), ...before.keys()])) {
      if (after.get(file) === before.get(file) || !isIndexed(file)) continue
      // The walk goes back in time, so the first commit found is the newest.
      const later = found.get(file)
      found.set(file, { lastOid: later?.lastOid ?? oid, commitCount: (later?.commitCount ?? 0) + 1 })
    }
    after = before
    oid = parent
  }
  return found
}

async function rootOf(git: Services['git'], gitKey: GitKey, commit: Oid): Promise<ReadonlyMap<string, string>> {
  const entries = await git.readTree(gitKey, commit)
  return new Map(entries.map(({ name, mode, oid }) => [name, `${mode} ${oid}`]))
}

/** Updates the index to the commit of the wiki. A rewritten history rebuilds it. */
export async function indexWiki(services: Services, wiki: WikiState): Promise<void> {
  const { repoId, head } = wiki
  const known = await findIndexedHead(services.db, repoId)
  if (known === head) return
  const recent = known && (await changesSince(services, wiki, known))
  const isAhead = recent !== undefined || (known !== undefined && (await isAncestor(services, wiki, known)))
  const added = recent ?? (await readHistories(services, wiki, isAhead ? known : undefined))
  await transaction(services.db, async (tx) => {
    if (!added) return deleteIndex(tx, repoId)
    if (!(await moveIndexedHead(tx, repoId, known, head))) return
    if (!isAhead) await deleteHistories(tx, repoId)
    await addToHistories(tx, repoId, added)
  })
}

async function isAncestor({ git }: Services, { gitKey, head }: WikiState, known: Oid): Promise<boolean> {
  try {
    return await git.isAncestor(gitKey, known, head)
  } catch (error) {
    // Garbage collection removed the rewritten commit.
    if (error instanceof NotFound) return false
    throw error
  }
}

/** Returns the changes of root pages since `from`, or of the whole history; undefined when there are too many pages. */
export async function readHistories(
  { git }: Services,
  { gitKey, head }: WikiState,
  from: Oid | undefined,
): Promise<Histories | undefined> {
  const found = new Map<string, FileHistory>()
  await git.eachChangedPath(gitKey, { from: head, not: from }, (lastOid, path) => {
    if (isIndexed(path)) found.set(path, { lastOid, commitCount: (found.get(path)?.commitCount ?? 0) + 1 })
    return found.size <= maxIndexedFiles
  })
  return found.size > maxIndexedFiles ? undefined : found
}
