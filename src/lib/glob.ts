/** One step of a pattern: a character, any character, a set of characters, or a run of characters. */
type Token =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'set'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] }
  /** `crosses`: separators are part of the run (`**`). */
  | { readonly kind: 'run'; readonly crosses: boolean }

/** Most alternatives that the braces of one pattern may multiply to. */
const maxAlternatives = 256

/** Whether a text would be a pattern: it has a character that means something other than itself. */
export const isGlob = (text: string): boolean => /[*?\\[\]{}]/.test(text)

/** Whether a pattern is well formed: its brackets and braces pair, and its braces multiply to no more than is allowed. */
export const isWellFormedGlob = (pattern: string): boolean =>
  expandBraces(pattern)
    ?.map(tokenise)
    .every((tokens) => tokens !== undefined) ?? false

/**
 * Compiles a pattern: `?` is one character and `*` a run of them, both without the separators; `**` is a run with them;
 * `[a-z]` and `[!a-z]` are sets, `{a,b}` alternatives, a backslash takes the meaning off the next character. A pattern
 * that is not well formed fits nothing but its own text. Matching takes time in proportion to pattern and text at most.
 * @param separators the characters that `?` and `*` stop at
 */
export function compileGlob(pattern: string, separators: string): (text: string) => boolean {
  const alternatives = expandBraces(pattern)
  const compiled = alternatives?.map(tokenise)
  if (!compiled || compiled.includes(undefined)) return (text) => text === pattern
  return (text) => compiled.some((tokens) => matches(tokens as readonly Token[], Array.from(text), separators))
}

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

function tokenise(pattern: string): Token[] | undefined {
  const characters = Array.from(pattern)
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string
    if (character === '*') {
      let stars = 1
      while (characters[at + 1] === '*') {
        stars++
        at++
      }
      tokens.push({ kind: 'run', crosses: stars > 1 })
    } else if (character === '?') tokens.push({ kind: 'one' })
    else if (character === '[') {
      const end = characters.indexOf(']', at + (characters[at + 1] === '!' ? 3 : 2))
      if (end < 0) return undefined
      tokens.push(setOf(characters.slice(at + 1, end)))
      at = end
    } else if (character === ']') return undefined
    else if (character === '\\') {
      const next = characters[++at]
      if (next === undefined) return undefined
      tokens.push({ kind: 'literal', character: next })
    } else tokens.push({ kind: 'literal', character })
  }
  return tokens
}

function setOf(inside: readonly string[]): Token {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const members = isNegated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at++) {
    const first = members[at] as string
    const last = members[at + 1] === '-' ? members[at + 2] : undefined
    ranges.push([first, last ?? first])
    if (last !== undefined) at += 2
  }
  return { kind: 'set', isNegated, ranges }
}

/** Walks the text once with the set of places in the pattern that it may have reached. */
function matches(tokens: readonly Token[], text: readonly string[], separators: string): boolean {
  let places = withEmptyRuns(tokens, [0])
  for (const character of text) {
    const isSeparator = separators.includes(character)
    const next: number[] = []
    for (const place of places) {
      const token = tokens[place]
      if (!token) continue
      if (token.kind === 'run') {
        if (token.crosses || !isSeparator) next.push(place)
      } else if (fits(token, character, isSeparator)) next.push(place + 1)
    }
    if (next.length === 0) return false
    places = withEmptyRuns(tokens, next)
  }
  return places.includes(tokens.length)
}

/** A run may be empty: being before one is being behind it as well. */
function withEmptyRuns(tokens: readonly Token[], places: readonly number[]): number[] {
  const all = new Set<number>()
  for (const start of places) {
    let place = start
    all.add(place)
    while (tokens[place]?.kind === 'run') all.add(++place)
  }
  return [...all]
}

function fits(token: Exclude<Token, { kind: 'run' }>, character: string, isSeparator: boolean): boolean {
  if (token.kind === 'literal') return token.character === character
  if (isSeparator) return false
  if (token.kind === 'one') return true
  return token.ranges.some(([first, last]) => character >= first && character <= last) !== token.isNegated
}
