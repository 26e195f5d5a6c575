import { mayHere } from '../access/may-here.ts'
import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { refusalOf } from '../code/branches/branch.service.ts'
import { Conflict, Forbidden } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { branchRef, zeroOid } from '../lib/refs.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { checkProtections, mustBeAllowedByProtections } from '../refs/protection/protection.service.ts'
import { openHeadRepo } from './head-repo.service.ts'
import { listBranchHeads, type PullPair } from './pull.store.ts'

/** A branch of a pull request that does not exist any more. */
export interface LostBranch {
  readonly side: 'base' | 'head'
  /** `repository`: the repository of the branch was deleted too. */
  readonly lost: 'branch' | 'repository'
  /** Where the viewer may restore the branch; undefined: they may not. */
  readonly restorableAt: Oid | undefined
}

/** Returns which branches of a pull request are gone; none of a merged one, whose head is deleted as a rule. */
export async function getLostBranches(ctx: RepoCtx, pair: PullPair): Promise<readonly LostBranch[]> {
  const { pull } = pair
  if (pull.is_merged) return []
  const headRepoId = pull.flow === 1 ? null : pull.head_repo_id
  const heads = await listBranchHeads(ctx.db, [
    { repoId: ctx.repo.id, names: [pull.base_branch] },
    ...(headRepoId === null ? [] : [{ repoId: headRepoId, names: [pull.head_branch] }]),
  ])
  const isThere = (repoId: number, name: string) => heads.some((row) => row.repo_id === repoId && row.name === name)
  const lost: LostBranch[] = []
  const isHeadGone = pull.flow === 0 && (headRepoId === null || !isThere(headRepoId, pull.head_branch))
  if (isHeadGone) {
    lost.push({
      side: 'head',
      lost: headRepoId === null ? 'repository' : 'branch',
      restorableAt: headRepoId === null ? undefined : await restorable(ctx, pair, 'head'),
    })
  }
  if (!isThere(ctx.repo.id, pull.base_branch)) {
    lost.push({ side: 'base', lost: 'branch', restorableAt: await restorable(ctx, pair, 'base') })
  }
  return lost
}

/** The head is restored at the last commit of the pull request, the base where both branches met. */
const commitOf = ({ pull }: PullPair, side: LostBranch['side']): Oid | '' =>
  side === 'head' ? pull.synced_oid : pull.merge_base

const creation = (branch: string) =>
  ({ ref: branchRef(branch), kind: 'create', paths: undefined, unsignedCommit: undefined }) as const

const branchOfSide = ({ pull }: PullPair, side: LostBranch['side']): string =>
  side === 'head' ? pull.head_branch : pull.base_branch

/** Returns the commit at which the viewer may restore a branch. */
async function restorable(ctx: RepoCtx, pair: PullPair, side: LostBranch['side']): Promise<Oid | undefined> {
  const { viewer } = ctx
  const oid = commitOf(pair, side)
  if (!viewer || oid === '') return undefined
  const holder = side === 'base' ? ctx : await openHeadRepo({ ...ctx, viewer }, pair.pull)
  if (!holder || !mayHere(holder).push('code').allowed) return undefined
  const refusals = await checkProtections(holder, [creation(branchOfSide(pair, side))])
  return refusals.length === 0 ? oid : undefined
}

/**
 * Creates the lost branch of a pull request again. The repository of the pull request keeps its commits.
 * @throws Forbidden when the caller may not write to the repository of the branch, Conflict when the branch exists
 */
export async function restoreBranch(ctx: SignedInRepoCtx, pair: PullPair, side: LostBranch['side']): Promise<void> {
  const holder = side === 'base' ? ctx : await openHeadRepo(ctx, pair.pull)
  const oid = commitOf(pair, side)
  if (!holder || oid === '') throw new Conflict('the branch cannot be restored', 'branch_lost')
  const verdict = mayHere(holder).push('code')
  if (!verdict.allowed) throw new Forbidden(verdict.reason, verdict.code)
  const branch = branchOfSide(pair, side)
  await mustBeAllowedByProtections(holder, [creation(branch)])
  const { repo } = holder
  if (repo.id !== ctx.repo.id) await ctx.git.fetchObjects(ctx.repo.git_key, repo.git_key, [oid])
  const update = { ref: branchRef(branch), old: zeroOid(repo.object_format), new: oid }
  const result = await moveRefs(ctx, codeOf(repo), [update], { doerId: ctx.viewer.id, via: 'api' })
  if (!result.ok) throw refusalOf(result)
}
