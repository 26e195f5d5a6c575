import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { hasOpenDependency } from '../../issues/issue.store.ts'
import { MethodNotAllowed, NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import { mayBringCommits, mayChangeFiles, mayMerge } from '../../refs/protection/branch-protection.policy.ts'
import type { BranchRule } from '../../refs/protection/branch-protection.store.ts'
import { changedPaths, firstUnsigned, protectionOf } from '../../refs/protection/protection.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { mayMergeBy, mayMergeWithReviews, mayMergeWithStatuses } from './merge-gate.policy.ts'
import { listNewestStatuses } from './merge.store.ts'
import { upToDate } from '../pull-check.service.ts'
import { isDraft, mergeBaseOf } from '../pull.rules.ts'
import { mergeSigning } from './merge-signing.service.ts'
import type { MergeStyle } from './merge-style.ts'
import type { PullPair } from '../pull.store.ts'
import { listOfficial } from '../reviews/review.store.ts'

const refused = (message: string, code: string) => new MethodNotAllowed(message, code)

function mustPass(verdict: Verdict): void {
  if (!verdict.allowed) throw refused(verdict.reason, verdict.code)
}

export interface MergeRequirements {
  readonly style: MergeStyle
  /** Bypasses branch protection when the caller has the right to. */
  readonly isForced: boolean
  /** Skips branch protection, which is checked when the scheduled merge runs. */
  readonly isScheduled: boolean
}

/**
 * Checks each precondition of a merge in the order of the contract.
 * @returns the pull request after a check of its branches
 * @throws MethodNotAllowed (405) when the pull request is merged, not ready, or the caller may not merge it
 * @throws NotFound when the pull request is closed
 */
export async function passGate(ctx: SignedInRepoCtx, pair: PullPair, demand: MergeRequirements): Promise<PullPair> {
  if (pair.pull.is_merged) throw refused('the pull request is already merged', 'pull_merged')
  if (pair.issue.is_closed) throw new NotFound('the pull request is closed', 'pull_closed')
  const { rule, actor } = await protectionOf(ctx, pair.pull.base_branch)
  if (!ctx.viewer.isAdmin) mustPass(mayMerge(rule, actor))
  const config = unitConfig(ctx.units, 'pulls')
  if (demand.style === 'manually-merged') {
    mustPass(mayMergeBy(config, demand.style))
    return { ...pair, pull: await upToDate(ctx, pair.pull) }
  }
  if (isDraft(ctx, pair.issue)) throw refused('the pull request is a draft', 'pull_draft')
  const pull = await upToDate(ctx, pair.pull)
  if (pull.is_merged) throw refused('the pull request is already merged', 'pull_merged')
  if (pull.check_state !== 'mergeable' && pull.check_state !== 'empty') {
    const why =
      pull.check_state === 'ancestor' ? 'the base already contains the head' : 'try again later or solve the conflicts'
    throw refused(`the pull request cannot be merged now: ${why}`, 'pull_not_mergeable')
  }
  const checked = { issue: pair.issue, pull }
  if (rule && !demand.isScheduled && !skipsProtection(ctx, rule, demand)) {
    mustPass(await mayPassProtection(ctx, rule, checked))
  }
  if (rule) mustPass(await mayBringItsCommits(ctx, rule, checked, demand.style))
  // The function takes a transaction, because closing an issue calls it within one.
  if (await transaction(ctx.db, (tx) => hasOpenDependency(tx, pair.issue.id))) {
    throw refused('an issue that this one depends on is still open', 'dependency_open')
  }
  mustPass(mayMergeBy(config, demand.style))
  return checked
}

/** Administrators of the instance may bypass protection; those of the repository unless the rule applies to them. */
const skipsProtection = (ctx: SignedInRepoCtx, rule: BranchRule, demand: MergeRequirements): boolean =>
  demand.isForced && (ctx.viewer.isAdmin || (ctx.rights.isAdmin && !rule.apply_to_admins))

/** Checks a rule's conditions in this order: statuses, reviews, outdated base, files. Source: contract (pulls). */
async function mayPassProtection(ctx: RepoCtx, rule: BranchRule, { pull, issue }: PullPair): Promise<Verdict> {
  const key = ctx.repo.git_key
  if (rule.enable_status_check) {
    const verdict = mayMergeWithStatuses(rule, await listNewestStatuses(ctx.db, ctx.repo.id, pull.head_oid), ctx.budget)
    if (!verdict.allowed) return verdict
  }
  const asksForReviews =
    rule.required_approvals > 0 || rule.block_on_rejected_reviews || rule.block_on_official_review_requests
  if (asksForReviews) {
    const verdict = mayMergeWithReviews(rule, await listOfficial(ctx.db, issue.id))
    if (!verdict.allowed) return verdict
  }
  if (rule.block_on_outdated_branch) {
    const base = await ctx.git.readRef(key, branchRef(pull.base_branch))
    if (base !== pull.merge_base) return deny('branch_protected', 'the head is behind the base')
  }
  if (rule.protected_file_patterns === '') return allow
  const paths = await changedPaths(ctx, mergeBaseOf(pull), pull.synced_oid, key)
  return mayChangeFiles(rule, pull.base_branch, paths, ctx.budget)
}

/** Returns whether a rule that requires signed commits allows the commits that a merge creates and brings in. */
async function mayBringItsCommits(
  ctx: SignedInRepoCtx,
  rule: BranchRule,
  pair: PullPair,
  style: MergeStyle,
): Promise<Verdict> {
  if (!rule.require_signed_commits) return allow
  const { pull } = pair
  const key = ctx.repo.git_key
  const isMade = style !== 'fast-forward-only'
  if (isMade) {
    const base = await ctx.git.readRef(key, branchRef(pull.base_branch))
    const signing = await mergeSigning(ctx, pair, base)
    if (!signing) return mayBringCommits(rule, pull.base_branch, 'the result of this merge')
  }
  // Other styles create the commits; `mustBringSignedCommits` checks these once they exist.
  const bringsHead = !isMade || style === 'merge'
  const unsigned = bringsHead ? await firstUnsigned(ctx, mergeBaseOf(pull), pull.synced_oid, key) : undefined
  return mayBringCommits(rule, pull.base_branch, unsigned)
}

/**
 * Checks the commits of a built merge against a rule that requires signed commits.
 * @throws MethodNotAllowed (405) for an unsigned commit
 */
export async function mustBringSignedCommits(
  ctx: SignedInRepoCtx,
  pull: PullPair['pull'],
  base: Oid,
  made: Oid,
): Promise<void> {
  const { rule } = await protectionOf(ctx, pull.base_branch)
  if (!rule?.require_signed_commits) return
  const unsigned = await firstUnsigned(ctx, base, made, ctx.repo.git_key)
  mustPass(mayBringCommits(rule, pull.base_branch, unsigned))
}
