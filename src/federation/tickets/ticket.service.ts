import type { Ctx, RepoCtx } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { getReadableIssue, noIssue } from '../../issues/issue.service.ts'

/** An issue that everybody may read, where issues are told to other servers; else `NotFound`. */
export async function getTicket(ctx: Ctx & RepoCtx, index: number): Promise<IssueRow> {
  if (!ctx.config.federation.issuesEnabled) throw noIssue()
  const issue = await getReadableIssue(ctx, index)
  if (issue.is_pull) throw noIssue()
  return issue
}
