/**
 * Patterns of branches, tags and paths: `*` is a run without slashes, `**` any run, `?` and `+` are about the character
 * before them, `[a-z]` is a set, a backslash takes the meaning off the next character (contract, actions: triggers).
 */

/** A character, or a set of characters, and how often it comes. */
interface Atom {
  readonly fits: (character: string) => boolean
  readonly times: 'once' | 'maybe' | 'some' | 'any'
}

/** Longest pattern that is looked at, in characters. */
const maxPatternLength = 1024

const anything = (): boolean => true
const inSegment = (character: string): boolean => character !== '/'

/** The atoms of a pattern; undefined when it is none: such a pattern fits nothing. */
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
        // `**/` is any number of folders, none among them: what comes after may stand at the beginning.
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
      atoms.push({ fits: (each) => each === next, times: 'once' })
    } else atoms.push({ fits: (each) => each === character, times: 'once' })
  }
  return atoms
}

/** Stands where a folder has ended, or nothing has begun: it takes no character. */
const folderEnd: Atom = { fits: () => false, times: 'maybe' }

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

/** Compiles a pattern. Matching takes time in proportion to the pattern and the text. */
function compile(pattern: string): (text: string) => boolean {
  const atoms = atomsOf(pattern)
  if (!atoms) return () => false
  return (text) => matches(atoms, Array.from(text))
}

/** Walks along the text with all places of the pattern at which it may be. */
function matches(atoms: readonly Atom[], text: readonly string[]): boolean {
  let places = passed(atoms, new Set([0]), undefined)
  for (const [index, character] of text.entries()) {
    const next = new Set<number>()
    for (const place of places) {
      const atom = atoms[place]
      if (!atom?.fits(character)) continue
      next.add(place + 1)
      if (atom.times === 'some' || atom.times === 'any') next.add(place)
    }
    if (next.size === 0) return false
    places = passed(atoms, next, text[index])
  }
  return places.has(atoms.length)
}

/** Adds the places that are reached without a character. What is repeated stays a place until it was there once. */
function passed(atoms: readonly Atom[], places: Set<number>, last: string | undefined): Set<number> {
  for (const place of places) {
    const atom = atoms[place]
    if (atom === folderEnd) {
      if (last === undefined || last === '/') places.add(place + 1)
    } else if (atom?.times === 'maybe' || atom?.times === 'any') places.add(place + 1)
  }
  return places
}

/** Whether a text is included: patterns count in their order, a leading `!` takes out again, the last that fits decides. */
function isIncluded(patterns: readonly Compiled[], text: string): boolean {
  let included = false
  for (const { isNegated, fits } of patterns) if (included === isNegated && fits(text)) included = !isNegated
  return included
}

interface Compiled {
  readonly isNegated: boolean
  readonly fits: (text: string) => boolean
}

const compileAll = (patterns: readonly string[]): readonly Compiled[] =>
  patterns.map((pattern) => {
    const isNegated = pattern.startsWith('!')
    return { isNegated, fits: compile(isNegated ? pattern.slice(1) : pattern) }
  })

/** Whether some of the texts is included by the patterns (`branches`, `tags`, `paths`). */
export function includesSome(patterns: readonly string[], texts: readonly string[]): boolean {
  const compiled = compileAll(patterns)
  return texts.some((text) => isIncluded(compiled, text))
}

/** Whether each of the texts fits one of the patterns (`…-ignore`); none at all is not ignored. */
export function ignoresAll(patterns: readonly string[], texts: readonly string[]): boolean {
  const compiled = compileAll(patterns)
  return texts.length > 0 && texts.every((text) => isIncluded(compiled, text))
}

/** Whether a text fits one of the patterns, as kinds of activities are chosen (`types`). */
export const fitsSome = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) => compile(pattern)(text))
