import type { Rights } from '../../access/rights.ts'
import { compileGlob, isGlob } from '../../lib/glob.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { MatchBudget, PatternsTooCostly } from '../../lib/pattern.ts'
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

function ruleMatcher(rule: BranchRule, budget: MatchBudget): (branch: string) => boolean {
  if (isPattern(rule)) return compileGlob(rule.rule_name, '/', budget)
  const name = rule.rule_name.toLowerCase()
  return (branch) => branch.toLowerCase() === name
}

/**
 * Returns a function that finds the rule of a branch: exact names before patterns, then the older rule (by second, then
 * id), whatever the order of `rules` (contract, git: branch protection). Throws `PatternsTooCostly` when the patterns
 * take too long.
 */
export function ruleFinder(rules: readonly BranchRule[]): (branch: string) => BranchRule | undefined {
  const budget = new MatchBudget()
  const matchers = inOrder(rules).map((rule) => ({ rule, covers: ruleMatcher(rule, budget) }))
  return (branch) => matchers.find(({ covers }) => covers(branch))?.rule
}

/** The rule of a branch. */
export const effectiveRule = (rules: readonly BranchRule[], branch: string): BranchRule | undefined =>
  ruleFinder(rules)(branch)

/** Rules in the order of display and precedence. */
export const inOrder = (rules: readonly BranchRule[]): BranchRule[] =>
  rules.toSorted(
    (one, other) =>
      Number(isPattern(one)) - Number(isPattern(other)) || one.created_unix - other.created_unix || one.id - other.id,
  )

/** Whether a pattern of the rule's status checks matches a context; `*` stays within a segment. */
export const contextMatcher = (pattern: string): ((context: string) => boolean) => compileGlob(pattern, '/')

/**
 * Returns the paths that file patterns match: patterns are split at `;` and ignore case; `*` and `?` stop at `/` and
 * `.`, `**` does not (contract, git: file patterns). Returns undefined when the patterns take too long for these paths.
 */
export function pathsCovered(patterns: string, paths: readonly string[]): string[] | undefined {
  const budget = new MatchBudget()
  try {
    const compiled = patterns
      .split(';')
      .map((pattern) => pattern.trim().toLowerCase())
      .filter((pattern) => pattern !== '')
      .map((pattern) => compileGlob(pattern, '/.', budget))
    if (compiled.length === 0) return []
    return paths.filter((path) => compiled.some((fits) => fits(path.toLowerCase())))
  } catch (error) {
    if (error instanceof PatternsTooCostly) return undefined
    throw error
  }
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
