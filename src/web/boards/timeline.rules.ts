import type { Unix } from '../../lib/time.ts'

/** A span of time of an issue. */
export interface Span {
  readonly from: Unix
  /** Undefined: it has no end yet. */
  readonly to: Unix | undefined
}

/** The months of a timeline. Each is as wide as the others. */
export interface TimeScale {
  /** The first month, counted from January of year 0. */
  readonly first: number
  readonly months: number
}

/** Most months before and after the present one. */
const monthsBefore = 11
const monthsAfter = 12

/** Returns a time in months from January of year 0, as a fraction. */
function monthOf(unix: Unix): number {
  const date = new Date(unix * 1000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return year * 12 + month + (date.getUTCDate() - 1 + date.getUTCHours() / 24) / days
}

const within = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)

/** Returns the months that show all spans, as far as they are within a year of the present. */
export function scaleOf(spans: readonly Span[], nowUnix: Unix): TimeScale {
  const now = Math.floor(monthOf(nowUnix))
  const [low, high] = [now - monthsBefore, now + monthsAfter]
  const from = spans.map((span) => within(Math.floor(monthOf(span.from)), low, high))
  const to = spans.map((span) => within(Math.floor(monthOf(span.to ?? nowUnix)), low, high))
  const first = Math.min(now, ...from, ...to)
  return { first, months: Math.max(now, ...to, ...from) - first + 1 }
}

/** Returns where a time is on a scale, in hundredths of a month; what is outside is at the edge. */
export const placeOn = ({ first, months }: TimeScale, unix: Unix): number =>
  Math.round(within(monthOf(unix) - first, 0, months) * 100)

/** Returns the beginnings of the months of a scale. */
export const monthsOn = ({ first, months }: TimeScale): readonly Unix[] =>
  Array.from({ length: months }, (_, index) => {
    const month = first + index
    return Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000
  })
