import { causesOf } from './causes.ts'
import { Unavailable } from './errors.ts'

/** Error codes of a full disk: of files, quotas, SQLite and PostgreSQL. */
const codes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'])

/** Returns whether the output of git reports a full disk. */
export const saysFullDisk = (text: string): boolean =>
  /No space left on device|Disk quota exceeded|Out of diskspace/.test(text)

/** The refusal for a full disk, which is not a defect. */
export const fullDisk = (): Unavailable =>
  new Unavailable('there is no room on the disk', 'disk_full', { retryAfterSeconds: 60 })

/** Returns the refusal for an error caused by a full disk; other errors unchanged. */
export const withFullDisk = (error: unknown): unknown =>
  causesOf(error).some((each) => Error.isError(each) && 'code' in each && codes.has(String(each.code)))
    ? fullDisk()
    : error
