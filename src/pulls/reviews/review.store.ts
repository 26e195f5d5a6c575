import { sql, type SqlBool } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows, hasRow } from '../../db/rows.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { NewReviewRow, ReviewChange, ReviewRow } from '../../db/tables/pulls.ts'
import type { CommentId, IssueId, Oid, PullId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/**
 * Returns the requested reviewers of issues, in the order of the rows: teams with an open request, and each account by its
 * newest request or verdict. The list keeps accounts that have given a verdict (observed).
 */
export async function listRequestsOf(
  db: Db,
  issueIds: readonly IssueId[],
): Promise<Pick<ReviewRow, 'issue_id' | 'reviewer_id' | 'reviewer_team_id'>[]> {
  if (issueIds.length === 0) return []
  return db
    .selectFrom('review')
    .select(['issue_id', 'reviewer_id', 'reviewer_team_id'])
    .where('issue_id', 'in', issueIds)
    .where((where) =>
      where.or([
        where.and([where('reviewer_team_id', 'is not', null), where('type', '=', sql.lit('request'))]),
        where('id', 'in', (select) =>
          select
            .selectFrom('review as newest')
            .select((each) => each.fn.max('newest.id').as('id'))
            .where('newest.issue_id', 'in', issueIds)
            .where('newest.type', 'in', ['approve', 'reject', 'request'])
            .where('newest.is_dismissed', '=', false)
            .where('newest.reviewer_id', 'is not', null)
            .groupBy(['newest.issue_id', 'newest.reviewer_id']),
        ),
      ]),
    )
    .orderBy('id')
    .execute()
}

/** Returns the reviews of a pull request, oldest first. */
export const listReviews = (db: Db | Tx, issueId: IssueId, page?: Page): Promise<ReviewRow[]> => {
  const query = db.selectFrom('review').selectAll().where('issue_id', '=', issueId).orderBy('id')
  return (page ? query.limit(page.limit).offset(page.offset) : query).execute()
}

export const countReviews = (db: Db, issueId: IssueId): Promise<number> =>
  countRows(db.selectFrom('review').where('issue_id', '=', issueId))

export const findReview = (db: Db | Tx, issueId: IssueId, id: ReviewId): Promise<ReviewRow | undefined> =>
  db.selectFrom('review').selectAll().where('id', '=', id).where('issue_id', '=', issueId).executeTakeFirst()

/** Returns whether a push added a commit to a pull request, or a review refers to it. */
export async function hadCommit(db: Db, issueId: IssueId, oid: Oid): Promise<boolean> {
  const reviewed = await db
    .selectFrom('review')
    .select('id')
    .where('issue_id', '=', issueId)
    .where('commit_oid', '=', oid)
    .limit(1)
    .executeTakeFirst()
  if (reviewed) return true
  const pushed = await db
    .selectFrom('comment')
    .select('id')
    .where('issue_id', '=', issueId)
    .where('type', '=', 'pull_push')
    .where('content', 'like', `%"${oid}"%`)
    .limit(1)
    .executeTakeFirst()
  return pushed !== undefined
}

export const findPendingReview = (db: Db | Tx, issueId: IssueId, reviewerId: UserId): Promise<ReviewRow | undefined> =>
  db
    .selectFrom('review')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('reviewer_id', '=', reviewerId)
    .where('type', '=', sql.lit('pending'))
    .limit(1)
    .executeTakeFirst()

export const insertReview = (tx: Tx, values: NewReviewRow): Promise<ReviewRow> =>
  tx.insertInto('review').values(values).returningAll().executeTakeFirstOrThrow()

/** Inserts review requests and returns the new rows; existing requests stay as they are. */
export const insertRequests = (tx: Tx, rows: readonly NewReviewRow[]): Promise<ReviewRow[]> =>
  rows.length === 0
    ? Promise.resolve([])
    : tx
        .insertInto('review')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .execute()

export const updateReview = (tx: Tx, id: ReviewId, change: ReviewChange): Promise<ReviewRow> =>
  tx.updateTable('review').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export const deleteReviewRow = (tx: Tx, id: ReviewId): Promise<boolean> =>
  changesRow(tx.deleteFrom('review').where('id', '=', id))

/** Dismisses the earlier verdicts of an account and makes them unofficial (observed). */
export const supersedeVerdicts = (tx: Tx, issueId: IssueId, reviewerId: UserId) =>
  tx
    .updateTable('review')
    .set({ is_official: false, is_dismissed: true })
    .where('issue_id', '=', issueId)
    .where('reviewer_id', '=', reviewerId)
    .where('type', 'in', ['approve', 'reject'])
    .execute()

/** Returns whether an administrator dismissed a review; a newer verdict of its author does not count. */
export const wasDismissed = (tx: Tx, reviewId: ReviewId): Promise<boolean> =>
  hasRow(tx.selectFrom('comment').where('review_id', '=', reviewId).where('type', '=', 'dismiss_review'))

export const findNewestVerdict = (tx: Tx, issueId: IssueId, reviewerId: UserId): Promise<ReviewRow | undefined> =>
  tx
    .selectFrom('review')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('reviewer_id', '=', reviewerId)
    .where('type', 'in', ['approve', 'reject'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** A requested reviewer: a person or a team. */
export type RequestedReviewer = { readonly userId: UserId } | { readonly teamId: TeamId }

/** Deletes a review request; false when it does not exist. */
export async function deleteRequest(tx: Tx, issueId: IssueId, reviewer: RequestedReviewer): Promise<boolean> {
  const query = tx.deleteFrom('review').where('issue_id', '=', issueId).where('type', '=', sql.lit('request'))
  return changesRow(
    'userId' in reviewer
      ? query.where('reviewer_id', '=', reviewer.userId)
      : query.where('reviewer_team_id', '=', reviewer.teamId),
  )
}

export async function deleteTeamRequests(tx: Tx, issueId: IssueId, teamIds: readonly TeamId[]): Promise<void> {
  if (teamIds.length === 0) return
  await tx
    .deleteFrom('review')
    .where('issue_id', '=', issueId)
    .where('type', '=', sql.lit('request'))
    .where('reviewer_team_id', 'in', teamIds)
    .execute()
}

/** Updates which reviews are stale after a push: those of another commit when the content changed. */
export async function markStale(tx: Tx, issueId: IssueId, head: Oid, isContentChanged: boolean): Promise<void> {
  const verdicts = tx
    .updateTable('review')
    .where('issue_id', '=', issueId)
    .where('type', 'in', ['approve', 'reject', 'comment'])
  if (isContentChanged) await verdicts.set({ is_stale: true }).where('commit_oid', '!=', head).execute()
  await verdicts.set({ is_stale: false }).where('commit_oid', '=', head).execute()
}

/** Returns the approvals that are not dismissed. */
export const listApprovals = (tx: Tx, issueId: IssueId): Promise<ReviewRow[]> =>
  tx
    .selectFrom('review')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('type', '=', 'approve')
    .where('is_dismissed', '=', false)
    .orderBy('id')
    .execute()

/** Returns the official reviews and requests that are not dismissed. */
export const listOfficial = (db: Db, issueId: IssueId): Promise<ReviewRow[]> =>
  db
    .selectFrom('review')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('is_official', '=', true)
    .where('is_dismissed', '=', false)
    .orderBy('id')
    .execute()

/** Returns the issues of pull requests whose head is another commit than that of the newest review by an account. */
export async function listReviewedBefore(
  db: Db,
  userId: UserId,
  issueIds: readonly IssueId[],
): Promise<ReadonlySet<IssueId>> {
  if (issueIds.length === 0) return new Set()
  const newest = db
    .selectFrom('review')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('reviewer_id', '=', userId)
    .where('issue_id', 'in', issueIds)
    .where('type', 'in', ['approve', 'reject', 'comment'])
    .where('commit_oid', '!=', '')
    .groupBy('issue_id')
  const rows = await db
    .selectFrom('review')
    .innerJoin('pull', 'pull.issue_id', 'review.issue_id')
    .select('review.issue_id')
    .where('review.id', 'in', newest)
    .whereRef('review.commit_oid', '!=', 'pull.synced_oid')
    .execute()
  return new Set(rows.map((row) => row.issue_id))
}

/** Returns the timeline entries of reviews, oldest first. */
export const listReviewEntries = (
  db: Db | Tx,
  reviewIds: readonly ReviewId[],
): Promise<Pick<CommentRow, 'id' | 'review_id'>[]> =>
  reviewIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('comment')
        .select(['id', 'review_id'])
        .where('review_id', 'in', reviewIds)
        .where('type', '=', 'review')
        .orderBy('id')
        .execute()

/** Returns the number of line comments of each review. */
export async function countCodeComments(db: Db, reviewIds: readonly ReviewId[]): Promise<ReadonlyMap<number, number>> {
  if (reviewIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('comment')
    .select(['review_id', (each) => each.fn.countAll<number>().as('count')])
    .where('review_id', 'in', reviewIds)
    .where('type', '=', 'code')
    .groupBy('review_id')
    .execute()
  return new Map(rows.map((row) => [row.review_id as number, row.count]))
}

export const listCodeComments = (db: Db | Tx, reviewId: ReviewId): Promise<CommentRow[]> =>
  db
    .selectFrom('comment')
    .selectAll()
    .where('review_id', '=', reviewId)
    .where('type', '=', 'code')
    .orderBy('id')
    .execute()

/** Returns the reviews of a pull request that have an entry of the timeline after a position. */
export const listReviewIdsAfter = async (
  db: Db,
  issueId: IssueId,
  after: Pick<CommentRow, 'created_unix' | 'id'>,
): Promise<ReviewId[]> =>
  (
    await db
      .selectFrom('comment')
      .select('review_id')
      .distinct()
      .where('issue_id', '=', issueId)
      .where('type', '=', 'review')
      .where(sql<SqlBool>`(created_unix, id) > (${after.created_unix}, ${after.id})`)
      .execute()
  ).flatMap(({ review_id: id }) => (id === null ? [] : [id as ReviewId]))

/** Clears the text of a review's timeline entries; the entry of the submission takes their place. */
export const blankReviewEntries = (tx: Tx, reviewId: ReviewId) =>
  tx
    .updateTable('comment')
    .set({ content: '' })
    .where('review_id', '=', reviewId)
    .where('type', '=', 'review')
    .execute()

export const listReviewCommentIds = async (tx: Tx, reviewId: ReviewId): Promise<CommentId[]> =>
  (
    await tx
      .selectFrom('comment')
      .select('id')
      .where('review_id', '=', reviewId)
      .where('type', 'in', ['review', 'code'])
      .execute()
  ).map((row) => row.id)

/** Deletes the timeline entries and line comments of a review and returns the number of timeline entries. */
export const deleteReviewComments = async (tx: Tx, reviewId: ReviewId): Promise<number> => {
  const rows = await tx
    .deleteFrom('comment')
    .where('review_id', '=', reviewId)
    .where('type', 'in', ['review', 'code'])
    .returning('type')
    .execute()
  return rows.filter((row) => row.type === 'review').length
}

export const deleteComment = (tx: Tx, id: CommentId): Promise<boolean> =>
  changesRow(tx.deleteFrom('comment').where('id', '=', id))

export const addToReviewCount = (tx: Tx, pullId: PullId, difference: number) =>
  tx
    .updateTable('pull')
    .set({ num_reviews: sql`num_reviews + ${difference}` })
    .where('id', '=', pullId)
    .execute()

/** Recalculates the number of comments of an issue: plain comments and entries of reviews (contract, pulls: record). */
export const recountComments = (tx: Tx, issueId: IssueId, updatedUnix: Unix) =>
  tx
    .updateTable('issue')
    .set((set) => ({
      updated_unix: updatedUnix,
      num_comments: set
        .selectFrom('comment')
        .select((each) => each.fn.countAll<number>().as('count'))
        .whereRef('comment.issue_id', '=', 'issue.id')
        .where('comment.type', 'in', ['comment', 'review']),
    }))
    .where('id', '=', issueId)
    .execute()

/** Returns reviews of an account in each repository with ids above `after`, in ascending order. */
export const listReviewsBy = (
  db: Db,
  reviewerId: UserId,
  after: ReviewId | undefined,
  limit: number,
): Promise<ReviewRow[]> =>
  db
    .selectFrom('review')
    .selectAll()
    .where('reviewer_id', '=', reviewerId)
    .where('id', '>', after ?? (0 as ReviewId))
    .orderBy('id')
    .limit(limit)
    .execute()

/** The line comments of a pull request that a viewer may see: those of pending reviews only if they are the viewer's own. */
export interface VisibleComments {
  readonly issueId: IssueId
  readonly viewerId: UserId | undefined
  /** Whether the viewer also sees pending reviews of others. */
  readonly seesPending: boolean
}

const visibleCodeComments = (db: Db, { issueId, viewerId, seesPending }: VisibleComments) => {
  const all = db
    .selectFrom('comment')
    .innerJoin('review', 'review.id', 'comment.review_id')
    .where('comment.issue_id', '=', issueId)
    .where('comment.type', '=', 'code')
  if (seesPending) return all
  return all.where((where) =>
    where.or([
      where('review.type', '!=', 'pending'),
      ...(viewerId === undefined ? [] : [where('review.reviewer_id', '=', viewerId)]),
    ]),
  )
}

/** Returns one page of the visible line comments of a pull request, oldest first. */
export const listVisibleCodeComments = (db: Db, filter: VisibleComments, page: Page): Promise<CommentRow[]> =>
  visibleCodeComments(db, filter)
    .selectAll('comment')
    .orderBy('comment.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countVisibleCodeComments = (db: Db, filter: VisibleComments): Promise<number> =>
  countRows(visibleCodeComments(db, filter))

/** Returns reviews by their ids. */
export async function loadReviews(db: Db, ids: readonly ReviewId[]): Promise<ReadonlyMap<number, ReviewRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('review').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns line comments of a pull request, oldest first. */
export const listLineComments = (db: Db, issueId: IssueId, limit: number): Promise<CommentRow[]> =>
  db
    .selectFrom('comment')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('type', '=', 'code')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Sets who has resolved line comments; null opens them again. */
export const setResolver = (tx: Tx, ids: readonly CommentId[], resolverId: UserId | null) =>
  tx.updateTable('comment').set({ resolver_id: resolverId }).where('id', 'in', ids).execute()
