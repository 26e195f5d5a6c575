import { compileAtoms, folderEnd, literalAtom, MatchBudget, type Atom } from '../../lib/pattern.ts'

/**
 * Patterns of branches, tags and paths. `*` matches characters except slashes, `**` any characters. `?` and `+` repeat the
 * character before them, `[a-z]` is a set, and a backslash escapes the next character (contract, actions: triggers).
 */

/** Longest pattern, in characters. A longer one matches nothing. */
const maxPatternLength = 1024

const anything = (): boolean => true
const inSegment = (character: string): boolean => character !== '/'

/** Returns the atoms of a pattern; undefined for a malformed pattern, which matches nothing. */
function atomsOf(pattern: string): readonly Atom[] | undefined {
  if (pattern.length > maxPatternLength) return undefined
  const atoms: Atom[] = []
  const characters = Array.from(pattern)
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    if (character === '*') {
      if (characters[at + 1] !== '*') atoms.push({ fits: inSegment, times: 'any' })
      else {
        at++
        // `**/` matches zero or more folders, so that the rest may match at the start.
        if (characters[at + 1] === '/' && (at === 1 || characters[at - 2] === '/')) {
          atoms.push({ fits: anything, times: 'any' })
          const rest = atomsOf(characters.slice(at + 2).join(''))
          if (!rest) return undefined
          return [...atoms.slice(0, -1), { fits: anything, times: 'any' }, folderEnd, ...rest]
        }
        atoms.push({ fits: anything, times: 'any' })
      }
    } else if (character === '?' || character === '+') {
      const before = atoms.pop()
      if (!before || before.times !== 'once') return undefined
      atoms.push({ ...before, times: character === '?' ? 'maybe' : 'some' })
    } else if (character === '[') {
      const end = characters.indexOf(']', at + 2)
      const set = end < 0 ? undefined : setOf(characters.slice(at + 1, end))
      if (!set) return undefined
      atoms.push({ fits: set, times: 'once' })
      at = end
    } else if (character === '\\') {
      const next = characters[++at]
      if (next === undefined) return undefined
      atoms.push(literalAtom(next))
    } else atoms.push(literalAtom(character))
  }
  return atoms
}

function setOf(characters: readonly string[]): ((character: string) => boolean) | undefined {
  const ranges: [string, string][] = []
  for (let at = 0; at < characters.length; at++) {
    const from = characters[at] as string
    if (characters[at + 1] === '-' && at + 2 < characters.length) {
      const to = characters[at + 2] as string
      if (to < from) return undefined
      ranges.push([from, to])
      at += 2
    } else ranges.push([from, from])
  }
  return ranges.length === 0 ? undefined : (each) => ranges.some(([from, to]) => each >= from && each <= to)
}

function compile(pattern: string, budget: MatchBudget): (text: string) => boolean {
  const atoms = atomsOf(pattern)
  return atoms ? compileAtoms(atoms, budget) : () => false
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

function compileAll(patterns: readonly string[]): readonly Compiled[] {
  const budget = new MatchBudget()
  return patterns.map((pattern) => {
    const isNegated = pattern.startsWith('!')
    return { isNegated, fits: compile(isNegated ? pattern.slice(1) : pattern, budget) }
  })
}

/**
 * Returns whether the patterns (`branches`, `tags`, `paths`) include at least one of the texts.
 * @throws PatternsTooCostly
 */
export function includesAny(patterns: readonly string[], texts: readonly string[]): boolean {
  const compiled = compileAll(patterns)
  return texts.some((text) => isIncluded(compiled, text))
}

/**
 * Returns whether the patterns (`…-ignore`) include each of the texts. An empty list of texts is not ignored.
 * @throws PatternsTooCostly
 */
export function ignoresAll(patterns: readonly string[], texts: readonly string[]): boolean {
  const compiled = compileAll(patterns)
  return texts.length > 0 && texts.every((text) => isIncluded(compiled, text))
}

/**
 * Returns whether a text matches one of the patterns (`types`).
 * @throws PatternsTooCostly
 */
export function matchesAny(patterns: readonly string[], text: string): boolean {
  const budget = new MatchBudget()
  return patterns.some((pattern) => compile(pattern, budget)(text))
}
