import type { Rights } from '../../access/rights.ts'
import { compileGlob, isGlob } from '../../lib/glob.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { MatchBudget, PatternsTooCostly } from '../../lib/pattern.ts'
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

function ruleMatcher(rule: BranchRule, budget: MatchBudget): (branch: string) => boolean {
  if (isPattern(rule)) return compileGlob(rule.rule_name, '/', budget)
  const name = rule.rule_name.toLowerCase()
  return (branch) => branch.toLowerCase() === name
}

/**
 * Returns a function that finds the one rule that counts for a branch: rules of one name before patterns, and of equals the
 * older (by its second, then by id), in whatever order they are given (contract, git: branch protection). It is made once for
 * many branches, and throws `PatternsTooCostly` when their patterns take too long.
 */
export function ruleFinder(rules: readonly BranchRule[]): (branch: string) => BranchRule | undefined {
  const budget = new MatchBudget()
  const matchers = inOrder(rules).map((rule) => ({ rule, covers: ruleMatcher(rule, budget) }))
  return (branch) => matchers.find(({ covers }) => covers(branch))?.rule
}

/** The one rule that counts for a branch. */
export const effectiveRule = (rules: readonly BranchRule[], branch: string): BranchRule | undefined =>
  ruleFinder(rules)(branch)

/** Rules in the order they are shown and asked in. */
export const inOrder = (rules: readonly BranchRule[]): BranchRule[] =>
  rules.toSorted(
    (one, other) =>
      Number(isPattern(one)) - Number(isPattern(other)) || one.created_unix - other.created_unix || one.id - other.id,
  )

/** Whether a pattern of a rule's status checks covers a context; `*` stays within a segment. */
export const contextMatcher = (pattern: string): ((context: string) => boolean) => compileGlob(pattern, '/')

/**
 * Returns the paths that file patterns cover: patterns are split at `;` and compare without case; `*` and `?` stop at `/` and
 * `.`, `**` at nothing (contract, git: file patterns). Returns undefined when the patterns take too long for these paths.
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

/** A change of a protected branch, as far as rules look at it. */
export interface BranchChange {
  readonly branch: string
  readonly kind: 'create' | 'update' | 'delete'
  /** The new tip does not contain the old one. */
  readonly isForced: boolean
  /** Paths that differ between the old and the new tip; undefined as long as they are not known. */
  readonly paths: readonly string[] | undefined
  /** The first new commit without a good signature. */
  readonly unsignedCommit: string | undefined
}
