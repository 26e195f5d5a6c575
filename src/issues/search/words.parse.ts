import { wordOfEmojiName, wordRuns, wordsOfSymbols } from './further-words.parse.ts'

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

/** The names of emoji (`markup/emoji.ts`), which are loaded for searches that may have some. */
export interface EmojiNames {
  /** Returns the character and all names of an emoji that is named or written. */
  readonly findEmojiNames: (
    nameOrCharacter: string,
  ) => { readonly character: string; readonly names: readonly string[] } | undefined
}

/** Returns the runs of words by which a run is found: an emoji by its character and by each of its names. */
function alternativesOf({ kind, words, text }: ReturnType<typeof wordRuns>[number], emoji: EmojiNames | undefined) {
  const named =
    kind === 'name' || kind === 'symbols' ? emoji?.findEmojiNames(text.replace(/^:|:$/g, '').toLowerCase()) : undefined
  const all = named ? [wordsOfSymbols(named.character), ...named.names.map((name) => [wordOfEmojiName(name)])] : []
  return [words, ...all].map((each) => each.map(withoutAccents).filter((word) => word !== ''))
}

function termOf(
  role: SearchTerm['role'],
  text: string,
  isPhrase: boolean,
  emoji: EmojiNames | undefined,
): SearchTerm | undefined {
  const runs = wordRuns(text)
    .map((run) => alternativesOf(run, emoji).filter((words) => words.length > 0))
    .filter((alternatives) => alternatives.length > 0)
  if (runs.length === 0) return undefined
  const number = isPhrase ? undefined : /^[#!]?(\d{1,9})$/.exec(text)?.[1]
  const write = (phrase: (words: readonly string[]) => string, or: string, and: string) =>
    runs.map((each) => (each.length === 1 ? each.map(phrase).join('') : `(${each.map(phrase).join(or)})`)).join(and)
  return {
    role,
    words: runs.flatMap(([words = []]) => words),
    index: number === undefined ? undefined : Number(number),
    fts5: write((words) => `"${words.join(' ')}"`, ' OR ', ' AND '),
    tsquery: write((words) => words.map((word) => `'${word}'`).join(' <-> '), ' | ', ' & '),
  }
}

/**
 * Parses a keyword search: words separated by spaces are alternatives, `+word` is required, `-word` is excluded, `"a b"` is
 * a phrase, and a backslash escapes the next character (contract, issues: lists and search).
 * @returns no terms for a text without words
 */
export function parseSearchWords(text: string, emoji?: EmojiNames): SearchTerm[] {
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
    const term = termOf(role, word, isPhrase, emoji)
    if (term) terms.push(term)
  }
  return terms
}

/** Whether a search may have emoji. */
const mayHaveEmoji = /[^\0-\u00a8]|:[a-z0-9_+-]{1,50}:/i

/** Parses a keyword search; emoji are found by their characters and names. */
export const readSearchWords = async (text: string): Promise<SearchTerm[]> =>
  parseSearchWords(text, mayHaveEmoji.test(text) ? await import('../../markup/emoji.ts') : undefined)
