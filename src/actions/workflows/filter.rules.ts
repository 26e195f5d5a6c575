import { expressionPattern, mustDecide } from '../../lib/expression.ts'
import type { WorkBudget } from '../../lib/work-budget.ts'

/**
 * Patterns of branches, tags and paths. `*` matches characters except slashes, `**` any characters. `?` and `+` repeat the
 * character before them, `[a-z]` is a set, and a backslash escapes the next character (contract, actions: triggers).
 */

/** Longest pattern, in characters. A longer one matches nothing. */
const maxPatternLength = 1024

/** Measured cost of reading a character of a pattern, in microseconds. */
const characterUs = 1

const sourceOf = (character: string): string => `\\x{${(character.codePointAt(0) as number).toString(16)}}`

/** Translates a pattern to an expression; undefined for a malformed pattern, which matches nothing. */
function expressionOf(pattern: string): string | undefined {
  if (pattern.length > maxPatternLength) return undefined
  const parts: string[] = []
  let isRepeatable = false
  const characters = Array.from(pattern)
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    let single: string | undefined
    if (character === '*') {
      const before = characters[at - 1]
      if (characters[at + 1] !== '*') parts.push('[^/]*')
      else if (characters[at + 2] === '/' && (before === undefined || before === '/')) {
        // `**/` matches zero or more folders, so that the rest may match at the start.
        parts.push('(?:.*/)?')
        at += 2
      } else {
        parts.push('.*')
        at++
      }
    } else if (character === '?' || character === '+') {
      if (!isRepeatable) return undefined
      parts.push(character)
    } else if (character === '[') {
      const end = characters.indexOf(']', at + 2)
      single = end < 0 ? undefined : setOf(characters.slice(at + 1, end))
      if (single === undefined) return undefined
      at = end
    } else if (character === '\\') {
      const next = characters[++at]
      if (next === undefined) return undefined
      single = sourceOf(next)
    } else single = sourceOf(character)
    if (single !== undefined) parts.push(single)
    isRepeatable = single !== undefined
  }
  return `(?s)${parts.join('')}`
}

function setOf(characters: readonly string[]): string | undefined {
  const ranges: string[] = []
  for (let at = 0; at < characters.length; at++) {
    const from = characters[at] as string
    if (characters[at + 1] === '-' && at + 2 < characters.length) {
      const to = characters[at + 2] as string
      if (to < from) return undefined
      ranges.push(`${sourceOf(from)}-${sourceOf(to)}`)
      at += 2
    } else ranges.push(sourceOf(from))
  }
  return ranges.length === 0 ? undefined : `[${ranges.join('')}]`
}

function compile(pattern: string, budget: WorkBudget): (text: string) => boolean {
  budget.take('processorUs', characterUs * Math.min(pattern.length, maxPatternLength))
  const source = expressionOf(pattern)
  if (source === undefined) return () => false
  const compiled = expressionPattern(source, budget, { isWhole: true })
  // A letter at the end stands for itself, and decides most texts at once.
  const end = /[\w.-]$/.exec(pattern)?.[0] ?? ''
  return (text) => text.endsWith(end) && mustDecide(budget, compiled.match(text))
}

/** Returns whether the patterns include a text. A leading `!` excludes; the last pattern that matches decides. */
function isIncluded(patterns: readonly Compiled[], text: string): boolean {
  let included = false
  for (const { isNegated, fits } of patterns) if (included === isNegated && fits(text)) included = !isNegated
  return included
}

interface Compiled {
  readonly isNegated: boolean
  readonly fits: (text: string) => boolean
}

function compileAll(patterns: readonly string[], budget: WorkBudget): readonly Compiled[] {
  return patterns.map((pattern) => {
    const isNegated = pattern.startsWith('!')
    return { isNegated, fits: compile(isNegated ? pattern.slice(1) : pattern, budget) }
  })
}

/**
 * Returns whether the patterns (`branches`, `tags`, `paths`) include at least one of the texts.
 * @throws WorkTooCostly
 */
export function includesAny(patterns: readonly string[], texts: readonly string[], budget: WorkBudget): boolean {
  const compiled = compileAll(patterns, budget)
  return texts.some((text) => isIncluded(compiled, text))
}

/**
 * Returns whether the patterns (`…-ignore`) include each of the texts. An empty list of texts is not ignored.
 * @throws WorkTooCostly
 */
export function ignoresAll(patterns: readonly string[], texts: readonly string[], budget: WorkBudget): boolean {
  const compiled = compileAll(patterns, budget)
  return texts.length > 0 && texts.every((text) => isIncluded(compiled, text))
}

/**
 * Returns whether a text matches one of the patterns (`types`).
 * @throws WorkTooCostly
 */
export function matchesAny(patterns: readonly string[], text: string, budget: WorkBudget): boolean {
  return patterns.some((pattern) => compile(pattern, budget)(text))
}
