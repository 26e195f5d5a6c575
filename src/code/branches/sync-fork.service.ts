import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { refusalOf } from './branch.service.ts'
import { mustBeAllowedByProtections } from '../../refs/protection/protection.service.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/journal/ref-door.service.ts'
import { findRepoById } from '../../repos/repo.store.ts'

/** A branch of a fork compared with the same branch of its origin. */
export interface ForkState {
  readonly base: RepoRow
  readonly forkCommit: Oid
  /** Undefined when the origin lacks the branch. */
  readonly baseCommit: Oid | undefined
  /** Commits that the fork lacks; 0 when it has commits of its own and cannot fast-forward. */
  readonly behind: number
}

/** Throws `BadRequest` when the repository is not a fork, `NotFound` when it lacks the branch. */
export async function getForkState(ctx: RepoCtx, branch: string): Promise<ForkState> {
  const { git, repo, db } = ctx
  const base = repo.fork_id === null ? undefined : await findRepoById(db, repo.fork_id)
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
