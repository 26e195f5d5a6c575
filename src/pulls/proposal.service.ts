import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { accessTo } from '../access/repo-access.ts'
import { freeBranchName } from '../code/branches/free-branch-name.service.ts'
import {
  changeFiles,
  checkEdits,
  type ChangeOptions,
  type ChangeRules,
  type MadeChange,
} from '../code/contents/file-change.service.ts'
import type { FileEdit } from '../git/git.ts'
import { refuseBlocked } from '../issues/issue.service.ts'
import { Archived, Conflict, Forbidden, Invalid } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef } from '../lib/refs.ts'
import { must } from '../lib/verdict.ts'
import { forkRepo } from '../repos/lifecycle/fork.service.ts'
import { deleteRepo } from '../repos/lifecycle/repo-deletion.service.ts'
import { listOwnForks } from '../repos/lists/fork-network.service.ts'
import { mayPropose } from './proposal.policy.ts'

/** The fork that gets the viewer's proposals; undefined: the first proposal makes it. */
const ownFork = async (ctx: RepoCtx) => (await listOwnForks(ctx)).find(({ repo }) => !repo.is_mirror)

/** Returns a name for the branch of a proposal that neither the repository nor the viewer's fork has. */
export async function freeProposalName(ctx: SignedInRepoCtx): Promise<string> {
  const fork = await ownFork(ctx)
  return freeBranchName(ctx, ctx.viewer.user.name, [ctx.repo.id, ...(fork ? [fork.repo.id] : [])])
}

interface Proposal {
  /** The commit of this repository that the edits begin at. */
  readonly start: Oid
  readonly edits: readonly FileEdit[]
  readonly message: string
  readonly newBranch: string
}

/**
 * Commits edits to a new branch of the viewer's fork, which is made when there is none. The branch begins at a commit of
 * this repository, so a fork that lags behind gets it too. When a step is refused, nothing stays: everything that can be
 * judged is judged before the fork is made, and a new fork without its commit is deleted.
 * @throws Forbidden when the viewer may not propose changes here, Conflict when a repository of the name is not a fork
 */
export async function proposeEdits(
  ctx: SignedInRepoCtx,
  { start, edits, message, newBranch }: Proposal,
  rules?: ChangeRules,
): Promise<MadeChange & { readonly fork: SignedInRepoCtx }> {
  const verdict = mayPropose(ctx)
  if (!verdict.allowed && verdict.code === 'archived') throw new Archived()
  must(verdict)
  await refuseBlocked(ctx, [ctx.owner.id])
  await refuseOverQuota(ctx, ctx.viewer.user, 'size:repos:all')
  await checkEdits(ctx, start, edits)
  const options: ChangeOptions = { message, newBranch, start }
  const commitTo = async (target: Pick<RepoCtx, 'repo' | 'owner'>) => {
    const fork = await opened(ctx, target)
    await ctx.git.fetchObjects(ctx.repo.git_key, target.repo.git_key, [start])
    return { ...(await changeFiles(fork, edits, options, rules)), fork }
  }
  const known = await ownFork(ctx)
  if (known) {
    if (known.repo.is_archived) throw new Forbidden('your fork is archived; unarchive it first', 'fork_archived')
    return commitTo(known)
  }
  if (await ctx.git.readRef(ctx.repo.git_key, branchRef(newBranch))) {
    throw new Invalid(`there is a branch ${newBranch} already`, 'branch_exists')
  }
  const made = await forkRepo(ctx, {}).catch((error: unknown) => {
    if (error instanceof Conflict && error.code === 'repo_name_taken') {
      throw new Conflict(
        `you have another repository named ${ctx.repo.name}; fork this one under another name first`,
        error.code,
      )
    }
    throw error
  })
  try {
    return await commitTo(made)
  } catch (error) {
    await deleteRepo(ctx, made.owner, made.repo, ctx.viewer.id)
    throw error
  }
}

const opened = async (
  ctx: SignedInRepoCtx,
  { repo, owner }: Pick<RepoCtx, 'repo' | 'owner'>,
): Promise<SignedInRepoCtx> => ({ ...ctx, repo, owner, ...(await accessTo(ctx.db, ctx.viewer, owner, repo)) })
