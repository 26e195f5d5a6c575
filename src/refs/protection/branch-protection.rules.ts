import type { Rights } from '../../access/rights.ts'
import { compileGlob, isGlob } from '../../lib/glob.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { anyMatch, type Match } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import type { BranchRule } from './branch-protection.store.ts'

/** A caller who wants to change a protected branch. */
export interface BranchActor {
  readonly id: UserId | undefined
  readonly rights: Pick<Rights, 'canWrite'>
  /** Teams of the account, at least those that rules name. */
  readonly teamIds: ReadonlySet<TeamId>
  /** A deploy key, which acts for no account. */
  readonly isDeployKey?: boolean
}

/** Whether the rule's name is a pattern; otherwise the rule is about one branch. */
export const isPattern = (rule: Pick<BranchRule, 'rule_name'>): boolean => isGlob(rule.rule_name)

function ruleMatcher(rule: BranchRule, budget: WorkBudget): (branch: string) => Match {
  if (isPattern(rule)) return compileGlob(rule.rule_name, '/', budget).match
  const name = rule.rule_name.toLowerCase()
  return (branch) => branch.toLowerCase() === name
}

/**
 * Returns a function that finds the rule of a branch: exact names before patterns, then the older rule (by second, then
 * id), whatever the order of `rules` (contract, git: branch protection). A rule that cannot be decided closes the
 * branches that no rule before it matches.
 */
export function ruleFinder(
  rules: readonly BranchRule[],
  budget: WorkBudget,
): (branch: string) => BranchRule | undefined {
  const matchers = inOrder(rules).map((rule) => ({ rule, covers: ruleMatcher(rule, budget) }))
  return (branch) => {
    for (const { rule, covers } of matchers) {
      const match = covers(branch)
      if (match !== false) return match === true ? rule : closed(rule)
    }
    return undefined
  }
}

/** Returns the strictest form of a rule: its lists name nobody. */
const closed = (rule: BranchRule): BranchRule => ({
  ...rule,
  isUndecided: true,
  enable_push: false,
  enable_push_whitelist: false,
  push_deploy_keys: false,
  enable_merge_whitelist: true,
  merge_user_ids: [],
  merge_team_ids: [],
  enable_approvals_whitelist: true,
  approvals_user_ids: [],
  approvals_team_ids: [],
  dismiss_stale_approvals: true,
  ignore_stale_approvals: true,
  unprotected_file_patterns: '',
})

/** The rule of a branch. */
export const effectiveRule = (
  rules: readonly BranchRule[],
  branch: string,
  budget: WorkBudget,
): BranchRule | undefined => ruleFinder(rules, budget)(branch)

/** Rules in the order of display and precedence. */
export const inOrder = (rules: readonly BranchRule[]): BranchRule[] =>
  rules.toSorted(
    (one, other) =>
      Number(isPattern(one)) - Number(isPattern(other)) || one.created_unix - other.created_unix || one.id - other.id,
  )

/** Whether a pattern of the rule's status checks matches a context; `*` stays within a segment. */
export const contextMatcher = (pattern: string, budget: WorkBudget): ((context: string) => Match) =>
  compileGlob(pattern, '/', budget).match

/** Measured cost of splitting a character of file patterns, in microseconds. */
const readUs = 0.05

/** The paths that file patterns match. */
export interface CoveredPaths {
  /** Paths that a pattern certainly matches. */
  readonly paths: readonly string[]
  /** The first path of which a pattern could not be decided, while no other pattern matches it. */
  readonly undecided: string | undefined
}

/**
 * Returns the paths that file patterns match: patterns are split at `;` and ignore case; `*` and `?` stop at `/` and
 * `.`, `**` does not (contract, git: file patterns).
 */
export function pathsCovered(patterns: string, paths: readonly string[], budget: WorkBudget): CoveredPaths {
  if (!budget.tryTake('processorUs', patterns.length * readUs)) return { paths: [], undecided: paths[0] }
  const compiled = patterns
    .split(';')
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== '')
    .map((pattern) => compileGlob(pattern, '/.', budget))
  const covered: string[] = []
  let undecided: string | undefined
  if (compiled.length === 0) return { paths: covered, undecided }
  for (const path of paths) {
    const match = anyMatch(compiled, path.toLowerCase())
    if (match === true) covered.push(path)
    else if (match === 'undecided') undecided ??= path
  }
  return { paths: covered, undecided }
}

/** A change of a protected branch. */
export interface BranchChange {
  readonly branch: string
  readonly kind: 'create' | 'update' | 'delete'
  /** Whether the new tip lacks the old one in its history. */
  readonly isForced: boolean
  /** Paths that differ between both tips; undefined while they are unknown. */
  readonly paths: readonly string[] | undefined
  /** The first new commit without a good signature. */
  readonly unsignedCommit: string | undefined
}
