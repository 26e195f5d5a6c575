import type { ActionRunRow } from '../../db/tables/actions.ts'
import { branchRef } from '../../lib/refs.ts'

/** Whether nothing holds the jobs of a run back: neither a missing approval nor an earlier run of its group. */
export const mayBegin = (run: Pick<ActionRunRow, 'is_held' | 'needs_approval' | 'approver_id'>): boolean =>
  !run.is_held && !waitsForApproval(run)

export const waitsForApproval = (run: Pick<ActionRunRow, 'needs_approval' | 'approver_id'>): boolean =>
  run.needs_approval && run.approver_id === null

/** What cache scopes are derived from. */
export interface ScopeSource {
  readonly isForeign: boolean
  readonly ref: string
  readonly baseRef: string
  readonly defaultBranch: string
}

/**
 * Returns the cache scopes that a run reads, its own first: it writes only that one. The scope of an untrusted run has a
 * prefix that no reference has, so no trusted run reads it, also not a trusted run of the same pull request.
 */
export function cacheScopesOf({ isForeign, ref, baseRef, defaultBranch }: ScopeSource): readonly [string, ...string[]] {
  // The ref of a scheduled run is the bare name of a branch; that of a reviewed or merged commit is its id.
  const isWhole = ref.startsWith('refs/') || /^[0-9a-f]{40,64}$/.test(ref)
  const fullRef = isWhole ? ref : branchRef(ref)
  const own = isForeign ? `untrusted ${fullRef}` : fullRef
  const others = [...(baseRef === '' ? [] : [branchRef(baseRef)]), branchRef(defaultBranch)]
  return [own, ...new Set(others.filter((other) => other !== own))]
}
