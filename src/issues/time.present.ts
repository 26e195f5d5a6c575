import type { Ctx } from '../access/context.ts'
import type { TrackedTimeRow } from '../db/tables/issues.ts'
import { formatUnix } from '../lib/time.ts'
import { loadUsers } from '../users/user.store.ts'
import type { IssuePlace } from './issue-place.ts'
import { presentIssues } from './issue.present.ts'
import { loadIssues } from './issue.store.ts'
import type { TrackedTime } from './time.schemas.ts'

/** Tracked times with their issues, loaded together. */
export async function presentTimes(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  rows: readonly TrackedTimeRow[],
  known: readonly IssuePlace[] = [],
): Promise<TrackedTime[]> {
  if (rows.length === 0) return []
  const [users, issues] = await Promise.all([
    loadUsers(ctx.db, rows.map((row) => row.user_id)),
    loadIssues(ctx.db, rows.map((row) => row.issue_id)),
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
