import type { RepoCtx } from '../../access/context.ts'
import { shownState } from '../../code/statuses/shown-state.ts'
import { transaction } from '../../db/database.ts'
import type { ReviewRow, ScheduledMergeRow } from '../../db/tables/pulls.ts'
import type { CommitStatusRow } from '../../db/tables/repositories.ts'
import { hasOpenDependency } from '../../issues/issue.store.ts'
import { branchRef } from '../../lib/refs.ts'
import { mayChangeFiles, mayMerge } from '../../refs/protection/branch-protection.policy.ts'
import { changedPaths, protectionOf } from '../../refs/protection/protection.service.ts'
import { unitConfig } from '../../repos/unit-config.ts'
import { isDraft, mergeBaseOf } from '../pull.rules.ts'
import type { PullPair } from '../pull.store.ts'
import { listOfficial } from '../reviews/review.store.ts'
import { mayMergeBy } from './merge-gate.policy.ts'
import { reviewProblems, statusProblem, type StatusProblem } from './merge-gate.rules.ts'
import { mergeStyles, type MergeStyle } from './merge-style.ts'
import { findScheduledMerge, listNewestStatuses } from './merge.store.ts'

/** What stands between a pull request and its merge, the worst first. */
const severities = [
  'archived',
  'unrelated',
  'conflict',
  'error',
  'nothing',
  'rejected',
  'failed',
  'files',
  'dependency',
  'draft',
  'approvals',
  'requested',
  'waiting',
  'outdated',
  'checking',
  'rights',
] as const

/** One reason why a pull request cannot be merged now. */
export interface MergeBlocker {
  readonly kind: (typeof severities)[number]
  /** Words of the rule that is not met. */
  readonly reason?: string
  /** The required check that failed or is waited for. */
  readonly check?: StatusProblem
  /** The reviews that ask for changes, or the requests that are not answered. */
  readonly reviews?: readonly ReviewRow[]
  /** Approvals that are missing. */
  readonly missing?: number
  /** Part of branch protection: administrators may pass it, and a scheduled merge waits for it. */
  readonly isProtection: boolean
}

export interface MergeState {
  /** The worst first. */
  readonly blockers: readonly MergeBlocker[]
  /** Whether the viewer may merge once nothing else blocks it. */
  readonly mayMerge: boolean
  /** Whether the viewer may merge in spite of branch protection. */
  readonly mayForce: boolean
  /** Styles that the repository allows, the default first. */
  readonly styles: readonly MergeStyle[]
  readonly deletesBranchByDefault: boolean
  readonly mayRebaseUpdate: boolean
  readonly scheduled: ScheduledMergeRow | undefined
  /** The newest status of each context of the head. */
  readonly statuses: readonly CommitStatusRow[]
  /** Whether the base has commits that the head lacks. */
  readonly isBehind: boolean
}

/**
 * Returns what blocks the merge of an open pull request that is up to date with its branches. `passGate` decides when the
 * merge is asked for; this names everything at once. Git reads one reference, and the changed paths when a rule protects
 * files.
 */
export async function mergeStateOf(ctx: RepoCtx, pair: PullPair): Promise<MergeState> {
  const { pull, issue } = pair
  const key = ctx.repo.git_key
  const [{ rule, actor }, base, statuses, scheduled, isWaiting] = await Promise.all([
    protectionOf(ctx, pull.base_branch),
    ctx.git.readRef(key, branchRef(pull.base_branch)),
    listNewestStatuses(ctx.db, ctx.repo.id, pull.head_oid),
    findScheduledMerge(ctx.db, pull.id),
    transaction(ctx.db, (tx) => hasOpenDependency(tx, issue.id)),
  ])
  const isAllowed = ctx.viewer !== undefined && (ctx.viewer.isAdmin || mayMerge(rule, actor).allowed)
  const blockers: MergeBlocker[] = []
  const add = (kind: MergeBlocker['kind'], more: Omit<MergeBlocker, 'kind' | 'isProtection'> = {}) =>
    blockers.push({ kind, isProtection: false, ...more })
  const addRule = (kind: MergeBlocker['kind'], more: Omit<MergeBlocker, 'kind' | 'isProtection'> = {}) =>
    blockers.push({ kind, isProtection: true, ...more })
  if (ctx.repo.is_archived) add('archived')
  if (isDraft(ctx, issue)) add('draft')
  if (pull.merge_base === '') add('unrelated')
  else if (pull.check_state === 'conflict') add('conflict')
  if (pull.check_state === 'checking') add('checking')
  if (pull.check_state === 'error') add('error')
  if (pull.check_state === 'ancestor') add('nothing')
  if (isWaiting) add('dependency')
  const isBehind = base !== undefined && base !== pull.merge_base
  if (rule) {
    const shown = statuses.map((status) => ({ context: status.context, state: shownState(status) }))
    const check = statusProblem(rule, shown, ctx.budget)
    if (check) addRule(check.state === 'missing' || check.state === 'pending' ? 'waiting' : 'failed', { check })
    for (const problem of reviewProblems(rule, await listOfficial(ctx.db, issue.id))) {
      if (problem.kind === 'approvals') addRule('approvals', { missing: problem.required - problem.given })
      else addRule(problem.kind, { reviews: problem.by })
    }
    if (rule.block_on_outdated_branch && isBehind) addRule('outdated')
    if (rule.protected_file_patterns !== '') {
      const paths = await changedPaths(ctx, mergeBaseOf(pull), pull.synced_oid, key)
      const byFiles = mayChangeFiles(rule, pull.base_branch, paths, ctx.budget)
      if (!byFiles.allowed) addRule('files', { reason: byFiles.reason })
    }
  }
  if (!isAllowed) add('rights')
  const config = unitConfig(ctx.units, 'pulls')
  const allowed = mergeStyles.filter((style) => mayMergeBy(config, style).allowed)
  return {
    blockers: blockers.toSorted((one, other) => severities.indexOf(one.kind) - severities.indexOf(other.kind)),
    mayMerge: isAllowed,
    mayForce: rule !== undefined && ((ctx.viewer?.isAdmin ?? false) || (ctx.rights.isAdmin && !rule.apply_to_admins)),
    styles: allowed.toSorted(
      (a, b) => Number(b === config?.default_merge_style) - Number(a === config?.default_merge_style),
    ),
    deletesBranchByDefault: config?.default_delete_branch_after_merge ?? false,
    mayRebaseUpdate: config?.allow_rebase_update ?? false,
    scheduled,
    statuses,
    isBehind,
  }
}
