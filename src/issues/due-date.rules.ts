import { Invalid } from '../lib/errors.ts'
import { parseTime, type Unix } from '../lib/time.ts'

/** 0001-01-01T00:00:00Z, which counts as no time. */
const zeroUnix = -62_135_596_800

/** The time of a field, 0 for none: absent, the zero time. A malformed one is `Invalid`. */
export function optionalTime(text: string | undefined, field: string): Unix {
  if (text === undefined || text === '') return 0
  const unix = parseTime(text)
  if (unix === undefined) throw new Invalid(`[${field}]: is no time`, 'invalid', { field })
  return unix === zeroUnix ? 0 : unix
}

/** A time of a query parameter, undefined when it is absent or empty. A malformed one is `Invalid`. */
export function queryTime(text: string | undefined, field: string): Unix | undefined {
  if (text === undefined || text === '') return undefined
  const unix = parseTime(text)
  if (unix === undefined) throw new Invalid(`[${field}]: is no time`, 'invalid', { field })
  return unix
}

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
