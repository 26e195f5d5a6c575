import { expressionPattern } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/** One rule of a `CODEOWNERS` file. */
export interface OwnerRule {
  /** Matches whole paths. */
  readonly expression: string
  /** Applies to the files that do not match. */
  readonly isNegative: boolean
  /** Whether it is beyond the limit, so that it applies to all files. */
  readonly isBeyond: boolean
  readonly users: readonly string[]
  readonly teams: readonly { readonly org: string; readonly team: string }[]
}

/** Most rules of a file that are compared; the owners of further rules are asked always. */
const maxRules = 500

/** Measured cost of reading a character of a file, and of comparing the ends of a path, in microseconds. */
const costUs = { character: 0.1, ends: 0.05 } as const

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
 * @throws WorkTooCostly
 */
export function parseCodeOwners(text: string, budget: WorkBudget): OwnerRule[] {
  budget.take('processorUs', text.length * costUs.character)
  const rules: OwnerRule[] = []
  for (const line of text.split(/\r?\n/)) {
    const [pattern, ...owners] = wordsOf(line)
    if (pattern === undefined || owners.length === 0) continue
    const isNegative = pattern.startsWith('!')
    const expression = isNegative ? pattern.slice(1) : pattern
    const names = owners.map((owner) => owner.replace(/^@/, ''))
    rules.push({
      expression,
      isNegative,
      isBeyond: rules.length >= maxRules,
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
 * Returns the text that each path begins with and ends with, if an expression without alternatives says so. It decides
 * most paths before the expression is compiled.
 */
function endsOf(expression: string): { readonly first: string; readonly last: string } {
  if (/\||\(\?|\\(?!\.)/.test(expression)) return { first: '', last: '' }
  const first = /^(?:(?:[\w/-]|\\\.)(?![?*+{]))*/.exec(expression)?.[0] ?? ''
  let at = expression.length
  for (;;) {
    if (/^[\w/-]$/.test(expression.charAt(at - 1))) at -= 1
    else if (expression.slice(Math.max(0, at - 2), at) === String.raw`\.`) at -= 2
    else break
  }
  const plain = (text: string): string => text.replaceAll('\\', '')
  return { first: plain(first), last: plain(expression.slice(at)) }
}

/**
 * Returns the rules that apply to at least one changed file. An invalid expression applies to none (contract, pulls: code
 * owners); one that is too large or exceeds the budget applies, so that its owners are asked.
 */
export const rulesInPlay = (rules: readonly OwnerRule[], paths: readonly string[], budget: WorkBudget): OwnerRule[] =>
  rules.filter(({ expression, isNegative, isBeyond }) => {
    if (isBeyond) return true
    const { first, last } = isNegative ? { first: '', last: '' } : endsOf(expression)
    const pattern = expressionPattern(expression, budget, { isWhole: true })
    for (const path of paths) {
      if (!budget.tryTake('processorUs', costUs.ends)) return true
      if (!path.startsWith(first) || !path.endsWith(last)) continue
      const match = pattern.match(path)
      if (match === 'undecided') return pattern.fault()?.kind !== 'invalid'
      if (match !== isNegative) return true
    }
    return false
  })
