import { wordRuns } from './further-words.rules.ts'

/** One term of a search: a word or a phrase, and its effect on an issue that holds it. */
export interface SearchTerm {
  /** `needed`: all of these; `refused`: none of these; `offered`: any of these, unless some are needed. */
  readonly role: 'needed' | 'refused' | 'offered'
  /** Its words, in order. */
  readonly words: readonly string[]
  /** The number of an issue that the term also finds. */
  readonly index: number | undefined
  /** The term in the query language of SQLite's FTS5, and of PostgreSQL's `to_tsquery`. */
  readonly fts5: string
  readonly tsquery: string
}

/** Most terms of one search; the parser ignores further ones. */
const maxTerms = 20
const maxLength = 1000

/** Returns a word without accents, as both databases index it. */
const withoutAccents = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')

function termOf(role: SearchTerm['role'], text: string, isPhrase: boolean): SearchTerm | undefined {
  const runs = wordRuns(text).map(({ words }) => words.map(withoutAccents).filter((word) => word !== ''))
  const phrases = runs.filter((words) => words.length > 0)
  if (phrases.length === 0) return undefined
  const number = isPhrase ? undefined : /^[#!]?(\d{1,9})$/.exec(text)?.[1]
  return {
    role,
    words: phrases.flat(),
    index: number === undefined ? undefined : Number(number),
    fts5: phrases.map((words) => `"${words.join(' ')}"`).join(' AND '),
    tsquery: phrases.map((words) => words.map((word) => `'${word}'`).join(' <-> ')).join(' & '),
  }
}

/**
 * Parses a keyword search: words separated by spaces are alternatives, `+word` is required, `-word` is excluded, `"a b"` is
 * a phrase, and a backslash escapes the next character (contract, issues: lists and search).
 * @returns no terms for a text without words
 */
export function parseSearchWords(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  const source = text.trim().slice(0, maxLength)
  let at = 0
  while (at < source.length && terms.length < maxTerms) {
    if (/\s/.test(source[at] as string)) {
      at++
      continue
    }
    const role = source[at] === '+' ? 'needed' : source[at] === '-' ? 'refused' : 'offered'
    if (role !== 'offered') at++
    const isPhrase = source[at] === '"'
    if (isPhrase) at++
    let word = ''
    while (at < source.length) {
      const character = source[at] as string
      if (isPhrase ? character === '"' : /\s/.test(character)) break
      if (character === '\\' && at + 1 < source.length) at++
      word += source[at]
      at++
    }
    at++
    const term = termOf(role, word, isPhrase)
    if (term) terms.push(term)
  }
  return terms
}
