import { Invalid } from '../../lib/errors.ts'
import { wordTable } from '../../lib/word-table.ts'

const day = 86_400

/** A month is a twelfth of a year of 365 days (contract, issues: time tracking). */
const units: readonly (readonly [string, number])[] = [
  ['year', 365 * day],
  ['month', (365 * day) / 12],
  ['week', 7 * day],
  ['day', day],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/** Returns a duration in words: its two largest units, without zero units; empty for zero. */
export function durationText(seconds: number): string {
  const words: string[] = []
  let left = seconds
  let first: number | undefined
  for (const [index, [name, size]] of units.entries()) {
    if (first !== undefined && index > first + 1) break
    const amount = Math.floor(left / size)
    if (amount <= 0) continue
    first ??= index
    left -= amount * size
    words.push(`${amount} ${name}${amount === 1 ? '' : 's'}`)
  }
  return words.join(' ')
}

const shortUnits = wordTable<number>({ w: 7 * day, d: day, h: 3600, m: 60, s: 1 })
/** A longer text is no duration; looking for parts in runs of spaces takes quadratic time. In characters. */
const maxLength = 100
/** Most seconds of one entry: ten years. */
const longest = 3650 * day

/**
 * Parses a duration as people write it: `1h 30m`, `90m`, `1.5h`; a number without a unit means minutes.
 * @returns seconds
 * @throws Invalid for another text, for no time, and for more than ten years
 */
export function parseDuration(text: string): number {
  const parts = (text.length > maxLength ? '' : text)
    .trim()
    .toLowerCase()
    .split(/\s+(?=\d)|(?<=[a-z])(?=\d)/)
  const seconds = parts.map((part) => {
    const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(w|d|h|m|s)?[a-z]*$/.exec(part)
    return match ? Number(match[1]) * (shortUnits[match[2] ?? 'm'] ?? 60) : Number.NaN
  })
  const total = Math.round(seconds.reduce((sum, each) => sum + each, 0))
  if (Number.isNaN(total) || total <= 0 || total > longest) {
    throw new Invalid('[time]: write a time such as 1h 30m', 'duration_malformed', { field: 'time' })
  }
  return total
}
