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

/** How a branch of a fork stands to the same branch of what it was forked from. */
export interface ForkState {
  readonly base: RepoRow
  readonly forkCommit: Oid
  /** Undefined when the base has no branch of that name. */
  readonly baseCommit: Oid | undefined
  /** Commits that the fork lacks; 0 when it has some of its own, which keeps it from being brought forward. */
  readonly behind: number
}

/** Not a fork is `BadRequest`; a branch that the fork lacks is `NotFound`. */
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
  // What the base does not know is the fork's own.
  if (isUnknown || !(await git.isAncestor(base.git_key, forkCommit, baseCommit))) return 0
  return git.countCommits(base.git_key, { from: [baseCommit], not: [forkCommit] })
}

/** Brings a branch of a fork forward to what its base has; nothing to do, or commits of its own, is `BadRequest`. */
export async function syncFork(ctx: SignedInRepoCtx, branch: string): Promise<void> {
  const { git, repo } = ctx
  const { base, forkCommit, baseCommit, behind } = await getForkState(ctx, branch)
  if (!baseCommit || behind === 0) {
    throw new BadRequest(`branch ${branch} cannot be brought forward`, 'fork_not_behind')
  }
  await git.fetchObjects(base.git_key, repo.git_key, [baseCommit])
  const update = { ref: branchRef(branch), old: forkCommit, new: baseCommit }
  await mustBeAllowedByProtections(ctx, [update])
  const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
}
