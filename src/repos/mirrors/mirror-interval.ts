/** Seconds of the units that an interval is written in. */
const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 }

/** Longest interval, in seconds: a year. */
const maxIntervalSeconds = 366 * 86_400

/**
 * Seconds between two updates of a mirror, from a text like `8h30m`; `0` is never by itself.
 * @param minSeconds the shortest (`[mirror].MIN_INTERVAL`)
 * @returns a text that says why when it is no such interval
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

/** An interval as it is shown: `12h0m0s`, `10m0s`, `0s`. */
export function intervalText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = `${seconds % 60}s`
  if (hours > 0) return `${hours}h${minutes}m${rest}`
  return minutes > 0 ? `${minutes}m${rest}` : rest
}
