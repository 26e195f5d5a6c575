import type { RepoCtx } from '../../access/context.ts'
import type { PullRow } from '../../db/tables/pulls.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'

/**
 * Returns the commit whose revert takes back a merged pull request. Undefined when its base branch or a commit is gone,
 * and when it was rebased as several commits: the last of them is a copy of the head, with its author and message.
 */
export async function wholeMergeCommit(
  { git, repo }: Pick<RepoCtx, 'git' | 'repo'>,
  { is_merged: isMerged, merge_oid: mergeOid, merge_base: mergeBase, synced_oid: headOid, base_branch: base }: PullRow,
): Promise<Oid | undefined> {
  if (!isMerged || mergeOid === '' || !(await git.readRef(repo.git_key, branchRef(base)))) return undefined
  try {
    const [merged, head] = await Promise.all([
      git.readCommit(repo.git_key, mergeOid),
      git.readCommit(repo.git_key, headOid),
    ])
    const isCopy =
      merged.parents.length === 1 &&
      merged.message === head.message &&
      merged.author.email === head.author.email &&
      merged.author.unixSeconds === head.author.unixSeconds
    return isCopy && head.parents[0] !== mergeBase ? undefined : mergeOid
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
