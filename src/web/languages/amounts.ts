import { perLanguage } from './reader.ts'

// The first format takes 7 MB of memory.
const numbers = perLanguage((language) => new Intl.NumberFormat(language))
const tenths = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }))
const compact = perLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }),
)

/** Returns `1 file`, `2 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numbers().format(count)} ${count === 1 ? one : many}`

const plurals = perLanguage((language) => new Intl.PluralRules(language))

/** Forms of a text by the number that it names; a language has those that its plural rules know. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Returns the form for a number; `#` in it stands for the number. For languages with more forms than one and many. */
export const amount = (count: number, forms: Forms): string =>
  (forms[plurals().select(count)] ?? forms.other).replaceAll('#', numbers().format(count))

const lists = perLanguage((language) => new Intl.ListFormat(language, { style: 'narrow' }))
const choices = perLanguage((language) => new Intl.ListFormat(language, { type: 'disjunction' }))

/** Returns `a, b, c`, with the word or sign of the language before the last. */
export const listText = (items: readonly string[]): string => lists().format(items)

/** Returns `a, b, or c`. */
export const choiceText = (items: readonly string[]): string => choices().format(items)

const percents = perLanguage(
  (language) =>
    new Intl.NumberFormat(language, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

/** Returns a share of one such as `12.3%`. */
export const percentText = (share: number): string => percents().format(share)

/** Returns a number with separators. */
export const numberText = (count: number): string => numbers().format(count)

/** Returns a short number, such as `1.2K`. */
export const shortNumber = (count: number): string => compact().format(count)

const sizeUnits = ['B', 'KB', 'MB', 'GB', 'TB']

/** Returns a size such as `1.4 MB`. */
export function sizeText(sizeBytes: number): string {
  let size = sizeBytes
  let unit = 0
  while (size >= 1000 && unit < sizeUnits.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : tenths().format(size)} ${sizeUnits[unit]}`
}
