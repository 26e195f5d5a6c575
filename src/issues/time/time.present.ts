import type { Ctx } from '../../access/context.ts'
import type { StopwatchRow, TrackedTimeRow } from '../../db/tables/issue-details.ts'
import { formatUnix, nowUnix } from '../../lib/time.ts'
import { loadUsers } from '../../users/user.store.ts'
import { durationText } from './duration.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'
import { presentIssues } from '../issue.present.ts'
import { loadIssues } from '../issue.store.ts'
import type { StopWatch, TrackedTime } from './time.schemas.ts'

/** Presents tracked times with their issues. */
export async function presentTimes(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  rows: readonly TrackedTimeRow[],
  known: readonly RepoWithOwner[] = [],
): Promise<TrackedTime[]> {
  if (rows.length === 0) return []
  const [users, issues] = await Promise.all([
    loadUsers(
      ctx.db,
      rows.map((row) => row.user_id),
    ),
    loadIssues(
      ctx.db,
      rows.map((row) => row.issue_id),
    ),
  ])
  const shown = new Map((await presentIssues(ctx, [...issues.values()], known)).map((issue) => [issue.id, issue]))
  return rows.map((row) => ({
    id: row.id,
    created: formatUnix(row.created_unix),
    time: row.seconds,
    user_id: row.user_id,
    user_name: users.get(row.user_id)?.name ?? '',
    issue_id: row.issue_id,
    issue: shown.get(row.issue_id) ?? null,
  }))
}

/** Presents running stopwatches with their issues. */
export async function presentStopwatches(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  rows: readonly StopwatchRow[],
): Promise<StopWatch[]> {
  const issues = await loadIssues(
    ctx.db,
    rows.map((row) => row.issue_id),
  )
  const reposWithOwners = await loadReposWithOwners(
    ctx.db,
    [...issues.values()].map((issue) => issue.repo_id),
  )
  return rows.flatMap((row) => {
    const issue = issues.get(row.issue_id)
    const repoWithOwner = issue && reposWithOwners.get(issue.repo_id)
    if (!issue || !repoWithOwner) return []
    const seconds = Math.max(0, nowUnix(ctx.clock) - row.created_unix)
    return [
      {
        created: formatUnix(row.created_unix),
        seconds,
        duration: durationText(seconds),
        issue_index: issue.index,
        issue_title: issue.title,
        repo_owner_name: repoWithOwner.owner.name,
        repo_name: repoWithOwner.repo.name,
      },
    ]
  })
}
