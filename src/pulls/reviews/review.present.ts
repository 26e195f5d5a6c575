import type { RepoCtx } from '../../access/context.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { ReviewRow, ReviewType } from '../../db/tables/pulls.ts'
import { pluck } from '../../lib/pluck.ts'
import { issueWebUrl } from '../../issues/repo-with-owner.ts'
import type { TeamId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentTeams } from '../../orgs/team.present.ts'
import { loadTeams } from '../../orgs/team.store.ts'
import { presentAuthor, presentWriter } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import type { PullPair } from '../pull.store.ts'
import type { PullReview, PullReviewComment, ReviewStateType } from './review.schemas.ts'
import { countCodeComments, listReviewEntries } from './review.store.ts'

type PresentContext = Pick<RepoCtx, 'config' | 'db' | 'viewer' | 'repo' | 'owner'>

const states: Readonly<Record<ReviewType, ReviewStateType>> = {
  pending: 'PENDING',
  comment: 'COMMENT',
  approve: 'APPROVED',
  reject: 'REQUEST_CHANGES',
  request: 'REQUEST_REVIEW',
}

/** Returns reviews of one pull request as API records, with a fixed number of queries. */
export async function presentReviews(
  ctx: PresentContext,
  { issue }: PullPair,
  reviews: readonly ReviewRow[],
): Promise<PullReview[]> {
  if (reviews.length === 0) return []
  const ids = reviews.map((review) => review.id)
  const [users, teamRows, entries, counts] = await Promise.all([
    loadUsers(ctx.db, pluck(reviews, 'reviewer_id')),
    loadTeams(
      ctx.db,
      reviews.map((review) => review.reviewer_team_id).filter((id): id is TeamId => id !== null),
    ),
    listReviewEntries(ctx.db, ids),
    countCodeComments(ctx.db, ids),
  ])
  const teams = new Map((await presentTeams(ctx, teamRows)).map((team) => [team.id, team]))
  // The last of several entries wins, which is the one of the submission.
  const entryOf = new Map(entries.map((entry) => [entry.review_id, entry.id]))
  const page = issueWebUrl(ctx, issue)
  return reviews.map((review) => {
    const isTeam = review.reviewer_team_id !== null
    const entry = entryOf.get(review.id)
    return {
      id: review.id,
      user:
        isTeam || review.reviewer_id === null
          ? null
          : presentWriter(ctx, users.get(review.reviewer_id), review.original_author),
      team: isTeam ? (teams.get(review.reviewer_team_id as number) ?? null) : null,
      state: states[review.type],
      body: review.content,
      commit_id: review.commit_oid,
      stale: review.is_stale,
      official: review.is_official,
      dismissed: review.is_dismissed,
      comments_count: counts.get(review.id) ?? 0,
      submitted_at: formatUnix(review.created_unix),
      updated_at: formatUnix(review.updated_unix),
      html_url: entry === undefined ? '' : `${page}#issuecomment-${entry}`,
      pull_request_url: page,
    }
  })
}

export async function presentReview(ctx: PresentContext, pair: PullPair, review: ReviewRow): Promise<PullReview> {
  const [presented] = await presentReviews(ctx, pair, [review])
  return presented as PullReview
}

/** Returns line comments of one review as API records. */
export const presentReviewComments = (
  ctx: PresentContext,
  pair: PullPair,
  review: ReviewRow,
  rows: readonly CommentRow[],
): Promise<PullReviewComment[]> =>
  presentCodeComments(
    ctx,
    pair,
    new Map([[review.id, review]]),
    rows.map((row) => ({ ...row, review_id: review.id })),
  )

/** Returns line comments of several reviews, given by their ids, as API records. */
export async function presentCodeComments(
  ctx: PresentContext,
  { issue }: PullPair,
  reviews: ReadonlyMap<number, ReviewRow>,
  rows: readonly CommentRow[],
): Promise<PullReviewComment[]> {
  const users = await loadUsers(
    ctx.db,
    rows.flatMap((row) => [row.poster_id, row.resolver_id]),
  )
  const page = issueWebUrl(ctx, issue)
  // Only the page of files shows comments of a pending review.
  const pageOfRow = ({ review_id: id }: CommentRow): string =>
    id !== null && reviews.get(id)?.type === 'pending' ? `${page}/files` : page
  return rows.map((row) => ({
    id: row.id,
    body: row.content,
    user: presentWriter(ctx, users.get(row.poster_id), row.original_author),
    resolver: row.resolver_id === null ? null : presentAuthor(ctx, users.get(row.resolver_id)),
    pull_request_review_id: row.review_id ?? 0,
    created_at: formatUnix(row.created_unix),
    updated_at: formatUnix(row.updated_unix),
    path: row.tree_path,
    commit_id: row.commit_sha,
    original_commit_id: '',
    diff_hunk: row.patch,
    position: row.line > 0 ? row.line : 0,
    original_position: row.line < 0 ? -row.line : 0,
    html_url: `${pageOfRow(row)}#issuecomment-${row.id}`,
    pull_request_url: page,
  }))
}

export async function presentReviewComment(
  ctx: PresentContext,
  pair: PullPair,
  review: ReviewRow,
  row: CommentRow,
): Promise<PullReviewComment> {
  const [presented] = await presentReviewComments(ctx, pair, review, [row])
  return presented as PullReviewComment
}
