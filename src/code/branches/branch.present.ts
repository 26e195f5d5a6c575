import type { RepoCtx } from '../../access/context.ts'
import type { BranchRow } from '../../db/tables/repositories.ts'
import { branchActor } from '../../refs/protection/branch-actor.ts'
import { mayMerge, mayPush } from '../../refs/protection/branch-protection.policy.ts'
import { ruleFinder } from '../../refs/protection/branch-protection.rules.ts'
import { listBranchRules } from '../../refs/protection/branch-protection.store.ts'
import type { Branch } from './branch.schemas.ts'
import { presentPayloadCommits } from '../commits/commit.present.ts'

/** Presents branches with their heads and the caller's permissions; heads, rules and people are read in batches. */
export async function presentBranches(
  ctx: RepoCtx,
  branches: readonly Pick<BranchRow, 'name' | 'commit_oid'>[],
): Promise<Branch[]> {
  if (branches.length === 0) return []
  const oids = branches.map((branch) => branch.commit_oid)
  const [commits, rules, actor] = await Promise.all([
    ctx.git.readCommits(ctx.repo.git_key, oids),
    listBranchRules(ctx.db, ctx.repo.id),
    branchActor(ctx),
  ])
  const heads = await presentPayloadCommits(ctx, commits)
  const ruleOf = ruleFinder(rules, ctx.budget)
  return branches.map(({ name }, index) => {
    const rule = ruleOf(name)
    return {
      name,
      commit: heads[index] ?? null,
      protected: rule !== undefined,
      required_approvals: rule?.required_approvals ?? 0,
      enable_status_check: rule?.enable_status_check ?? false,
      status_check_contexts: rule ? rule.status_check_contexts && [...rule.status_check_contexts] : [],
      user_can_push: mayPush(rule, actor).allowed,
      user_can_merge: mayMerge(rule, actor).allowed,
      effective_branch_protection_name: rule && ctx.rights.isAdmin ? rule.rule_name : '',
    }
  })
}

export async function presentBranch(ctx: RepoCtx, branch: Pick<BranchRow, 'name' | 'commit_oid'>): Promise<Branch> {
  const [presented] = await presentBranches(ctx, [branch])
  return presented as Branch
}
