import { parseTime } from '../lib/time.ts'

/** Parses an RFC 3339 time into milliseconds since 1970; undefined when it is invalid. */
export function parseTimeMs(text: string): number | undefined {
  if (parseTime(text) === undefined) return undefined
  const ms = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(ms) ? undefined : ms
}
