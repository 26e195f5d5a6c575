import type { ReviewRow } from '../../db/tables/pulls.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { contextMatcher } from '../../refs/protection/branch-protection.rules.ts'
import type { BranchRule } from '../../refs/protection/branch-protection.store.ts'

/** The newest status of one context. */
export interface Status {
  readonly context: string
  readonly state: string
}

/** Why the statuses of a head do not allow a merge. */
export interface StatusProblem {
  /** The status, or the pattern that none matches; empty when the head has no status. */
  readonly context: string
  /** The state of the status; `missing` without one. */
  readonly state: string
}

/**
 * Returns the first problem of the statuses of a head. Each required pattern must match a status, and each matching status
 * must be a success. Without patterns, at least one status must exist and each must be a success.
 * Source: contract (pulls: status checks).
 */
export function statusProblem(
  rule: BranchRule,
  statuses: readonly Status[],
  budget: WorkBudget,
): StatusProblem | undefined {
  if (!rule.enable_status_check) return undefined
  const patterns = rule.status_check_contexts ?? []
  const unsuccessful = (some: readonly Status[]) => some.find(({ state }) => state !== 'success')
  if (patterns.length === 0) {
    return statuses.length === 0 ? { context: '', state: 'missing' } : unsuccessful(statuses)
  }
  for (const pattern of patterns) {
    const fits = contextMatcher(pattern, budget)
    // A status that cannot be compared has to be a success, and does not count as the required one.
    const matching = statuses.filter((status) => fits(status.context) !== false)
    const isMissing = !matching.some((status) => fits(status.context) === true)
    const problem = isMissing ? { context: pattern, state: 'missing' } : unsuccessful(matching)
    if (problem) return problem
  }
  return undefined
}

export type OfficialReview = Pick<ReviewRow, 'type' | 'is_stale'>

/** Why the reviews do not allow a merge. */
export type ReviewProblem<Review> =
  | { readonly kind: 'approvals'; readonly required: number; readonly given: number }
  | { readonly kind: 'rejected' | 'requested'; readonly by: readonly Review[] }

/** Returns all problems of the reviews. @param official the official reviews that are not dismissed */
export function reviewProblems<Review extends OfficialReview>(
  rule: BranchRule,
  official: readonly Review[],
): readonly ReviewProblem<Review>[] {
  const given = official.filter(
    (review) => review.type === 'approve' && !(rule.ignore_stale_approvals && review.is_stale),
  ).length
  const required = rule.required_approvals
  const of = (kind: 'rejected' | 'requested', type: ReviewRow['type'], isRefused: boolean) => {
    const by = isRefused ? official.filter((review) => review.type === type) : []
    return by.length === 0 ? [] : [{ kind, by }]
  }
  return [
    ...(given < required ? [{ kind: 'approvals' as const, required, given }] : []),
    ...of('rejected', 'reject', rule.block_on_rejected_reviews),
    ...of('requested', 'request', rule.block_on_official_review_requests),
  ]
}
