import { Unavailable } from './errors.ts'

/** How files, quotas, SQLite (also for its shared memory) and PostgreSQL say that a disk is full. */
const codes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'])

/** What git says of it. */
export const saysFullDisk = (text: string): boolean => /No space left on device|Disk quota exceeded/.test(text)

/** A full disk is no defect: it is refused until there is room again. */
export const fullDisk = (): Unavailable =>
  new Unavailable('there is no room on the disk', 'disk_full', { retryAfterSeconds: 60 })

/** The refusal that stands for an error when a full disk is behind it, else the error. */
export function withFullDisk(error: unknown): unknown {
  for (let each = error, depth = 0; Error.isError(each) && depth < 5; each = each.cause, depth++) {
    if (codes.has(String((each as { code?: unknown }).code))) return fullDisk()
  }
  return error
}
