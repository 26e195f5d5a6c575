import type { RepoCtx } from '../../access/context.ts'
import type { Unix } from '../../lib/time.ts'
import { listChangedSince, type PulseRow } from './pulse.store.ts'

/** Changed issues and pull requests that are looked at. */
const maxLooked = 500

/** What happened to issues and pull requests since a time; empty for a unit that the viewer may not read. */
export interface Pulse {
  readonly mergedPulls: readonly PulseRow[]
  readonly openedPulls: readonly PulseRow[]
  readonly closedIssues: readonly PulseRow[]
  readonly openedIssues: readonly PulseRow[]
  /** Whether further changes were not looked at. */
  readonly isCut: boolean
}

export async function getPulse(ctx: RepoCtx, sinceUnix: Unix): Promise<Pulse> {
  const { rights } = ctx
  const seesIssues = rights.modeOf('issues') > 0
  const seesPulls = rights.modeOf('pulls') > 0
  const rows = seesIssues || seesPulls ? await listChangedSince(ctx.db, ctx.repo.id, sinceUnix, maxLooked) : []
  const issues = seesIssues ? rows.filter((row) => !row.is_pull) : []
  const pulls = seesPulls ? rows.filter((row) => row.is_pull) : []
  return {
    mergedPulls: pulls.filter((row) => row.merged_unix >= sinceUnix),
    openedPulls: pulls.filter((row) => row.created_unix >= sinceUnix),
    closedIssues: issues.filter((row) => row.is_closed && row.closed_unix >= sinceUnix),
    openedIssues: issues.filter((row) => row.created_unix >= sinceUnix),
    isCut: rows.length === maxLooked,
  }
}
