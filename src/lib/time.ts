import { Invalid } from './errors.ts'

/** Whole seconds since 1970-01-01T00:00:00Z. */
export type Unix = number

/** The time source, which tests replace. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export const nowUnix = (clock: Clock): Unix => Math.floor(clock.nowMs() / 1000)

const secondsPerDay = 86_400
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
/** Formatted dates by day number: the calendar is the expensive part, and few days are formatted often. */
const dates = new Map<number, string>()
const maxDates = 1000

/** Formats a time of the API: RFC 3339 in UTC, in seconds. */
export function formatUnix(unix: Unix): string {
  const day = Math.floor(unix / secondsPerDay)
  let date = dates.get(day)
  if (date === undefined) {
    date = new Date(day * secondsPerDay * 1000).toISOString().split('T', 1)[0] as string
    if (dates.size >= maxDates) dates.clear()
    dates.set(day, date)
  }
  const second = Math.floor(unix) - day * secondsPerDay
  const hours = Math.floor(second / 3600)
  const minutes = Math.floor(second / 60) % 60
  return `${date}T${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[second % 60]}Z`
}

/** The API's value of a required time field without a time. */
export const zeroTime = '0001-01-01T00:00:00Z'

const zeroUnix: Unix = Date.parse(zeroTime) / 1000

/** Formats an optional time field; null without a time. */
export const formatOptionalUnix = (unix: Unix | null | undefined): string | null =>
  unix === null || unix === undefined || unix === 0 ? null : formatUnix(unix)

/** Parses an RFC 3339 text; undefined for any other text. */
export function parseTime(text: string): Unix | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)) return undefined
  const ms = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

/**
 * Parses a time in a body or query; undefined for none. An empty text and the zero time, which Go clients send for an unset
 * time, also count as none. Throws `Invalid` for any other text.
 */
export function sentTime(text: string | undefined, field: string): Unix | undefined {
  if (text === undefined || text === '') return undefined
  const unix = parseTime(text)
  if (unix === undefined) {
    throw new Invalid(`[${field}]: ${text} is no time, write it as 2006-01-02T15:04:05Z`, 'invalid', { field })
  }
  return unix === zeroUnix ? undefined : unix
}
