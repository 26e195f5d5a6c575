import { Invalid } from './errors.ts'

/** Seconds since 1970-01-01T00:00:00Z, whole. Every time in the database has this form. */
export type Unix = number

/** Where the program gets the time from, so that tests can stand still or jump. */
export interface Clock {
  /** Milliseconds since 1970, like `Date.now()`. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export const nowUnix = (clock: Clock): Unix => Math.floor(clock.nowMs() / 1000)

const secondsPerDay = 86_400
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
/** Dates by the number of the day: the calendar is what costs, and few days are asked for again and again. */
const dates = new Map<number, string>()
const maxDates = 1000

/** A time of the API: RFC 3339 in UTC, seconds precision. */
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

/** The zero time that the API shows where there is none but the field is no optional one. */
export const zeroTime = '0001-01-01T00:00:00Z'

const zeroUnix: Unix = Date.parse(zeroTime) / 1000

/** The time of an optional field: null when the thing has not happened. */
export const formatOptionalUnix = (unix: Unix | null | undefined): string | null =>
  unix === null || unix === undefined || unix === 0 ? null : formatUnix(unix)

/** Unix seconds of an RFC 3339 text, or undefined when it is none. */
export function parseTime(text: string): Unix | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text)) return undefined
  const ms = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000)
}

/**
 * The time that a client sent as a member of its body or a query parameter; undefined when it sent none. No time is also an
 * empty text, and the zero time: clients written in Go send it for a time that was not set. A text that is no time is `Invalid`.
 */
export function sentTime(text: string | undefined, field: string): Unix | undefined {
  if (text === undefined || text === '') return undefined
  const unix = parseTime(text)
  if (unix === undefined) {
    throw new Invalid(`[${field}]: ${text} is no time, write it as 2006-01-02T15:04:05Z`, 'invalid', { field })
  }
  return unix === zeroUnix ? undefined : unix
}
