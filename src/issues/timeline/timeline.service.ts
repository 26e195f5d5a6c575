import type { RepoCtx } from '../../access/context.ts'
import { accessToAll } from '../../access/repo-access.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { IssueId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { listEntries, listPendingReviewIds, type ChangedBetween } from '../timeline-entry.store.ts'
import { mayReadIssue } from '../issue.policy.ts'
import { loadIssues } from '../issue.store.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'

export interface TimelinePage {
  readonly rows: CommentRow[]
  /** Whether entries follow this page. */
  readonly hasMore: boolean
}

/** Returns one page of a timeline, without entries about other issues that the viewer may not read. */
export async function getTimeline(
  ctx: RepoCtx,
  issue: IssueRow,
  between: ChangedBetween,
  page: Page,
): Promise<TimelinePage> {
  const found = await listEntries(ctx.db, issue.id, { ...between, page: { ...page, limit: page.limit + 1 } })
  const hasMore = found.length > page.limit
  return { rows: await readableEntries(ctx, found.slice(0, page.limit)), hasMore }
}

/** Returns the entries without those about other issues that the viewer may not read, and without pending reviews of others. */
export async function readableEntries(ctx: RepoCtx, found: readonly CommentRow[]): Promise<CommentRow[]> {
  const rows = await withoutDrafts(ctx, found)
  const others = await loadIssues(
    ctx.db,
    rows.flatMap((row) => [row.ref_issue_id, row.dependent_issue_id]),
  )
  if (others.size === 0) return [...rows]
  const reposWithOwners = await loadReposWithOwners(
    ctx.db,
    [...others.values()].map((other) => other.repo_id),
    [ctx],
  )
  const access = await accessToAll(
    ctx.db,
    ctx.viewer,
    [...reposWithOwners.values()].filter(({ repo }) => repo.id !== ctx.repo.id),
  )
  const isReadable = (id: IssueId): boolean => {
    const other = others.get(id)
    const rights = other?.repo_id === ctx.repo.id ? ctx.rights : other && access.get(other.repo_id)?.rights
    return other !== undefined && rights !== undefined && mayReadIssue(rights, other).allowed
  }
  return rows.filter((row) => [row.ref_issue_id, row.dependent_issue_id].every((id) => id === null || isReadable(id)))
}

/** Pending reviews are visible only to their authors and to site administrators. */
async function withoutDrafts(ctx: RepoCtx, rows: readonly CommentRow[]): Promise<readonly CommentRow[]> {
  const isForeign = (row: CommentRow) => row.type === 'review' && row.poster_id !== ctx.viewer?.id
  const reviewIds = rows.filter(isForeign).flatMap((row) => row.review_id ?? [])
  if (reviewIds.length === 0 || ctx.viewer?.isAdmin) return rows
  const pending = new Set(await listPendingReviewIds(ctx.db, reviewIds))
  return rows.filter((row) => !isForeign(row) || row.review_id === null || !pending.has(row.review_id))
}
