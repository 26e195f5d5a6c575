/** Longest part of a text whose further words are indexed, in characters. PostgreSQL indexes as much of its words. */
const maxLength = 200_000

/** Letters of scripts that have no blanks between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u
/** A letter of such a script with its marks, or other letters and digits. */
const unspacedParts = new RegExp(`${unspaced.source}\\p{M}*|(?:(?!${unspaced.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** A symbol outside of ASCII, such as an emoji; joiners and variation selectors are parts of it. */
const symbol = '(?![\\0-\\x7f])[\\p{S}\\u{1f1e6}-\\u{1f1ff}]'
const symbols = `${symbol}(?:${symbol}|[\\u200d\\ufe0e\\ufe0f])*`
const word = '[\\p{L}\\p{N}\\p{M}]+'
const wordOrSymbols = new RegExp(`(?<name>:[A-Za-z0-9_+-]{1,50}:)|(?<symbols>${symbols})|${word}`, 'gu')

/** Whether a text may have further words. */
const mayHaveMore = /[^\0-\x7f]|:[a-z0-9_+-]{1,50}:/i

/** Joiners and variation selectors, which a text may lack. */
const unseen = new Set(['\u200d', '\ufe0e', '\ufe0f'])

/** Returns symbols as words of ASCII, one for each code point. */
export const wordsOfSymbols = (text: string): string[] =>
  Array.from(text)
    .filter((character) => !unseen.has(character))
    .map((character) => `symbol${character.codePointAt(0)?.toString(16)}`)

/** Returns the name of an emoji, without colons, as a word of ASCII letters and digits. */
export const wordOfEmojiName = (name: string): string =>
  `emoji${name.toLowerCase().replace(/[^a-z0-9]/g, (mark) => `x${mark.codePointAt(0)?.toString(16)}`)}`

/** A run of words that follow each other in the index. */
interface WordRun {
  readonly words: readonly string[]
  /** `plain`: the databases find the run by themselves. */
  readonly kind: 'plain' | 'unspaced' | 'symbols' | 'name'
  /** As written. */
  readonly text: string
}

function furtherRun(
  text: string,
  groups: Readonly<Record<string, string | undefined>> | undefined,
): WordRun | undefined {
  if (groups?.['name'] !== undefined) return { kind: 'name', text, words: [wordOfEmojiName(text.slice(1, -1))] }
  if (groups?.['symbols'] !== undefined) return { kind: 'symbols', text, words: wordsOfSymbols(text) }
  return unspaced.test(text)
    ? { kind: 'unspaced', text, words: text.toLowerCase().match(unspacedParts) ?? [] }
    : undefined
}

/**
 * Returns the runs of words of a text, in lower case. Neighbouring plain words are one run. A symbol is a word, and so is the name of an
 * emoji between colons, and a letter of a script without blanks between words.
 */
export function wordRuns(text: string): WordRun[] {
  const runs: WordRun[] = []
  let plain: string[] = []
  const endPlain = (): void => {
    if (plain.length > 0) runs.push({ kind: 'plain', text: plain.join(' '), words: plain })
    plain = []
  }
  for (const { 0: found, groups } of text.normalize('NFC').matchAll(wordOrSymbols)) {
    const further = furtherRun(found, groups)
    if (further === undefined) {
      plain.push(found.toLowerCase())
      continue
    }
    endPlain()
    runs.push(further)
  }
  endPlain()
  return runs
}

/**
 * Returns the words of a text that the tokenizers of the databases do not find, separated by blanks: symbols, names of emoji
 * between colons, and words of scripts without blanks, letter by letter. They are indexed with the text.
 */
export function furtherWords(text: string): string {
  if (!mayHaveMore.test(text)) return ''
  const runs = wordRuns(text.slice(0, maxLength)).flatMap(({ words, kind }) =>
    kind === 'plain' ? [] : [words.join(' ')],
  )
  return [...new Set(runs)].join(' ')
}

export const furtherWordsOfIssue = ({ title, content }: { readonly title: string; readonly content: string }): string =>
  furtherWords(`${title}\n${content}`)
