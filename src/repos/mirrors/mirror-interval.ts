import { wordTable } from '../../lib/word-table.ts'

/** The units of an interval in seconds. */
const unitSeconds = wordTable<number>({ h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 })

/** Longest interval in seconds: a leap year. */
const maxIntervalSeconds = 366 * 86_400

/**
 * Parses an interval between updates, such as `8h30m`. `0` disables scheduled updates.
 * @param minSeconds the shortest interval (`[mirror].MIN_INTERVAL`)
 * @returns seconds, or the reason as a text if the interval is invalid
 */
export function parseInterval(text: string, minSeconds: number): number | string {
  if (text === '0') return 0
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text) || text.length > 100) return `${text} is no interval`
  let seconds = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    seconds += Number(amount) * (unitSeconds[unit ?? ''] ?? 0)
  }
  if (seconds === 0) return 0
  if (seconds < minSeconds) return `the shortest interval is ${intervalText(minSeconds)}`
  if (seconds > maxIntervalSeconds) return `the longest interval is ${intervalText(maxIntervalSeconds)}`
  return Math.round(seconds)
}

/** Formats an interval as people write it: `12h`, `1h30m`, `0`. */
export const shortIntervalText = (seconds: number): string =>
  [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ]
    .map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`))
    .join('') || '0'

/** Formats an interval: `12h0m0s`, `10m0s`, `0s`. */
export function intervalText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = `${seconds % 60}s`
  if (hours > 0) return `${hours}h${minutes}m${rest}`
  return minutes > 0 ? `${minutes}m${rest}` : rest
}
