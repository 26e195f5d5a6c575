import type { Ctx, RepoCtx } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { getReadableIssue, noIssue } from '../../issues/issue.service.ts'

/** Returns an issue that guests may read. Throws `NotFound`, also when `[federation].ISSUES_ENABLED` is off. */
export async function getTicket(ctx: Ctx & RepoCtx, index: number): Promise<IssueRow> {
  if (!ctx.config.federation.issuesEnabled) throw noIssue()
  const issue = await getReadableIssue(ctx, index)
  if (issue.is_pull) throw noIssue()
  return issue
}
