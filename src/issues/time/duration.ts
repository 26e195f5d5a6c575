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
