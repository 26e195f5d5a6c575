import type { ActionRunRow } from '../../db/tables/actions.ts'
import { branchRef } from '../../lib/refs.ts'

/** Returns whether the jobs of a run may start: no approval is missing, and no earlier run of its group holds it. */
export const mayStart = (run: Pick<ActionRunRow, 'is_held' | 'needs_approval' | 'approver_id'>): boolean =>
  !run.is_held && !waitsForApproval(run)

export const waitsForApproval = (run: Pick<ActionRunRow, 'needs_approval' | 'approver_id'>): boolean =>
  run.needs_approval && run.approver_id === null

/** The properties of a run from which its cache scopes are derived. */
export interface CacheScopeSource {
  readonly isForeign: boolean
  readonly ref: string
  readonly baseRef: string
  readonly defaultBranch: string
}

/**
 * Returns the cache scopes that a run reads, its own first. It writes only its own. The scope of an untrusted run has a
 * prefix that no reference has, so no trusted run reads it, not even a trusted run of the same pull request.
 */
export function cacheScopesOf(source: CacheScopeSource): readonly [string, ...string[]] {
  const { isForeign, ref, baseRef, defaultBranch } = source
  // The ref of a scheduled run is a bare branch name; that of a reviewed or merged commit is its id.
  const isWhole = ref.startsWith('refs/') || /^[0-9a-f]{40,64}$/.test(ref)
  const fullRef = isWhole ? ref : branchRef(ref)
  const own = isForeign ? `untrusted ${fullRef}` : fullRef
  const others = [...(baseRef === '' ? [] : [branchRef(baseRef)]), branchRef(defaultBranch)]
  return [own, ...new Set(others.filter((other) => other !== own))]
}
