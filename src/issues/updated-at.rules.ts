import type { Viewer } from '../auth/viewer.ts'
import type { Rights } from '../access/rights.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import { Forbidden } from '../lib/errors.ts'
import { sentTime, type Unix } from '../lib/time.ts'
import type { Attribution } from './attribution.ts'

/**
 * Returns the account and the time of a change: now, or the time in `updated_at`. Only administrators of the repository or
 * of the instance may set the time, which lies between the creation of the issue and now (contract E3).
 * @throws Invalid for a malformed time
 * @throws Forbidden for a time that the caller may not set
 */
export function datedAttribution(
  given: string | undefined,
  by: { readonly viewer: Viewer; readonly rights: Rights; readonly issue: IssueRow; readonly nowUnix: Unix },
): Attribution {
  const { viewer, rights, issue, nowUnix } = by
  const atUnix = sentTime(given, 'updated_at')
  if (atUnix === undefined) return { doerId: viewer.id, atUnix: nowUnix, isDated: false }
  if (!rights.isAdmin && !viewer.isAdmin) {
    throw new Forbidden('only administrators may set the time of an update', 'updated_at_forbidden')
  }
  if (atUnix < issue.created_unix || atUnix > nowUnix) {
    throw new Forbidden('the time of an update must lie between the creation of the issue and now', 'updated_at_range')
  }
  return { doerId: viewer.id, atUnix, isDated: true }
}
