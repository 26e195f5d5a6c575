import { parseTime, sentTime, type Unix } from '../lib/time.ts'

/** Returns the time of a field; 0 for an absent field and for the zero time. @throws Invalid for a malformed time */
export const optionalTime = (text: string | undefined, field: string): Unix => sentTime(text, field) ?? 0

const day = 86_400

/**
 * Returns the last second of the day of a due date, in the date's own offset or in the server's zone, which is UTC (contract,
 * issues: `/deadline` uses the server's zone).
 */
export function endOfDay(text: string, where: 'given offset' | 'server'): Unix {
  const unix = parseTime(text) as Unix
  const offset = where === 'server' ? null : /([+-])(\d{2}):(\d{2})$/.exec(text)
  const offsetSeconds = offset ? (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 3600 + Number(offset[3]) * 60) : 0
  return Math.floor((unix + offsetSeconds) / day) * day + day - 1 - offsetSeconds
}
