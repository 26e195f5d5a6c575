import { germanRefusals } from './de/refusals.ts'
import { perLanguage } from './reader.ts'
import type { RefusalTexts } from './translation.ts'
import { chineseRefusals } from './zh/refusals.ts'

/** The texts of refusals by language, as in `languages.ts`. English is the language of the source. */
export const refusals: ReadonlyMap<string, RefusalTexts> = new Map([
  ['de', germanRefusals],
  ['zh-Hans', chineseRefusals],
])

/** A sentence with values: the texts around them, and the translation. */
interface Pattern {
  readonly around: readonly string[]
  readonly translation: string
}

const placeholder = /\{\d\}/

const lengthOf = ({ around }: Pattern): number => around.reduce((sum, text) => sum + text.length, 0)

/** Returns the sentences with values, the one with the most words first: `{0} exists` fits whatever `tag {0} exists` fits. */
const patternsOf = ({ sentences }: RefusalTexts): readonly Pattern[] =>
  Object.entries(sentences)
    .filter(([sentence]) => placeholder.test(sentence))
    .map(([sentence, translation]) => ({ around: sentence.split(placeholder), translation }))
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))

/** Returns the values of a text that has this form, in linear time; undefined for another text. */
function valuesIn(text: string, around: readonly string[]): readonly string[] | undefined {
  const [first = '', ...others] = around
  const last = others.pop() ?? ''
  const end = text.length - last.length
  let from = first.length
  if (from > end || !text.startsWith(first) || !text.endsWith(last)) return undefined
  const values: string[] = []
  for (const other of others) {
    const at = text.indexOf(other, from)
    if (at < 0 || at + other.length > end) return undefined
    values.push(text.slice(from, at))
    from = at + other.length
  }
  return [...values, text.slice(from, end)]
}

interface Translations extends RefusalTexts {
  readonly patterns: readonly Pattern[]
}

const translations = perLanguage((language): Translations | undefined => {
  const texts = refusals.get(language)
  return texts && { ...texts, patterns: patternsOf(texts) }
})

function translated(texts: Translations, sentence: string): string | undefined {
  const whole = texts.sentences[sentence]
  if (whole !== undefined) return whole
  for (const { around, translation } of texts.patterns) {
    const values = valuesIn(sentence, around)
    if (values === undefined) continue
    return translation.replaceAll(/\{(\d)(!?)\}/g, (_, index: string, mark: string) => {
      const value = values[Number(index)] ?? ''
      return mark === '' ? value : translatedValue(texts, value)
    })
  }
  return undefined
}

/** Returns the translation of a value: a word, a sentence, or words such as `issues or pulls`. */
const translatedValue = (texts: Translations, value: string): string =>
  texts.words[value] ??
  translated(texts, value) ??
  value
    .split(/( or | and |, )/)
    .map((word) => texts.words[word] ?? word)
    .join('')

/** The name of a field before a sentence, which is empty for the whole body: `[name]: `. Or the part of a mirror: `wiki: `. */
const beginning = /^(?:\[([^\]]*)\]|wiki|lfs|releases): /

/**
 * Returns the message of a refusal in the language of the reader, with the name of its field. Its lines are sentences. Other
 * texts stay as they are.
 */
export function inReadersWords(message: string): string {
  const texts = translations()
  const lineInReadersWords = (line: string): string => {
    const [before = '', field] = beginning.exec(line) ?? []
    const sentence = line.slice(before.length)
    return (field === '' ? '' : before) + ((texts && translated(texts, sentence)) ?? sentence)
  }
  return message.split('\n').map(lineInReadersWords).join('\n')
}
