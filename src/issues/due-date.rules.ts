import { parseTime, sentTime, type Unix } from '../lib/time.ts'

/** The time of a field, 0 for none: absent, the zero time. A malformed one is `Invalid`. */
export const optionalTime = (text: string | undefined, field: string): Unix => sentTime(text, field) ?? 0

const day = 86_400

/**
 * The last second of the day that a due date names: of the day where its offset is, or of the server's (contract,
 * issues: `/deadline` counts in the server's zone, which is UTC here).
 */
export function endOfDay(text: string, where: 'given offset' | 'server'): Unix {
  const unix = parseTime(text) as Unix
  const offset = where === 'server' ? null : /([+-])(\d{2}):(\d{2})$/.exec(text)
  const offsetSeconds = offset ? (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 3600 + Number(offset[3]) * 60) : 0
  return Math.floor((unix + offsetSeconds) / day) * day + day - 1 - offsetSeconds
}
