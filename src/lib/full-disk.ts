import { causesOf } from './causes.ts'
import { Unavailable } from './errors.ts'

const refused = 'disk_full'

/** Error codes of a full disk: of files, quotas, SQLite, PostgreSQL, and of the refusal. */
const codes = new Set([refused, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'])

/** Returns whether the output of git reports a full disk. */
export const saysFullDisk = (text: string): boolean =>
  /No space left on device|Disk quota exceeded|Out of diskspace/.test(text)

/** The refusal for a full disk, which is not a defect. */
export const fullDisk = (): Unavailable =>
  new Unavailable('there is no room on the disk', refused, { retryAfterSeconds: 60 })

/** Whether something failed because a disk is full, which somebody mends. */
export const isDiskFull = (error: unknown): boolean =>
  causesOf(error).some((each) => Error.isError(each) && 'code' in each && codes.has(String(each.code)))

/** Returns the refusal for an error caused by a full disk; other errors unchanged. */
export const withFullDisk = (error: unknown): unknown => (isDiskFull(error) ? fullDisk() : error)
