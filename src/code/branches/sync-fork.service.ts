import { mayHere } from '../../access/may-here.ts'
import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { Divergence } from '../../git/git.ts'
import type { GitKey } from '../../git/git-key.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { refusalOf } from './branch.service.ts'
import { mustBeAllowedByProtections } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { findReadableOrigin, type NetworkRepo } from '../../repos/lists/fork-network.service.ts'

/** A branch of a fork compared with the same branch of its origin. */
export interface ForkState {
  readonly base: RepoRow
  readonly forkCommit: Oid
  /** Undefined when the origin lacks the branch. */
  readonly baseCommit: Oid | undefined
  /** Commits that the fork lacks; 0 when it has commits of its own and cannot fast-forward. */
  readonly behind: number
}

/**
 * Throws `BadRequest` when the repository is not a fork of one whose code the viewer may read, `NotFound` when it lacks the
 * branch.
 */
export async function getForkState(ctx: RepoCtx, branch: string): Promise<ForkState> {
  const { git, repo } = ctx
  const base = (await findReadableOrigin(ctx))?.repo
  if (!base) throw new BadRequest('the repository is not a fork', 'not_a_fork')
  const [forkCommit, baseCommit] = await Promise.all([
    git.readRef(repo.git_key, branchRef(branch)),
    git.readRef(base.git_key, branchRef(branch)),
  ])
  if (!forkCommit) throw new NotFound(`the repository has no branch ${branch}`, 'branch_not_found')
  const behind = baseCommit ? await commitsBehind(ctx, base, forkCommit, baseCommit) : 0
  return { base, forkCommit, baseCommit, behind }
}

async function commitsBehind({ git }: RepoCtx, base: RepoRow, forkCommit: Oid, baseCommit: Oid): Promise<number> {
  if (forkCommit === baseCommit) return 0
  const isUnknown = (await git.missingObjects(base.git_key, [forkCommit])).length > 0
  // The origin lacks the commit, so it is the fork's own.
  if (isUnknown || !(await git.isAncestor(base.git_key, forkCommit, baseCommit))) return 0
  return git.countCommits(base.git_key, { from: [baseCommit], not: [forkCommit] })
}

/** Fast-forwards a branch of a fork. Throws `BadRequest` when it is up to date or has commits of its own. */
export async function syncFork(ctx: SignedInRepoCtx, branch: string): Promise<void> {
  const { git, repo } = ctx
  const { base, forkCommit, baseCommit, behind } = await getForkState(ctx, branch)
  if (!baseCommit || behind === 0) {
    throw new BadRequest(
      `branch ${branch} cannot be synced: it is up to date or has commits of its own`,
      'fork_not_behind',
    )
  }
  await git.fetchObjects(base.git_key, repo.git_key, [baseCommit])
  const update = { ref: branchRef(branch), old: forkCommit, new: baseCommit }
  await mustBeAllowedByProtections(ctx, [update])
  const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
}

/** How the default branch of a fork stands to its origin. */
export interface ForkStanding extends Divergence {
  /** The owner of the fork. */
  readonly owner: UserRow
  readonly origin: NetworkRepo
  /** The branch of the origin that it is compared with: the one of the same name, otherwise the default branch. */
  readonly originBranch: string
  /** The fork may take the commits of the origin as they are, because it has none of its own. */
  readonly canFollow: boolean
  /** The origin takes pull requests of the viewer. */
  readonly takesPulls: boolean
}

/**
 * Returns how the default branch of a fork stands to its origin. Undefined when the viewer may not read the origin, a branch
 * does not exist, or the histories meet too far back.
 */
export async function getForkStanding(ctx: RepoCtx): Promise<ForkStanding | undefined> {
  const { git, repo } = ctx
  const origin = await findReadableOrigin(ctx)
  if (!origin) return undefined
  const tipOf = (key: GitKey, branch: string) => git.readRef(key, branchRef(branch))
  const [tip, namesake] = await Promise.all([
    tipOf(repo.git_key, repo.default_branch),
    tipOf(origin.repo.git_key, repo.default_branch),
  ])
  const originTip = namesake ?? (await tipOf(origin.repo.git_key, origin.repo.default_branch))
  if (!tip || !originTip) return undefined
  const at = { key: origin.repo.git_key, with: repo.git_key }
  const standing = (await git.divergence(at, { base: originTip, heads: [tip] })).get(tip)
  if (!standing) return undefined
  const { change } = mayHere({ ...origin, viewer: ctx.viewer })
  return {
    ...standing,
    owner: ctx.owner,
    origin: { repo: origin.repo, owner: origin.owner },
    originBranch: namesake ? repo.default_branch : origin.repo.default_branch,
    canFollow: namesake !== undefined && standing.ahead === 0 && standing.behind > 0,
    takesPulls: change.allowed && origin.rights.modeOf('pulls') > 0,
  }
}
