import type { TeamId, UserId } from '../../lib/ids.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import { pathsCovered, type BranchActor, type BranchChange } from './branch-protection.rules.ts'
import type { BranchRule } from './branch-protection.store.ts'

const isListed = (actor: BranchActor, userIds: readonly UserId[], teamIds: readonly TeamId[]): boolean =>
  (actor.id !== undefined && userIds.includes(actor.id)) || teamIds.some((id) => actor.teamIds.has(id))

/** Refuses what a rule forbids to nobody by name: it could not be compared with the branch. */
const denyUndecided = (rule: BranchRule): Verdict =>
  deny(
    'branch_protected',
    `rule ${rule.rule_name.slice(0, 200)} cannot be compared with the branch, so the branch is protected; simplify the rule`,
  )

const allowIf = (isAllowed: boolean, code: string, reason: string): Verdict => (isAllowed ? allow : deny(code, reason))

/** Whether an actor may push to a branch that a rule protects. Owners and administrators are bound as well. */
export function mayPush(rule: BranchRule | undefined, actor: BranchActor): Verdict {
  if (!actor.isDeployKey && !actor.rights.canWrite('code')) {
    return deny('push_forbidden', 'you have no write access to the repository')
  }
  if (!rule) return allow
  if (rule.isUndecided) return denyUndecided(rule)
  const isOpen = rule.enable_push && (!rule.enable_push_whitelist || isOnPushList(rule, actor))
  return allowIf(isOpen, 'branch_protected', 'you may not push to this protected branch')
}

const isOnPushList = (rule: BranchRule, actor: BranchActor): boolean =>
  actor.isDeployKey ? rule.push_deploy_keys : isListed(actor, rule.push_user_ids, rule.push_team_ids)

/** Whether the merge list allows an actor to merge into a branch. */
export const mayMerge = (rule: BranchRule | undefined, actor: BranchActor): Verdict => {
  if (rule?.isUndecided) return denyUndecided(rule)
  return allowIf(
    rule?.enable_merge_whitelist
      ? isListed(actor, rule.merge_user_ids, rule.merge_team_ids)
      : actor.rights.canWrite('code'),
    'merge_forbidden',
    'you may not merge into this branch',
  )
}

/** Whether an approval counts as official. */
export const mayApprove = (rule: BranchRule | undefined, actor: BranchActor): Verdict =>
  allowIf(
    rule?.enable_approvals_whitelist
      ? isListed(actor, rule.approvals_user_ids, rule.approvals_team_ids)
      : actor.rights.canWrite('code'),
    'approval_not_official',
    'your approval does not count here',
  )

/** Whether pushes, writes and merges may change files. Nobody may change protected files. */
export function mayChangeFiles(
  rule: BranchRule,
  branch: string,
  paths: readonly string[],
  budget: WorkBudget,
): Verdict {
  const covered = pathsCovered(rule.protected_file_patterns, paths, budget)
  const [path] = covered.paths
  if (path !== undefined) return deny('branch_protected', `branch ${branch} is protected from changing file ${path}`)
  return covered.undecided === undefined
    ? allow
    : deny(
        'branch_protected',
        `branch ${branch}: the protected_file_patterns of its rule take too long for ${covered.undecided}; simplify them`,
      )
}

/**
 * Whether a branch accepts commits.
 * @param unsigned the first commit without a good signature
 */
export const mayBringCommits = (rule: BranchRule, branch: string, unsigned: string | undefined): Verdict =>
  rule.require_signed_commits && unsigned !== undefined
    ? deny('signing_required', `branch ${branch} takes signed commits only; ${unsigned} is not`)
    : allow

/** Whether a push or an API request may change a branch. */
export function mayChangeBranch(
  rule: BranchRule,
  actor: BranchActor,
  change: BranchChange,
  budget: WorkBudget,
): Verdict {
  const { branch, paths } = change
  if (rule.isUndecided) return denyUndecided(rule)
  if (change.kind === 'delete') return deny('branch_protected', `branch ${branch} is protected from deletion`)
  if (change.isForced) return deny('branch_protected', `branch ${branch} is protected from force push`)
  const commits = mayBringCommits(rule, branch, change.unsignedCommit)
  if (!commits.allowed) return commits
  const closed = deny(
    'branch_protected',
    `branch ${branch} is protected: you may not push to it; open a pull request instead`,
  )
  const isPusher = mayPush(rule, actor).allowed
  if (paths === undefined) return isPusher || rule.unprotected_file_patterns !== '' ? allow : closed
  const files = mayChangeFiles(rule, branch, paths, budget)
  if (!files.allowed || isPusher) return files
  const areOpen =
    paths.length > 0 && pathsCovered(rule.unprotected_file_patterns, paths, budget).paths.length === paths.length
  return areOpen && (actor.isDeployKey || actor.rights.canWrite('code')) ? allow : closed
}
