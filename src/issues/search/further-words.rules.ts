import { emojiByName } from '../../markup/emoji.ts'

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
const wordOrSymbols = new RegExp(`(?<symbols>${symbols})|${word}`, 'gu')

const emojiName = /:([a-z0-9_+-]{1,50}):/gi
/** Whether a text may have further words. */
const mayHaveMore = /[^\0-\x7f]|:[a-z0-9_+-]{1,50}:/i

/** Writes names of emoji as emoji. */
const withEmoji = (text: string): string =>
  text.replace(emojiName, (whole, name: string) => emojiByName(name.toLowerCase())?.character ?? whole)

/** Returns symbols as words of ASCII, one for each code point. */
const wordsOfSymbols = (text: string): string[] =>
  [...text]
    .filter((character) => !/[\u200d\ufe0e\ufe0f]/.test(character))
    .map((character) => `symbol${character.codePointAt(0)?.toString(16)}`)

/** A run of words that follow each other in the index. */
interface WordRun {
  readonly words: readonly string[]
  /** Whether the databases find the run by themselves. */
  readonly isPlain: boolean
}

/**
 * Returns the runs of words of a text, in lower case. Neighbouring plain words are one run. A symbol is a word, and so is a letter of a
 * script without blanks between words.
 */
export function wordRuns(text: string): WordRun[] {
  const runs: WordRun[] = []
  let plain: string[] = []
  const endPlain = (): void => {
    if (plain.length > 0) runs.push({ words: plain, isPlain: true })
    plain = []
  }
  for (const { 0: found, groups } of withEmoji(text.normalize('NFC')).matchAll(wordOrSymbols)) {
    const further =
      groups?.['symbols'] !== undefined
        ? wordsOfSymbols(found)
        : unspaced.test(found)
          ? found.toLowerCase().match(unspacedParts)
          : undefined
    if (further) {
      endPlain()
      runs.push({ words: further, isPlain: false })
    } else {
      plain.push(found.toLowerCase())
    }
  }
  endPlain()
  return runs
}

/**
 * Returns the words of a text that the tokenizers of the databases do not find, separated by blanks: symbols, and words of scripts
 * without blanks, letter by letter. They are indexed with the text.
 */
export function furtherWords(text: string): string {
  if (!mayHaveMore.test(text)) return ''
  const runs = wordRuns(text.slice(0, maxLength)).flatMap(({ words, isPlain }) => (isPlain ? [] : [words.join(' ')]))
  return [...new Set(runs)].join(' ')
}

export const furtherWordsOfIssue = ({ title, content }: { readonly title: string; readonly content: string }): string =>
  furtherWords(`${title}\n${content}`)
