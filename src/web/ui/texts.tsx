import { atFirstUse } from '../../lib/first-use.ts'

// The first format takes 7 MB of memory.
const numbers = atFirstUse(() => new Intl.NumberFormat('en'))
const compact = atFirstUse(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))

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
  return `${unit === 0 || size >= 100 ? Math.round(size) : Math.round(size * 10) / 10} ${sizeUnits[unit]}`
}

/** Texts of the shared parts. */
export const texts = {
  previous: 'Previous',
  next: 'Next',
  page: (number: number) => `Page ${number}`,
  pages: 'Pages',
  copy: 'Copy',
  copied: 'Copied',
  optional: 'optional',
  save: 'Save',
  cancel: 'Cancel',
  delete: 'Delete',
  remove: 'Remove',
  edit: 'Edit',
  search: 'Search',
  menu: 'Menu',
  storedMeanwhile: 'Somebody else changed this meanwhile to:',
  emptiedMeanwhile: 'Somebody else emptied this meanwhile.',
  ticked: 'ticked',
  notTicked: 'not ticked',
}
