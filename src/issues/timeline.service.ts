import type { RepoCtx } from '../access/context.ts'
import { accessToAll } from '../access/repo-access.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { Page } from '../lib/paging.ts'
import { listEntries, listPendingReviewIds, type ChangedBetween } from './timeline-entry.store.ts'
import { mayReadIssue } from './issue.policy.ts'
import { loadIssues } from './issue.store.ts'
import { loadReposWithOwners } from './repo-with-owner.store.ts'

/** One page of what happened to an issue, without references from where the viewer may not look. */
export async function getTimeline(
  ctx: RepoCtx,
  issue: IssueRow,
  between: ChangedBetween,
  page: Page,
): Promise<CommentRow[]> {
  const rows = await withoutDrafts(ctx, await listEntries(ctx.db, issue.id, { ...between, page }))
  const sources = await loadIssues(
    ctx.db,
    rows.map((row) => row.ref_issue_id),
  )
  if (sources.size === 0) return [...rows]
  const reposWithOwners = await loadReposWithOwners(
    ctx.db,
    [...sources.values()].map((source) => source.repo_id),
    [ctx],
  )
  const others = [...reposWithOwners.values()].filter((repoWithOwner) => repoWithOwner.repo.id !== ctx.repo.id)
  const access = await accessToAll(ctx.db, ctx.viewer, others)
  return rows.filter((row) => {
    if (row.ref_issue_id === null) return true
    const source = sources.get(row.ref_issue_id)
    if (!source) return false
    const rights = source.repo_id === ctx.repo.id ? ctx.rights : access.get(source.repo_id)?.rights
    return rights !== undefined && mayReadIssue(rights, source)
  })
}

/** Reviews that are not handed in yet are there for their authors and for administrators of the instance alone. */
async function withoutDrafts(ctx: RepoCtx, rows: readonly CommentRow[]): Promise<readonly CommentRow[]> {
  const isForeign = (row: CommentRow) => row.type === 'review' && row.poster_id !== ctx.viewer?.id
  const reviewIds = rows.filter(isForeign).flatMap((row) => row.review_id ?? [])
  if (reviewIds.length === 0 || ctx.viewer?.isAdmin) return rows
  const pending = new Set(await listPendingReviewIds(ctx.db, reviewIds))
  return rows.filter((row) => !isForeign(row) || row.review_id === null || !pending.has(row.review_id))
}
