import type { ReviewRow } from '../../db/tables/pulls.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import { contextMatcher } from '../../refs/protection/branch-protection.rules.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import type { BranchRule } from '../../refs/protection/branch-protection.store.ts'
import type { PullsConfig } from '../../repos/unit-config.ts'
import type { MergeStyle } from './merge-style.ts'

/** Returns whether the repository allows a merge style. */
export const mayMergeBy = (config: PullsConfig | undefined, style: MergeStyle): Verdict =>
  config?.[settingOf[style]] ? allow : deny('style_forbidden', `the repository does not allow ${style}`)

const settingOf = {
  merge: 'allow_merge_commits',
  rebase: 'allow_rebase',
  'rebase-merge': 'allow_rebase_explicit',
  squash: 'allow_squash_merge',
  'fast-forward-only': 'allow_fast_forward_only_merge',
  'manually-merged': 'allow_manual_merge',
} as const satisfies Record<MergeStyle, keyof PullsConfig>

/** The newest status of one context. */
export interface Status {
  readonly context: string
  readonly state: string
}

/**
 * Returns whether the statuses of a head allow the merge. Each required pattern must match a status, and each matching
 * status must be a success. Without patterns, at least one status must exist and each must be a success.
 * Source: contract (pulls: status checks).
 */
export function mayMergeWithStatuses(rule: BranchRule, statuses: readonly Status[], budget: WorkBudget): Verdict {
  if (!rule.enable_status_check) return allow
  const patterns = rule.status_check_contexts ?? []
  if (patterns.length === 0) {
    return statuses.length === 0 ? deny('branch_protected', 'the head has no status yet') : mayAllPass(statuses)
  }
  for (const pattern of patterns) {
    const fits = contextMatcher(pattern, budget)
    // A status that cannot be compared has to be a success, and does not count as the required one.
    const matching = statuses.filter((status) => fits(status.context) !== false)
    const isMissing = !matching.some((status) => fits(status.context) === true)
    const verdict = isMissing ? deny('branch_protected', `status ${pattern} is missing`) : mayAllPass(matching)
    if (!verdict.allowed) return verdict
  }
  return allow
}

function mayAllPass(statuses: readonly Status[]): Verdict {
  const bad = statuses.find((status) => status.state !== 'success')
  return bad ? deny('branch_protected', `status ${bad.context} is ${bad.state}`) : allow
}

type OfficialReview = Pick<ReviewRow, 'type' | 'is_stale'>

/** Returns whether the reviews allow the merge. @param official the official reviews that are not dismissed */
export function mayMergeWithReviews(rule: BranchRule, official: readonly OfficialReview[]): Verdict {
  const approvals = official.filter(
    (review) => review.type === 'approve' && !(rule.ignore_stale_approvals && review.is_stale),
  )
  if (approvals.length < rule.required_approvals) {
    return deny('branch_protected', `approvals required: ${rule.required_approvals}, given: ${approvals.length}`)
  }
  if (rule.block_on_rejected_reviews && official.some((review) => review.type === 'reject')) {
    return deny('branch_protected', 'a review asks for changes')
  }
  if (rule.block_on_official_review_requests && official.some((review) => review.type === 'request')) {
    return deny('branch_protected', 'an official review request is open: the review is not given yet')
  }
  return allow
}
