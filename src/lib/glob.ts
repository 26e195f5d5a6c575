import { compileAtoms, literalAtom, type Atom, type MatchBudget } from './pattern.ts'

/** Most alternatives that the braces of one pattern may multiply to. */
const maxAlternatives = 256

/** Longest pattern, in characters: nested braces take quadratic time to write out. */
const maxPatternLength = 4096

/** Steps of the budget that an alternative takes to compile, by itself and for each of its characters. */
const compileSteps = { each: 200, character: 10 } as const

/** Whether a text would be a pattern: it has a character that means something other than itself. */
export const isGlob = (text: string): boolean => /[*?\\[\]{}]/.test(text)

/** Whether a pattern is well formed: its brackets and braces pair, and its braces multiply to no more than is allowed. */
export const isWellFormedGlob = (pattern: string): boolean =>
  alternativesOf(pattern)
    ?.map((alternative) => atomsOf(alternative, ''))
    .every((atoms) => atoms !== undefined) ?? false

/**
 * Compiles a pattern: `?` is one character and `*` a run of them, both without the separators; `**` is a run with them;
 * `[a-z]` and `[!a-z]` are sets, `{a,b}` alternatives, a backslash takes the meaning off the next character. A pattern
 * that is not well formed, or longer than 4096 characters, fits nothing but its own text. Matching takes time in proportion to pattern and text.
 * @param separators the characters that `?` and `*` stop at
 * @param budget shared by all patterns that are compiled and matched for one question
 * @throws PatternsTooCostly here and from matches, when the budget is spent
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

/** The patterns that a pattern with `{a,b}` stands for; undefined when braces do not pair or there are too many. */
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
