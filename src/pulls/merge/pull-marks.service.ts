import type { Ctx } from '../../access/context.ts'
import { combinedShownState } from '../../code/statuses/shown-state.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { idListText } from '../../db/id-list.ts'
import type { IssueId, RepoId } from '../../lib/ids.ts'
import { ruleFinder } from '../../refs/protection/branch-protection.rules.ts'
import { listBranchRulesOf, type BranchRule } from '../../refs/protection/branch-protection.store.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { mayMergeWithReviews } from './merge-gate.policy.ts'
import { loadMarks } from './pull-marks.store.ts'

/** The state of an open pull request in a list. */
export interface PullMarks {
  /** The last check found that the head cannot be merged without edits. */
  readonly hasConflicts: boolean
  /** The checks of the head; undefined without any. */
  readonly checks: { readonly state: string; readonly passed: number; readonly total: number } | undefined
  /**
   * `rejected`: a review asks for changes. `required`: branch protection waits for a review. `approved`: a review approves.
   * `asked`: somebody was asked. Undefined: nothing of this.
   */
  readonly review: 'rejected' | 'required' | 'approved' | 'asked' | undefined
}

type MarkedRow = Pick<IssueRow, 'id' | 'repo_id' | 'is_pull' | 'is_closed'>

/** Returns the marks of the open pull requests among issues, with the same number of queries for any number of rows. */
export async function getPullMarks(ctx: Ctx, rows: readonly MarkedRow[]): Promise<ReadonlyMap<IssueId, PullMarks>> {
  const open = rows.filter((row) => row.is_pull && !row.is_closed)
  if (open.length === 0) return new Map()
  const [{ pulls, statuses, reviews }, rules] = await Promise.all([
    loadMarks(ctx.db, idListText(open.map(({ id }) => id))),
    listBranchRulesOf(ctx.db, [...new Set(open.map((row) => row.repo_id))]),
  ])
  const ruleOf = rulesByRepo(rules, ctx.budget)
  const statesOf = Map.groupBy(statuses, (status): IssueId => status.issue_id)
  const reviewsOf = Map.groupBy(reviews, (review): IssueId => review.issue_id)
  return new Map(
    pulls.map((pull) => [
      pull.issue_id,
      {
        hasConflicts: pull.check_state === 'conflict',
        checks: checksOf((statesOf.get(pull.issue_id) ?? []).map(({ state }) => state)),
        review: reviewOf(reviewsOf.get(pull.issue_id) ?? [], ruleOf(pull.repo_id, pull.base_branch)),
      },
    ]),
  )
}

function rulesByRepo(
  rules: readonly BranchRule[],
  budget: WorkBudget,
): (repoId: RepoId, branch: string) => BranchRule | undefined {
  const finders = new Map(
    [...Map.groupBy(rules, (rule): RepoId => rule.repo_id)].map(([repoId, own]) => [repoId, ruleFinder(own, budget)]),
  )
  return (repoId, branch) => finders.get(repoId)?.(branch)
}

const checksOf = (states: readonly string[]): PullMarks['checks'] =>
  states.length === 0
    ? undefined
    : {
        state: combinedShownState(states),
        passed: states.filter((state) => state === 'success').length,
        total: states.length,
      }

type Reviews = Awaited<ReturnType<typeof loadMarks>>['reviews']

function reviewOf(reviews: Reviews, rule: BranchRule | undefined): PullMarks['review'] {
  if (reviews.some(({ type }) => type === 'reject')) return 'rejected'
  const official = reviews.filter((review) => review.is_official)
  if (rule && !mayMergeWithReviews(rule, official).allowed) return 'required'
  if (reviews.some(({ type }) => type === 'approve')) return 'approved'
  return reviews.some(({ type }) => type === 'request') ? 'asked' : undefined
}
