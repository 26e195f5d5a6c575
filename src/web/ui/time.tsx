import { formatUnix, type Unix } from '../../lib/time.ts'
import { perLanguage } from '../languages/reader.ts'
import { uiTexts as texts } from '../languages/texts.ts'

const formatOf = (style: Intl.DateTimeFormatOptions) =>
  perLanguage((language) => new Intl.DateTimeFormat(language, { ...style, timeZone: 'UTC' }))
const dateFormat = formatOf({ dateStyle: 'medium' })
const monthFormat = formatOf({ month: 'short', year: '2-digit' })
const clockFormat = formatOf({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const momentFormat = formatOf({ dateStyle: 'medium', timeStyle: 'short' })

/** Returns a date such as `Nov 28, 2026`. */
export const dateText = (unix: Unix): string => dateFormat().format(unix * 1000)

/** Returns a month such as `Nov 26`. */
export const monthText = (unix: Unix): string => monthFormat().format(unix * 1000)

/** Returns a time of day in UTC, such as `14:05:09`. */
export const clockText = (unix: Unix): string => clockFormat().format(unix * 1000)

/** Returns a date with its time in UTC. */
export const momentText = (unix: Unix): string => `${momentFormat().format(unix * 1000)} UTC`

/**
 * A time. Without scripts it is a date; with scripts it becomes relative (`3 days ago`). The exact time appears on hover.
 */
export const Time = ({ unix }: { readonly unix: Unix }) => (
  <relative-time datetime={formatUnix(unix)} title={momentText(unix)} class="time">
    {dateText(unix)}
  </relative-time>
)

/** A day without a time, for due dates. */
export const Day = ({ unix }: { readonly unix: Unix }) => (
  <time datetime={formatUnix(unix).slice(0, 10)}>{dateText(unix)}</time>
)

const units = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** Returns a duration as at most two units, such as `1h 5m`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const first = units.findIndex(([, size]) => whole >= size)
  if (first === -1) return `0${texts.units.seconds}`
  let rest = whole
  return units
    .slice(first, first + 2)
    .flatMap(([name, size]) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return count === 0 ? [] : [`${count}${texts.units[name]}`]
    })
    .join(' ')
}
