import { createHash } from 'node:crypto'
import type { Services } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { SmallBlobQuery } from '../../git/git.ts'
import type { Oid } from '../../lib/ids.ts'
import { formatPointer, maxPointerBytes, parsePointer, type Pointer } from './pointer.rules.ts'

/** Returns the git id of a pointer's blob in its usual form. */
function blobIdOf({ object_format: format }: Pick<RepoRow, 'object_format'>, pointer: Pointer): Oid {
  const content = formatPointer(pointer)
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex') as Oid
}

/**
 * Returns the objects that the history of a repository refers to. Most pointers have the usual form, so their blob ids
 * are known. Only when some are not found, all small files are read.
 */
export async function findReferenced(
  { git }: Services,
  repo: RepoRow,
  pointers: readonly Pointer[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const query: SmallBlobQuery = { maxBytes: maxPointerBytes, signal }
  const left = new Map(pointers.map((pointer) => [pointer.oid, pointer]))
  const byBlob = new Map(pointers.map((pointer) => [blobIdOf(repo, pointer), pointer.oid]))
  for await (const oids of git.listSmallBlobs(repo.git_key, query)) {
    for (const oid of oids) left.delete(byBlob.get(oid) ?? '')
    if (left.size === 0) break
  }
  if (left.size > 0) {
    for await (const pointer of readPointers(git, repo, query)) {
      left.delete(pointer.oid)
      if (left.size === 0) break
    }
  }
  return new Set(pointers.map(({ oid }) => oid).filter((oid) => !left.has(oid)))
}

/** Yields every pointer among the small files of a repository's history. */
export async function* readPointers(
  git: Services['git'],
  repo: Pick<RepoRow, 'git_key'>,
  query: Omit<SmallBlobQuery, 'maxBytes'>,
): AsyncGenerator<Pointer> {
  for await (const oids of git.listSmallBlobs(repo.git_key, { ...query, maxBytes: maxPointerBytes })) {
    for (const content of (await git.readSmallBlobs(repo.git_key, oids)).values()) {
      const pointer = parsePointer(content)
      if (pointer) yield pointer
    }
  }
}
