import type { Rights } from '../access/rights.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import { compileGlob, isGlob } from '../lib/glob.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import type { BranchRule } from './branch-protection.store.ts'

/** Who wants to change a protected branch. */
export interface BranchActor {
  readonly id: UserId | undefined
  readonly rights: Pick<Rights, 'canWrite'>
  /** Teams that the account is on; those that rules name are enough. */
  readonly teamIds: ReadonlySet<TeamId>
  /** A key of the repository itself, which acts for nobody. */
  readonly isDeployKey?: boolean
}

/** A rule whose name is a pattern; others are of one branch. */
export const isPattern = (rule: Pick<BranchRule, 'rule_name'>): boolean => isGlob(rule.rule_name)

const covers = (rule: BranchRule, branch: string): boolean =>
  isPattern(rule) ? compileGlob(rule.rule_name, '/')(branch) : rule.rule_name.toLowerCase() === branch.toLowerCase()

/**
 * The one rule that counts for a branch: rules of one name before patterns, and of equals the older (by its second, then
 * by id), in whatever order they are given (contract, git: branch protection).
 */
export function effectiveRule(rules: readonly BranchRule[], branch: string): BranchRule | undefined {
  return inOrder(rules).find((rule) => covers(rule, branch))
}

/** Rules in the order they are shown and asked in. */
export const inOrder = (rules: readonly BranchRule[]): BranchRule[] =>
  rules.toSorted(
    (one, other) =>
      Number(isPattern(one)) - Number(isPattern(other)) || one.created_unix - other.created_unix || one.id - other.id,
  )

const isListed = (actor: BranchActor, userIds: readonly UserId[], teamIds: readonly TeamId[]): boolean =>
  (actor.id !== undefined && userIds.includes(actor.id)) || teamIds.some((id) => actor.teamIds.has(id))

/** Whether somebody may push to a branch that a rule protects; nobody is excepted, owners and administrators neither. */
export function mayPush(rule: BranchRule | undefined, actor: BranchActor): boolean {
  if (!actor.isDeployKey && !actor.rights.canWrite('code')) return false
  if (!rule) return true
  if (!rule.enable_push) return false
  if (!rule.enable_push_whitelist) return true
  return actor.isDeployKey ? rule.push_deploy_keys : isListed(actor, rule.push_user_ids, rule.push_team_ids)
}

/** Whether somebody may merge into a branch, as far as the list of mergers is concerned. */
export function mayMerge(rule: BranchRule | undefined, actor: BranchActor): boolean {
  if (!rule?.enable_merge_whitelist) return actor.rights.canWrite('code')
  return isListed(actor, rule.merge_user_ids, rule.merge_team_ids)
}

/** Whether somebody's approval is an official one. */
export function mayApprove(rule: BranchRule | undefined, actor: BranchActor): boolean {
  if (!rule?.enable_approvals_whitelist) return actor.rights.canWrite('code')
  return isListed(actor, rule.approvals_user_ids, rule.approvals_team_ids)
}

/** Whether every one, or any, of the statuses that a rule asks for is there: patterns of contexts, `*` within a segment. */
export const contextMatcher = (pattern: string): ((context: string) => boolean) => compileGlob(pattern, '/')

/**
 * Paths that file patterns cover: patterns are split at `;` and compare without case; `*` and `?` stop at `/` and `.`,
 * `**` at nothing (contract, git: file patterns).
 */
export function pathsCovered(patterns: string, paths: readonly string[]): string[] {
  const compiled = patterns
    .split(';')
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== '')
    .map((pattern) => compileGlob(pattern, '/.'))
  return compiled.length === 0 ? [] : paths.filter((path) => compiled.some((fits) => fits(path.toLowerCase())))
}

/** A change of a protected branch, as far as rules look at it. */
export interface BranchChange {
  readonly branch: string
  readonly kind: 'create' | 'update' | 'delete'
  /** The new tip does not contain the old one. */
  readonly isForced: boolean
  /** Paths that differ between the old and the new tip. */
  readonly paths: readonly string[]
  /** The first new commit without a good signature. */
  readonly unsignedCommit: string | undefined
}

/** Whether a push, or a write through the API, may change a branch so. */
export function mayChangeBranch(rule: BranchRule, actor: BranchActor, change: BranchChange): Verdict {
  const { branch } = change
  if (change.kind === 'delete') return deny(`branch ${branch} is protected from deletion`)
  if (change.isForced) return deny(`branch ${branch} is protected from force push`)
  if (rule.require_signed_commits && change.unsignedCommit !== undefined) {
    return deny(`branch ${branch} takes signed commits only; ${change.unsignedCommit} is not`)
  }
  const [protectedPath] = pathsCovered(rule.protected_file_patterns, change.paths)
  if (protectedPath !== undefined) return deny(`branch ${branch} is protected from changing file ${protectedPath}`)
  if (mayPush(rule, actor)) return allow
  const open = pathsCovered(rule.unprotected_file_patterns, change.paths)
  const isOpen = change.paths.length > 0 && open.length === change.paths.length
  return isOpen && (actor.isDeployKey || actor.rights.canWrite('code'))
    ? allow
    : deny(`you may not push to protected branch ${branch}`)
}
