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

function mustPass(verdict: Verdict, code: string): void {
  if (!verdict.allowed) throw refused(verdict.reason, code)
}

export interface MergeRequirements {
  readonly style: MergeStyle
  /** Passes protection, as far as the caller may. */
  readonly isForced: boolean
  /** Protection is left to whoever merges later. */
  readonly isScheduled: boolean
}

/**
 * Looks at everything that stands in the way of a merge, in the contract's order. What is merged already, not allowed
 * or not ready is 405, a closed one 404.
 * @returns the pull request as it is after its branches were looked at
 */
export async function passGate(ctx: SignedInRepoCtx, pair: PullPair, demand: MergeRequirements): Promise<PullPair> {
  if (pair.pull.is_merged) throw refused('the pull request is merged already', 'pull_merged')
  if (pair.issue.is_closed) throw new NotFound('the pull request is closed', 'pull_closed')
  const { rule, actor } = await protectionOf(ctx, pair.pull.base_branch)
  if (!ctx.viewer.isAdmin) mustPass(mayMerge(rule, actor), 'merge_forbidden')
  const config = unitConfig(ctx.units, 'pulls')
  if (demand.style === 'manually-merged') {
    mustPass(mayMergeBy(config, demand.style), 'style_forbidden')
    return { ...pair, pull: await upToDate(ctx, pair.pull) }
  }
  if (isDraft(ctx, pair.issue)) throw refused('the pull request is a draft', 'pull_draft')
  const pull = await upToDate(ctx, pair.pull)
  if (pull.is_merged) throw refused('the pull request is merged already', 'pull_merged')
  if (pull.check_state !== 'mergeable' && pull.check_state !== 'empty') {
    const why =
      pull.check_state === 'ancestor' ? 'the base contains the head already' : 'try again later or solve the conflicts'
    throw refused(`the pull request cannot be merged now: ${why}`, 'pull_not_mergeable')
  }
  const checked = { issue: pair.issue, pull }
  if (rule && !demand.isScheduled && !skipsProtection(ctx, rule, demand)) {
    mustPass(await mayPassProtection(ctx, rule, checked), 'branch_protected')
  }
  if (rule) mustPass(await mayBringItsCommits(ctx, rule, checked, demand.style), 'signing_required')
  // The store asks for a transaction, since it is asked in those that close as well.
  if (await transaction(ctx.db, (tx) => hasOpenDependency(tx, pair.issue.id))) {
    throw refused('an issue that this one depends on is still open', 'dependency_open')
  }
  mustPass(mayMergeBy(config, demand.style), 'style_forbidden')
  return checked
}

/** Administrators of the instance may pass protection, those of the repository unless the rule binds them too. */
const skipsProtection = (ctx: SignedInRepoCtx, rule: BranchRule, demand: MergeRequirements): boolean =>
  demand.isForced && (ctx.viewer.isAdmin || (ctx.rights.isAdmin && !rule.apply_to_admins))

/** Whether a rule lets a pull request be merged; its statuses count first, then reviews, age and files (contract, pulls). */
async function mayPassProtection(ctx: RepoCtx, rule: BranchRule, { pull, issue }: PullPair): Promise<Verdict> {
  const key = ctx.repo.git_key
  if (rule.enable_status_check) {
    const verdict = mayMergeWithStatuses(rule, await listNewestStatuses(ctx.db, ctx.repo.id, pull.head_oid))
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
    if (base !== pull.merge_base) return deny('the head is behind the base')
  }
  if (rule.protected_file_patterns === '') return allow
  const paths = await changedPaths(ctx, mergeBaseOf(pull), pull.synced_oid, key)
  return mayChangeFiles(rule, pull.base_branch, paths)
}

/** Where only signed commits are taken a merge may not make others, nor bring them in. */
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
    if (!signing) return mayBringCommits(rule, pull.base_branch, 'what this merge makes')
  }
  // The other styles bring commits of their own; those that they take over as they are, are looked at when they are known.
  const bringsHead = !isMade || style === 'merge'
  const unsigned = bringsHead ? await firstUnsigned(ctx, mergeBaseOf(pull), pull.synced_oid, key) : undefined
  return mayBringCommits(rule, pull.base_branch, unsigned)
}

/** Looks at all that a merge would bring, once it is made, where only signed commits are taken: one that is not is 405. */
export async function mustBringSignedCommits(
  ctx: SignedInRepoCtx,
  pull: PullPair['pull'],
  base: Oid,
  made: Oid,
): Promise<void> {
  const { rule } = await protectionOf(ctx, pull.base_branch)
  if (!rule?.require_signed_commits) return
  const unsigned = await firstUnsigned(ctx, base, made, ctx.repo.git_key)
  mustPass(mayBringCommits(rule, pull.base_branch, unsigned), 'signing_required')
}
