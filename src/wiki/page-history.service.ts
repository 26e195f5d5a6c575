import type { RepoCtx } from '../access/context.ts'
import type { Oid } from '../lib/ids.ts'
import type { WikiState } from './page.service.ts'

/** For each of the files the newest commit that touched it; those without one are left out. */
export async function lastCommitsOf(
  { git }: RepoCtx,
  { gitKey, head }: WikiState,
  files: readonly string[],
): Promise<ReadonlyMap<string, Oid>> {
  return files.length === 0 ? new Map() : git.lastCommitsOfPaths(gitKey, head, '', files)
}
