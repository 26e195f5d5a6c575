import type { Config } from '../config/load-config.ts'
import { Forbidden } from '../lib/errors.ts'

/** How names, versions and files are compared: whatever their letter case. */
export const comparable = (name: string): string => name.toLowerCase()

/** What packages of one owner add up to. */
export interface OwnerTotals {
  readonly sizeBytes: number
  readonly versions: number
}

const within = (value: number, limit: number): boolean => limit < 0 || value <= limit

/** Throws `Forbidden` for more than `[packages].LIMIT_TOTAL_OWNER_SIZE` and `LIMIT_TOTAL_OWNER_COUNT` allow. */
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
