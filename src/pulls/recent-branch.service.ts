import { mayHere } from '../access/may-here.ts'
import type { RepoCtx } from '../access/context.ts'
import { findBranch } from '../code/branches/branch.store.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { findReadableOrigin, listOwnForks, type NetworkRepo } from '../repos/lists/fork-network.service.ts'
import { listPushedSince } from './recent-branch.store.ts'

/** How long a pushed branch is offered, in seconds. */
const offeredForSeconds = 24 * 60 * 60

/** A branch that the viewer pushed recently, and where its pull request belongs. */
export interface RecentBranch {
  readonly head: NetworkRepo & { readonly name: string }
  readonly base: NetworkRepo & { readonly name: string }
  readonly pushedUnix: Unix
}

/**
 * Returns at most three branches that the viewer pushed within the last day to the repository or to their forks of it, and
 * that have no pull request. Those of a fork belong to its origin.
 */
export async function listRecentBranches(ctx: RepoCtx): Promise<readonly RecentBranch[]> {
  const { db, viewer } = ctx
  if (!viewer || ctx.repo.is_empty) return []
  const origin = await findReadableOrigin(ctx)
  const target = origin ?? ctx
  if (!mayHere({ ...target, viewer }).change.allowed || target.rights.modeOf('pulls') === 0) return []
  const sources: readonly NetworkRepo[] = origin ? [ctx] : [ctx, ...(await listOwnForks(ctx))]
  const rows = await listPushedSince(
    db,
    target.repo.id,
    sources.map(({ repo }) => repo.id),
    viewer.id,
    nowUnix(ctx.clock) - offeredForSeconds,
  )
  if (rows.length === 0) return []
  const base = { repo: target.repo, owner: target.owner, name: target.repo.default_branch }
  const tip = await findBranch(db, base.repo.id, base.name)
  return rows.flatMap((row) => {
    const source = sources.find(({ repo }) => repo.id === row.repo_id)
    const isDefault = source?.repo.default_branch === row.name
    if (!source || isDefault || row.commit_oid === tip?.commit_oid) return []
    return [{ head: { repo: source.repo, owner: source.owner, name: row.name }, base, pushedUnix: row.updated_unix }]
  })
}
