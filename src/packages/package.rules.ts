import type { Config } from '../config/load-config.ts'
import { Forbidden, NotFound } from '../lib/errors.ts'

/** Returns the form in which names, versions and file names are compared. */
export const comparable = (name: string): string => name.toLowerCase()

/**
 * Returns the normal form of a name in its registry, which all equal spellings share: Python takes runs of `-`, `_`
 * and `.` for one `-` (PEP 503), and Cargo takes `_` for `-`.
 */
export function normalName(type: string, name: string): string {
  const lower = comparable(name)
  if (type === 'pypi') return lower.replaceAll(/[-_.]+/g, '-')
  return type === 'cargo' ? lower.replaceAll('_', '-') : lower
}

export const noPackage = () => new NotFound('the package does not exist', 'package_not_found')
export const noFile = () => new NotFound('the file does not exist', 'package_file_not_found')

/** The total size and number of versions of one owner's packages. */
export interface OwnerTotals {
  readonly sizeBytes: number
  readonly versions: number
}

const within = (value: number, limit: number): boolean => limit < 0 || value <= limit

/** Throws `Forbidden` when totals exceed `[packages].LIMIT_TOTAL_OWNER_SIZE` or `LIMIT_TOTAL_OWNER_COUNT`. */
export function refuseOverTotals(
  { limitTotalOwnerSize, limitTotalOwnerCount }: Config['packages'],
  total: OwnerTotals,
) {
  if (!within(total.sizeBytes, limitTotalOwnerSize)) {
    throw new Forbidden(`an owner may have ${limitTotalOwnerSize} bytes of packages`, 'packages_too_large')
  }
  if (!within(total.versions, limitTotalOwnerCount)) {
    throw new Forbidden(`an owner may have ${limitTotalOwnerCount} versions of packages`, 'packages_too_many')
  }
}
