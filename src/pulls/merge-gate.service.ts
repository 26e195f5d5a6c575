import type { RepoCtx, SignedInRepoCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import { hasOpenDependency } from '../issues/issue.store.ts'
import { MethodNotAllowed, NotFound } from '../lib/errors.ts'
import { branchRef } from '../lib/refs.ts'
import { mayMerge, pathsCovered } from '../refs/branch-protection.policy.ts'
import type { BranchRule } from '../refs/branch-protection.store.ts'
import { branchActor } from '../refs/branch-actor.ts'
import { unitConfig } from '../repos/unit-config.ts'
import { verifySignatures } from '../refs/verification.ts'
import { isStyleAllowed, reviewProblem, statusProblem } from './merge-gate.policy.ts'
import { listNewestStatuses } from './merge.store.ts'
import { upToDate } from './pull-check.service.ts'
import { isDraft } from './pull.rules.ts'
import type { MergeVerb } from './pull.schemas.ts'
import type { PullPair } from './pull.store.ts'
import { ruleFor } from './review-request.service.ts'
import { listOfficial } from './review.store.ts'

const refused = (message: string, code: string) => new MethodNotAllowed(message, code)

export interface MergeDemand {
  readonly style: MergeVerb
  /** Passes protection, as far as the caller may. */
  readonly isForced: boolean
  /** Protection is left to whoever merges later. */
  readonly isScheduled: boolean
}

/** Most commits whose signatures are looked at when the base takes signed ones only. */
const maxVerified = 1000

/**
 * Looks at everything that stands in the way of a merge, in the contract's order. What is merged already, not allowed
 * or not ready is 405, a closed one 404.
 * @returns the pull request as it is after its branches were looked at
 */
export async function passGate(ctx: SignedInRepoCtx, pair: PullPair, demand: MergeDemand): Promise<PullPair> {
  if (pair.pull.is_merged) throw refused('the pull request is merged already', 'pull_merged')
  if (pair.issue.is_closed) throw new NotFound('the pull request is closed', 'pull_closed')
  const [rule, actor] = await Promise.all([ruleFor(ctx, pair.pull), branchActor(ctx)])
  if (!ctx.viewer.isAdmin && !mayMerge(rule, actor)) {
    throw refused('you may not merge into this branch', 'merge_forbidden')
  }
  const config = unitConfig(ctx.units, 'pulls')
  if (demand.style === 'manually-merged') {
    if (!isStyleAllowed(config, demand.style)) {
      throw refused('marking as merged by hand is not allowed', 'style_forbidden')
    }
    return { ...pair, pull: await upToDate(ctx, pair.pull) }
  }
  if (isDraft(ctx, pair.issue)) throw refused('the pull request is a draft', 'pull_draft')
  const pull = await upToDate(ctx, pair.pull)
  if (pull.is_merged) throw refused('the pull request is merged already', 'pull_merged')
  if (pull.check_state !== 'mergeable' && pull.check_state !== 'empty') {
    const why =
      pull.check_state === 'ancestor' ? 'the base contains the head already' : 'try again later or solve the conflicts'
    throw refused(`the pull request can not be merged now: ${why}`, 'pull_not_mergeable')
  }
  const checked = { issue: pair.issue, pull }
  if (rule && !demand.isScheduled && !skipsProtection(ctx, rule, demand)) {
    const problem = await protectionProblem(ctx, rule, checked)
    if (problem !== undefined) throw refused(problem, 'branch_protected')
  }
  if (rule?.require_signed_commits) await mustBeSigned(ctx, checked, demand.style)
  // The store asks for a transaction, since it is asked in those that close as well.
  if (await transaction(ctx.db, (tx) => hasOpenDependency(tx, pair.issue.id))) {
    throw refused('an issue that this one depends on is still open', 'dependency_open')
  }
  if (!isStyleAllowed(config, demand.style)) {
    throw refused(`the repository does not allow ${demand.style}`, 'style_forbidden')
  }
  return checked
}

/** Administrators of the instance may pass protection, those of the repository unless the rule binds them too. */
const skipsProtection = (ctx: SignedInRepoCtx, rule: BranchRule, demand: MergeDemand): boolean =>
  demand.isForced && (ctx.viewer.isAdmin || (ctx.rights.isAdmin && !rule.apply_to_admins))

/** The first reason of a rule against a merge, or undefined. */
export async function protectionProblem(
  ctx: RepoCtx,
  rule: BranchRule,
  { pull, issue }: PullPair,
): Promise<string | undefined> {
  if (rule.enable_status_check) {
    const problem = statusProblem(rule, await listNewestStatuses(ctx.db, ctx.repo.id, pull.head_oid))
    if (problem !== undefined) return problem
  }
  const asksForReviews =
    rule.required_approvals > 0 || rule.block_on_rejected_reviews || rule.block_on_official_review_requests
  if (asksForReviews) {
    const problem = reviewProblem(rule, await listOfficial(ctx.db, issue.id))
    if (problem !== undefined) return problem
  }
  if (rule.block_on_outdated_branch) {
    const base = await ctx.git.readRef(ctx.repo.git_key, branchRef(pull.base_branch))
    if (base !== pull.merge_base) return 'the head is behind the base'
  }
  if (rule.protected_file_patterns === '') return undefined
  const files = await ctx.git.diffFiles(ctx.repo.git_key, {
    base: pull.merge_base || undefined,
    head: pull.synced_oid,
    renames: false,
  })
  const [path] = pathsCovered(
    rule.protected_file_patterns,
    files.map((file) => file.path),
  )
  return path === undefined ? undefined : `${path} is protected from changes`
}

/** Where only signed commits are taken a merge may not make others, nor bring them in. */
async function mustBeSigned(ctx: RepoCtx, { pull }: PullPair, style: MergeVerb): Promise<void> {
  if (style !== 'fast-forward-only') {
    throw refused('the base takes signed commits only, which a merge makes none of', 'signing_required')
  }
  const base = pull.merge_base === '' ? [] : [pull.merge_base]
  const commits = await ctx.git.log(ctx.repo.git_key, { from: [pull.synced_oid], not: base, limit: maxVerified + 1 })
  const verdicts = await verifySignatures(ctx, commits)
  const isGood =
    commits.length <= maxVerified && verdicts.every((verdict) => verdict.kind === 'signed' && verdict.isGood)
  if (!isGood) throw refused('the base takes signed commits only', 'signing_required')
}
