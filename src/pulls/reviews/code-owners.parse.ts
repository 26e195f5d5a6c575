import { isRegExp, type ExpressionAnswer } from '../../lib/bounded-regexp.ts'

/** One line of a file of code owners. */
export interface OwnerRule {
  /** Anchored at both ends. */
  readonly expression: string
  /** It is about the files that do not match. */
  readonly isNegative: boolean
  /** Names of people. */
  readonly users: readonly string[]
  readonly teams: readonly { readonly org: string; readonly team: string }[]
}

/** Most rules that are looked at; the others do not count. */
const maxRules = 500

/** Splits a line into words at spaces and tabs; a backslash takes the meaning off the next character, `#` ends the line. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string
    if (character === '\\') {
      const next = line[++at]
      if (next === undefined) break
      // Of these the backslash is for the line; before others it belongs to the expression.
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
 * Reads a file of code owners: `<regular expression> <owner>…`, a leading `!` turns the expression round. Lines without
 * owners, and such whose expression cannot be read, do not count (contract, pulls: code owners).
 */
export function parseCodeOwners(text: string): OwnerRule[] {
  const rules: OwnerRule[] = []
  for (const line of text.split(/\r?\n/)) {
    const [pattern, ...owners] = wordsOf(line)
    if (pattern === undefined || owners.length === 0 || rules.length >= maxRules) continue
    const isNegative = pattern.startsWith('!')
    const expression = `^(?:${isNegative ? pattern.slice(1) : pattern})$`
    if (!isRegExp(expression)) continue
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
 * Rules that any of the changed files brings into play.
 * @param found what became of their expressions, tried on the files; one that took too long does not count
 */
export const rulesInPlay = (rules: readonly OwnerRule[], found: ExpressionAnswer): OwnerRule[] =>
  rules.filter((rule, index) => found[index]?.some((fits) => fits !== rule.isNegative) ?? false)
