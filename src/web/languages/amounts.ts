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
