import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import type { BranchRule } from '../../refs/protection/branch-protection.store.ts'
import type { PullsConfig } from '../../repos/unit-config.ts'
import { reviewProblems, statusProblem, type OfficialReview, type Status } from './merge-gate.rules.ts'
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

/** Returns whether the statuses of a head allow the merge, see `statusProblem`. */
export function mayMergeWithStatuses(rule: BranchRule, statuses: readonly Status[], budget: WorkBudget): Verdict {
  const problem = statusProblem(rule, statuses, budget)
  if (problem === undefined) return allow
  const { context, state } = problem
  return deny('branch_protected', context === '' ? 'the head has no status yet' : `status ${context} is ${state}`)
}

/** Returns whether the reviews allow the merge. @param official the official reviews that are not dismissed */
export function mayMergeWithReviews(rule: BranchRule, official: readonly OfficialReview[]): Verdict {
  const [problem] = reviewProblems(rule, official)
  if (problem === undefined) return allow
  if (problem.kind === 'approvals') {
    return deny('branch_protected', `approvals required: ${problem.required}, given: ${problem.given}`)
  }
  return deny(
    'branch_protected',
    problem.kind === 'rejected'
      ? 'a review asks for changes'
      : 'an official review request is open: the review is not given yet',
  )
}
