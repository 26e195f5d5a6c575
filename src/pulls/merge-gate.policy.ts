import type { ReviewRow } from '../db/tables/pulls.ts'
import { contextMatcher } from '../refs/branch-protection.policy.ts'
import type { BranchRule } from '../refs/branch-protection.store.ts'
import type { PullsConfig } from '../repos/unit-config.ts'
import type { MergeVerb } from './pull.schemas.ts'

/** Whether the repository allows a way of merging. */
export function isStyleAllowed(config: PullsConfig | undefined, style: MergeVerb): boolean {
  if (!config) return false
  switch (style) {
    case 'merge':
      return config.allow_merge_commits
    case 'rebase':
      return config.allow_rebase
    case 'rebase-merge':
      return config.allow_rebase_explicit
    case 'squash':
      return config.allow_squash_merge
    case 'fast-forward-only':
      return config.allow_fast_forward_only_merge
    case 'manually-merged':
      return config.allow_manual_merge
  }
}

/** The newest status of one context. */
export interface Status {
  readonly context: string
  readonly state: string
}

/**
 * Why statuses do not let a merge pass, or undefined. Each required pattern must fit a status, and all that fit must be
 * successes; without patterns there must be some status and all must be (contract, pulls: status checks).
 */
export function statusProblem(rule: BranchRule, statuses: readonly Status[]): string | undefined {
  if (!rule.enable_status_check) return undefined
  const patterns = rule.status_check_contexts ?? []
  if (patterns.length === 0) {
    if (statuses.length === 0) return 'there is no status of the head yet'
    const bad = statuses.find((status) => status.state !== 'success')
    return bad && `status ${bad.context} is ${bad.state}`
  }
  for (const pattern of patterns) {
    const fits = contextMatcher(pattern)
    const matching = statuses.filter((status) => fits(status.context))
    if (matching.length === 0) return `status ${pattern} is missing`
    const bad = matching.find((status) => status.state !== 'success')
    if (bad) return `status ${bad.context} is ${bad.state}`
  }
  return undefined
}

type Official = Pick<ReviewRow, 'type' | 'is_stale'>

/** Why reviews do not let a merge pass, or undefined. @param official reviews that count and are not dismissed */
export function reviewProblem(rule: BranchRule, official: readonly Official[]): string | undefined {
  const approvals = official.filter(
    (review) => review.type === 'approve' && !(rule.ignore_stale_approvals && review.is_stale),
  )
  if (approvals.length < rule.required_approvals) {
    return `${rule.required_approvals} approvals are required, ${approvals.length} given`
  }
  if (rule.block_on_rejected_reviews && official.some((review) => review.type === 'reject')) {
    return 'a review asks for changes'
  }
  if (rule.block_on_official_review_requests && official.some((review) => review.type === 'request')) {
    return 'a review that counts was asked for and is not given yet'
  }
  return undefined
}
