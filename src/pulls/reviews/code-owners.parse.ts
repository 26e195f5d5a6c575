import { expressionPattern } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/** One rule of a `CODEOWNERS` file. */
export interface OwnerRule {
  /** Matches whole paths. */
  readonly expression: string
  /** Applies to the files that do not match. */
  readonly isNegative: boolean
  readonly users: readonly string[]
  readonly teams: readonly { readonly org: string; readonly team: string }[]
}

/** Most rules of a file; further rules are ignored. */
const maxRules = 500

/** Splits a line into words at spaces and tabs; a backslash escapes the next character, `#` starts a comment. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string
    if (character === '\\') {
      const next = line[++at]
      if (next === undefined) break
      // A backslash before another character belongs to the regular expression.
      word += next === '#' || next === ' ' || next === '\t' ? next : `\\${next}`
    } else if (character === '#') break
    else if (character === ' ' || character === '\t') {
      if (word !== '') words.push(word)
      word = ''
    } else word += character
  }
  if (word !== '') words.push(word)
  return words
}

/**
 * Parses a `CODEOWNERS` file with lines `<regular expression> <owner>…`; a leading `!` negates the expression. Lines without
 * owners are ignored. Source: contract (pulls: code owners).
 */
export function parseCodeOwners(text: string): OwnerRule[] {
  const rules: OwnerRule[] = []
  for (const line of text.split(/\r?\n/)) {
    const [pattern, ...owners] = wordsOf(line)
    if (pattern === undefined || owners.length === 0 || rules.length >= maxRules) continue
    const isNegative = pattern.startsWith('!')
    const expression = isNegative ? pattern.slice(1) : pattern
    const names = owners.map((owner) => owner.replace(/^@/, ''))
    rules.push({
      expression,
      isNegative,
      users: names.filter((name) => !name.includes('/') && !name.includes('@')),
      teams: names.flatMap((name) => {
        const [org, team, ...more] = name.split('/')
        return org && team && more.length === 0 ? [{ org, team }] : []
      }),
    })
  }
  return rules
}

/**
 * Returns the rules that apply to at least one changed file. An invalid expression applies to none (contract, pulls: code
 * owners); one that is too large or exceeds the budget applies, so that its owners are asked.
 */
export const rulesInPlay = (rules: readonly OwnerRule[], paths: readonly string[], budget: WorkBudget): OwnerRule[] =>
  rules.filter(({ expression, isNegative }) => {
    const pattern = expressionPattern(expression, budget, { isWhole: true })
    for (const path of paths) {
      const match = pattern.match(path)
      if (match === 'undecided') return pattern.fault()?.kind !== 'invalid'
      if (match !== isNegative) return true
    }
    return false
  })
