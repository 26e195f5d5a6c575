import type { RepoCtx } from '../access/context.ts'
import { listPullsOfBranches, type BranchPull } from './branch-pulls.store.ts'

/** Returns the pull requests of branches within the repository: the open one, or else the newest. None for those who may not read them. */
export async function pullsOfBranches(
  { db, repo, rights }: Pick<RepoCtx, 'db' | 'repo' | 'rights'>,
  branches: readonly string[],
): Promise<ReadonlyMap<string, BranchPull>> {
  if (branches.length === 0 || rights.modeOf('pulls') === 0) return new Map()
  const pulls = await listPullsOfBranches(db, repo.id, branches)
  const closedFirst = pulls.toSorted((one, other) => Number(other.is_closed) - Number(one.is_closed))
  return new Map(closedFirst.map((pull) => [pull.head_branch, pull]))
}
