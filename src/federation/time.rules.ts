import { parseTime } from '../lib/time.ts'

/** Milliseconds since 1970 of an RFC 3339 text, or undefined when it is none. */
export function parseTimeMs(text: string): number | undefined {
  if (parseTime(text) === undefined) return undefined
  const ms = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(ms) ? undefined : ms
}
