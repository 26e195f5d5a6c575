import { compileAtoms, literalAtom, type Atom, type MatchBudget } from './pattern.ts'

/** Maximum number of alternatives that the braces of a pattern expand to. */
const maxAlternatives = 256

/** Maximum length of a pattern, in characters: expanding nested braces takes quadratic time. */
const maxPatternLength = 4096

/** Budget steps for compiling an alternative, and each of its characters. */
const compileSteps = { each: 200, character: 10 } as const

/** Returns whether a text contains a special character of patterns. */
export const isGlob = (text: string): boolean => /[*?\\[\]{}]/.test(text)

/** Returns whether brackets and braces are balanced and expand to few enough alternatives. */
export const isWellFormedGlob = (pattern: string): boolean =>
  alternativesOf(pattern)
    ?.map((alternative) => atomsOf(alternative, ''))
    .every((atoms) => atoms !== undefined) ?? false

/**
 * Compiles a pattern: `?` matches one character and `*` any number, both without separators; `**` includes separators;
 * `[a-z]` and `[!a-z]` are sets, `{a,b}` alternatives, and a backslash escapes the next character. A malformed pattern,
 * or one longer than 4096 characters, matches only its own text. Matching takes linear time in pattern and text,
 * because users supply both.
 * @param separators characters that `?` and `*` do not match
 * @param budget shared by all patterns of one request
 * @throws PatternsTooCostly here and from matches, when the budget is exhausted
 */
export function compileGlob(pattern: string, separators: string, budget?: MatchBudget): (text: string) => boolean {
  const written = alternativesOf(pattern)
  for (const { length } of written ?? []) budget?.spend(compileSteps.each + compileSteps.character * length)
  const alternatives = written?.map((alternative) => atomsOf(alternative, separators))
  if (!alternatives || alternatives.includes(undefined)) return (text) => text === pattern
  const compiled = alternatives.map((atoms) => compileAtoms(atoms as readonly Atom[], budget))
  return (text) => compiled.some((fits) => fits(text))
}

const alternativesOf = (pattern: string): string[] | undefined =>
  pattern.length > maxPatternLength ? undefined : expandBraces(pattern)

/** Expands `{a,b}`; undefined for unbalanced braces or too many alternatives. */
function expandBraces(pattern: string): string[] | undefined {
  const open = findUnescaped(pattern, 0, '{')
  if (open < 0) return findUnescaped(pattern, 0, '}') < 0 ? [pattern] : undefined
  let depth = 0
  let start = open + 1
  const inner: string[] = []
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') depth++
    else if (character === ',' && depth === 1) {
      inner.push(pattern.slice(start, at))
      start = at + 1
    } else if (character === '}' && --depth === 0) {
      inner.push(pattern.slice(start, at))
      const expanded: string[] = []
      for (const each of inner) {
        const rest = expandBraces(pattern.slice(0, open) + each + pattern.slice(at + 1))
        if (!rest || expanded.length + rest.length > maxAlternatives) return undefined
        expanded.push(...rest)
      }
      return expanded
    }
  }
  return undefined
}

function findUnescaped(text: string, from: number, wanted: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === wanted) return at
  }
  return -1
}

function atomsOf(pattern: string, separators: string): Atom[] | undefined {
  const characters = Array.from(pattern)
  const atoms: Atom[] = []
  const isInside = (character: string): boolean => !separators.includes(character)
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    if (character === '*') {
      let stars = 1
      while (characters[at + 1] === '*') {
        stars++
        at++
      }
      atoms.push({ fits: stars > 1 ? () => true : isInside, times: 'any' })
    } else if (character === '?') atoms.push({ fits: isInside, times: 'once' })
    else if (character === '[') {
      const end = characters.indexOf(']', at + (characters[at + 1] === '!' ? 3 : 2))
      if (end < 0) return undefined
      const isMember = setOf(characters.slice(at + 1, end))
      atoms.push({ fits: (each) => isInside(each) && isMember(each), times: 'once' })
      at = end
    } else if (character === ']') return undefined
    else if (character === '\\') {
      const next = characters[++at]
      if (next === undefined) return undefined
      atoms.push(literalAtom(next))
    } else atoms.push(literalAtom(character))
  }
  return atoms
}

function setOf(inside: readonly string[]): (character: string) => boolean {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const members = isNegated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const first = members[at] as string
    const last = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([first, last ?? first])
    if (last !== undefined) at += 2
  }
  return (character) => ranges.some(([first, last]) => character >= first && character <= last) !== isNegated
}
