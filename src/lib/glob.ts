import { expressionPattern, type Match, type Pattern } from './expression.ts'
import type { WorkBudget } from './work-budget.ts'

/** Maximum length of a pattern, in characters. */
export const maxGlobLength = 4096

/** Measured cost of reading a glob in microseconds: each one, each character and each set. */
const readUs = { each: 1, character: 0.4, set: 5 } as const

/**
 * Measured cost of comparing a text with the ends of a glob, in microseconds: each one (0.01 to 0.03 with few and many
 * globs), and each character of the ends when the text is long enough (3,900 equal ones take 4 to 8.5).
 */
const endsUs = { each: 0.05, character: 0.0025 } as const

/** Measured cost of searching a literal in a text: each search, and each pair of their characters. */
const searchUs = { each: 0.1, pair: 0.0005 } as const

/** Returns whether a text contains a special character of patterns. */
export const isGlob = (text: string): boolean => /[*?\\[\]{}]/.test(text)

/** Returns the glob that matches a text and nothing else. */
export const globOf = (text: string): string => text.replaceAll(/[*?\\[\]{}]/g, String.raw`\$&`)

/** Returns the fault of a glob; undefined for a valid one. */
export function faultOfGlob(pattern: string): string | undefined {
  if (pattern.length > maxGlobLength) return `longer than ${maxGlobLength} characters`
  return readGlob(pattern, '') ? undefined : 'brackets and braces are not balanced'
}

/** A compiled glob. */
export interface GlobPattern extends Pattern {
  /** Whether it is malformed or too long, so that every match is undecided, whatever the budget. */
  readonly isFaulty: boolean
}

/**
 * Compiles a pattern: `?` matches one character and `*` any number, both without separators; `**` includes separators;
 * `[a-z]` and `[!a-z]` are sets, `{a,b}` alternatives, and a backslash escapes the next character. A malformed pattern, one
 * that is longer than 4096 characters, and one that exceeds the budget are undecided.
 * @param separators characters that `?` and `*` do not match
 */
export function compileGlob(pattern: string, separators: string, budget: WorkBudget): GlobPattern {
  if (pattern.length > maxGlobLength) return { isFaulty: true, match: undecided }
  const sets = pattern.split('[').length - 1
  const cost = readUs.each + readUs.character * pattern.length + readUs.set * sets
  if (!budget.tryTake('processorUs', cost)) return { isFaulty: false, match: undecided }
  const parts = readGlob(pattern, separators)
  if (!parts) return { isFaulty: true, match: undecided }
  const { prefix, middle, suffix } = splitEnds(parts)
  const shortest = prefix.length + suffix.length
  const between = betweenOf(middle, separators, budget)
  return {
    isFaulty: false,
    match: (text) => {
      const compared = text.length < shortest ? 0 : shortest
      if (!budget.tryTake('processorUs', endsUs.each + compared * endsUs.character)) return 'undecided'
      if (text.length < shortest || !text.startsWith(prefix) || !text.endsWith(suffix)) return false
      return between(text.slice(prefix.length, text.length - suffix.length))
    },
  }
}

const undecided = (): Match => 'undecided'

/** A part of a glob: a literal character outside of groups, or an expression. */
interface Part {
  readonly literal?: string
  readonly source: string
  readonly star?: 'inside' | 'across'
}

const literalOf = (parts: readonly Part[]): string => parts.map(({ literal }) => literal).join('')

/** Compiles what is between the ends. The most frequent patterns, such as `*.ext` and `**` + `/name/*.ext`, need no expression. */
function betweenOf(middle: readonly Part[], separators: string, budget: WorkBudget): (text: string) => Match {
  if (middle.length === 0) return (text) => text === ''
  const crosses = ({ star }: Part): boolean => star === 'across' || (star === 'inside' && separators === '')
  const isWithin = (text: string): boolean => !Array.from(separators).some((each) => text.includes(each))
  const first = middle[0] as Part
  const last = middle.at(-1) as Part
  if (middle.length === 1 && first.star) return crosses(first) ? () => true : isWithin
  const literal = longestLiteral(middle)
  const pay = (text: string): boolean =>
    budget.tryTake('processorUs', searchUs.each + searchUs.pair * text.length * literal.length)
  if (crosses(first) && last.star && middle.length === Array.from(literal).length + 2) {
    const ends = crosses(last) ? () => true : isWithin
    return (text) => {
      if (!pay(text)) return 'undecided'
      // The last occurrence leaves the shortest rest.
      const at = text.lastIndexOf(literal)
      return at >= 0 && ends(text.slice(at + literal.length))
    }
  }
  const compiled = expressionPattern(`(?s)${middle.map(({ source }) => source).join('')}`, budget, { isWhole: true })
  if (literal === '') return (text) => compiled.match(text)
  return (text) => {
    if (!pay(text)) return 'undecided'
    return text.includes(literal) && compiled.match(text)
  }
}

/** Returns the longest literal text that every match contains. */
function longestLiteral(parts: readonly Part[]): string {
  let longest = ''
  let current = ''
  for (const { literal } of parts) {
    current = literal === undefined ? '' : current + literal
    if (current.length > longest.length) longest = current
  }
  return longest
}

/** Splits a glob into the literal text at both ends and what is between. */
function splitEnds(parts: readonly Part[]): { prefix: string; middle: readonly Part[]; suffix: string } {
  const first = parts.findIndex(({ literal }) => literal === undefined)
  if (first < 0) return { prefix: literalOf(parts), middle: [], suffix: '' }
  const last = parts.findLastIndex(({ literal }) => literal === undefined)
  return {
    prefix: literalOf(parts.slice(0, first)),
    middle: parts.slice(first, last + 1),
    suffix: literalOf(parts.slice(last + 1)),
  }
}

const characterSource = (character: string): string => `\\x{${(character.codePointAt(0) as number).toString(16)}}`
const literalSource = (character: string): string => (/[\w/-]/.test(character) ? character : characterSource(character))

/** Translates a glob to parts of an expression, in one walk; undefined for a malformed one. */
function readGlob(pattern: string, separators: string): readonly Part[] | undefined {
  const characters = Array.from(pattern)
  const inside = separators === '' ? '.' : `[^${Array.from(separators, characterSource).join('')}]`
  const parts: Part[] = []
  let depth = 0
  const literal = (character: string): Part => {
    const source = literalSource(character)
    return depth === 0 ? { literal: character, source } : { source }
  }
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    if (character === '*') {
      const isDouble = characters[at + 1] === '*'
      while (characters[at + 1] === '*') at++
      parts.push(isDouble ? { source: '.*', star: 'across' } : { source: `${inside}*`, star: 'inside' })
    } else if (character === '?') parts.push({ source: inside })
    else if (character === '[') {
      const end = characters.indexOf(']', at + (characters[at + 1] === '!' ? 3 : 2))
      if (end < 0) return undefined
      parts.push({ source: setSource(characters.slice(at + 1, end), separators) })
      at = end
    } else if (character === ']') return undefined
    else if (character === '\\') {
      const next = characters[++at]
      if (next === undefined) return undefined
      parts.push(literal(next))
    } else if (character === '{') {
      depth++
      parts.push({ source: '(?:' })
    } else if (character === '}') {
      if (--depth < 0) return undefined
      parts.push({ source: ')' })
    } else if (character === ',' && depth > 0) parts.push({ source: '|' })
    else parts.push(literal(character))
  }
  return depth === 0 ? parts : undefined
}

const lastRune = 0x10ffff

/** Returns the class of a set without separators. */
function setSource(inside: readonly string[], separators: string): string {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const members = isNegated ? inside.slice(1) : inside
  const ranges: [number, number][] = []
  const code = (character: string): number => character.codePointAt(0) as number
  for (let at = 0; at < members.length; at++) {
    const first = members[at] as string
    const last = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([code(first), code(last ?? first)])
    if (last !== undefined) at += 2
  }
  const without = Array.from(separators, code)
  const kept = isNegated
    ? [...ranges, ...without.map((each): [number, number] => [each, each])]
    : without.reduce((some, each) => some.flatMap((range) => cut(range, each)), ranges)
  const valid = kept.filter(([first, last]) => first <= last)
  const source = valid.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('')
  if (source === '') return isNegated ? '.' : `[^\\x{0}-\\x{${lastRune.toString(16)}}]`
  return `[${isNegated ? '^' : ''}${source}]`
}

/** Returns a range without one character. */
const cut = ([first, last]: [number, number], without: number): [number, number][] =>
  without < first || without > last
    ? [[first, last]]
    : [
        [first, without - 1],
        [without + 1, last],
      ]
