/** Seconds since 1970-01-01T00:00:00Z, whole. Every time in the database has this form. */
export type Unix = number

/** Where the program gets the time from, so that tests can stand still or jump. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export const nowUnix = (clock: Clock): Unix => Math.floor(clock.nowMs() / 1000)

/** A time of the API: RFC 3339 in UTC, seconds precision. */
export const formatUnix = (unix: Unix): string => new Date(unix * 1000).toISOString().replace('.000Z', 'Z')

/** The zero time that the API shows where there is none but the field is no optional one. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** The time of an optional field: null when the thing has not happened. */
export const formatOptionalUnix = (unix: Unix | null | undefined): string | null =>
  unix === null || unix === undefined || unix === 0 ? null : formatUnix(unix)

/** Unix seconds of an RFC 3339 text, or undefined when it is none. */
export function parseTime(text: string): Unix | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)) return undefined
  const ms = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}
