import { expressionPattern } from '../../lib/expression.ts'
import { compileGlob } from '../../lib/glob.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'
import type { TagRule } from './tag-protection.store.ts'

/** The regular expression of a pattern between slashes; undefined for a glob. */
export const expressionOf = (pattern: string): string | undefined => /^\/(.+)\/$/s.exec(pattern)?.[1]

/** The rules about a tag. */
export interface TagRules {
  /** The rules that match it. */
  readonly about: readonly TagRule[]
  /** The first rule that cannot be decided. */
  readonly undecided: TagRule | undefined
}

/**
 * Returns a function that finds the rules of a tag: those whose glob (`*` matches slashes) or regular expression (between
 * slashes) matches.
 */
export function tagRuleFinder(rules: readonly TagRule[], budget: WorkBudget): (tag: string) => TagRules {
  const compiled = rules.map((rule) => {
    const expression = expressionOf(rule.name_pattern)
    return {
      rule,
      pattern:
        expression === undefined
          ? compileGlob(rule.name_pattern, '', budget)
          : expressionPattern(expression, budget, { isWhole: false }),
    }
  })
  return (tag) => {
    const matches = compiled.map(({ rule, pattern }) => ({ rule, match: pattern.match(tag) }))
    return {
      about: matches.filter(({ match }) => match === true).map(({ rule }) => rule),
      undecided: matches.find(({ match }) => match === 'undecided')?.rule,
    }
  }
}
