import type { Identity } from '../../git/git.ts'
import { formatUnix } from '../../lib/time.ts'

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0')

/** The time of an author or committer as RFC 3339 text with its offset. */
export function formatCommitTime({ unixSeconds, offsetMinutes }: Identity): string {
  if (offsetMinutes === 0) return formatUnix(unixSeconds)
  const local = formatUnix(unixSeconds + offsetMinutes * 60).replace('Z', '')
  const size = Math.abs(offsetMinutes)
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${twoDigits(size / 60)}:${twoDigits(size % 60)}`
}
