import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { mergeBaseOf } from '../pull.rules.ts'
import { isUniqueViolation, transaction, type Tx } from '../../db/database.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { PullRow, ReviewRow, ReviewType } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import { claimFilesOfComments, claimShownFiles } from '../../issues/attachments/shown-files.service.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { insertTimelineEntries, insertTimelineEntry, type NewTimelineEntry } from '../../issues/timeline-entry.store.ts'
import { factsOfComment } from '../../issues/issue-change.service.ts'
import { mayComment, mayEditComment } from '../../issues/issue.policy.ts'
import { attributionNow, isBlockedFrom } from '../../issues/issue.service.ts'
import { insertMentions, touchIssues } from '../../issues/issue.store.ts'
import { findMentioned, namedByComment } from '../../issues/references/reference.service.ts'
import { Forbidden, Invalid, NotFound } from '../../lib/errors.ts'
import type { Oid, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { must } from '../../lib/verdict.ts'
import { teamIdsOf } from '../../access/user-rights.service.ts'
import { codeComment, ofReview, type CodeCommentInput } from './code-comment.service.ts'
import { followNewLines } from './follow-lines.job.ts'
import { factsOf } from '../pull-sync.service.ts'
import { upToDate } from '../pull-check.service.ts'
import type { PullPair } from '../pull.store.ts'
import { isOfficialFor, ruleFor } from './review-request.service.ts'
import { removeLineComment, removeReview } from './review-removal.service.ts'
import { isVerdict } from './review.rules.ts'
import {
  addToReviewCount,
  blankReviewEntries,
  countReviews,
  deleteRequest,
  deleteTeamRequests,
  findPendingReview,
  findReview,
  hadCommit,
  insertReview,
  listCodeComments,
  listReviews,
  countVisibleCodeComments,
  listVisibleCodeComments,
  loadReviews,
  recountComments,
  supersedeVerdicts,
  updateReview,
} from './review.store.ts'
import { wordTable } from '../../lib/word-table.ts'

const noReview = () => new NotFound('the review does not exist', 'review_not_found')

/** Only its author and administrators of the instance see a pending review. */
export const maySeeReview = (ctx: Pick<RepoCtx, 'viewer'>, review: ReviewRow): boolean =>
  review.type !== 'pending' || review.reviewer_id === ctx.viewer?.id || (ctx.viewer?.isAdmin ?? false)

/** Returns a review. @throws NotFound when it does not exist or the viewer may not see it */
export async function getReview(ctx: RepoCtx, { issue }: PullPair, id: number): Promise<ReviewRow> {
  const review = await findReview(ctx.db, issue.id, id as ReviewId)
  if (!review || !maySeeReview(ctx, review)) throw noReview()
  return review
}

/** Returns one page of the visible reviews. The total includes all pending reviews (contract). */
export async function getReviews(
  ctx: RepoCtx,
  { issue }: PullPair,
  page: Page,
): Promise<{ reviews: ReviewRow[]; total: number }> {
  const [reviews, total] = await rowsAndTotal(page, listReviews(ctx.db, issue.id, page), countReviews(ctx.db, issue.id))
  return { reviews: reviews.filter((review) => maySeeReview(ctx, review)), total }
}

const types = wordTable<ReviewType>({
  APPROVED: 'approve',
  REQUEST_CHANGES: 'reject',
  COMMENT: 'comment',
})

/** Returns the review type of an event word; an unknown or absent word means pending. */
const typeOf = (event: string | undefined): ReviewType => types[event ?? ''] ?? 'pending'

function checkReview(
  ctx: SignedInRepoCtx,
  { issue }: PullPair,
  type: ReviewType,
  body: string,
  hasComments: boolean,
): void {
  const isVerdict = type === 'approve' || type === 'reject'
  if (isVerdict && issue.poster_id === ctx.viewer.id) {
    throw new Invalid('you cannot approve or reject your own pull request', 'own_pull')
  }
  const needsBody = type === 'reject' || type === 'pending' || (type === 'comment' && !hasComments)
  if (needsBody && body.trim() === '' && !(type === 'pending' && hasComments)) {
    throw new Invalid('[body]: a review of this kind needs a text', 'review_body_required', { field: 'body' })
  }
}

async function mustBeAllowedToComment(ctx: SignedInRepoCtx, { issue }: PullPair): Promise<void> {
  must(mayComment(ctx.viewer, ctx.rights, issue, await isBlockedFrom(ctx, issue)))
}

/**
 * Returns the commit to review, and whether the head holds other content. An absent or empty commit is the head.
 * @throws Invalid when the commit is not the pull request's: a review must not lead to a commit of a fork or of another
 * pull request, whose objects are in the same repository
 */
async function reviewedCommit(
  ctx: SignedInRepoCtx,
  pull: PullRow,
  given: string | undefined,
): Promise<{ oid: Oid; isStale: boolean }> {
  const { git, repo } = ctx
  const head = pull.synced_oid
  if (!given || given === head) return { oid: head, isStale: false }
  const found = /^[0-9a-f]{7,64}$/.test(given) ? await git.resolve(repo.git_key, given) : undefined
  const oid = found?.commit
  if (oid === undefined || !(await isCommitOf(ctx, pull, oid))) {
    throw new Invalid('[commit_id]: is not a commit of the pull request', 'commit_unknown', { field: 'commit_id' })
  }
  if (oid === head) return { oid, isStale: false }
  const base = mergeBaseOf(pull)
  if (base === undefined) return { oid, isStale: true }
  const [before, now] = await Promise.all([git.patchId(repo.git_key, base, oid), git.patchId(repo.git_key, base, head)])
  return { oid, isStale: before !== now }
}

/** Returns whether the pull request holds a commit, or held it before its head was rewritten. */
async function isCommitOf({ db, git, repo }: SignedInRepoCtx, pull: PullRow, oid: Oid): Promise<boolean> {
  const base = mergeBaseOf(pull)
  if (await git.isAncestor(repo.git_key, oid, pull.synced_oid)) {
    return oid === pull.synced_oid || base === undefined || !(await git.isAncestor(repo.git_key, oid, base))
  }
  return hadCommit(db, pull.issue_id, oid)
}

export interface NewReview {
  readonly event?: string | undefined
  readonly body?: string | undefined
  readonly commitId: string | undefined
  readonly comments?: readonly CodeCommentInput[] | undefined
}

/** Most line comments of one request. */
const maxComments = 500

/**
 * Creates a review, submitted or pending. A pending review of the same account receives the new comments instead, and is
 * submitted when the new review is not pending. Source: contract (pulls: reviews).
 * @throws Invalid for a missing text and for a verdict on one's own pull request
 */
export async function createReview(ctx: SignedInRepoCtx, stored: PullPair, input: NewReview): Promise<ReviewRow> {
  const comments = input.comments ?? []
  if (comments.length > maxComments) {
    throw new Invalid(`a review has at most ${maxComments} comments at once`, 'too_many_comments')
  }
  const type = typeOf(input.event)
  const body = input.body ?? ''
  checkReview(ctx, stored, type, body, comments.length > 0)
  await mustBeAllowedToComment(ctx, stored)
  const pair = { ...stored, pull: await upToDate(ctx, stored.pull) }
  const commit = await reviewedCommit(ctx, pair.pull, input.commitId)
  const entries: NewTimelineEntry[] = []
  const diff = { pull: pair.pull, head: commit.oid, read: new Map<string, string>() }
  for (const comment of comments) entries.push(await codeComment(ctx, diff, comment))
  const authority = await reviewAuthorityOf(ctx, pair, type)
  const mentioned =
    type === 'pending' ? [] : await mentionedIn(ctx, pair, [body, ...comments.map((comment) => comment.body ?? '')])
  const by = attributionNow(ctx)
  const write = async (tx: Tx): Promise<ReviewRow> => {
    const pending = await findPendingReview(tx, pair.issue.id, ctx.viewer.id)
    const values = {
      type,
      content: body,
      commit_oid: commit.oid,
      is_stale: commit.isStale,
      is_official: authority.isOfficial,
      updated_unix: by.atUnix,
    }
    if (isVerdict(type)) await supersedeVerdicts(tx, pair.issue.id, ctx.viewer.id)
    const review = pending
      ? await updateReview(tx, pending.id, { ...values, created_unix: by.atUnix })
      : await insertReview(tx, {
          issue_id: pair.issue.id,
          reviewer_id: ctx.viewer.id,
          reviewer_team_id: null,
          created_unix: by.atUnix,
          ...values,
        })
    const written = await insertTimelineEntries(
      tx,
      by,
      entries.map((entry) => ({ ...ofReview(entry, review.id), issue_id: pair.issue.id })),
    )
    await claimFilesOfComments(tx, by.doerId, pair.issue, written)
    await followNewLines(tx, pair.pull.id, entries)
    const consequences = { teamIds: authority.teamIds, mentioned, hasComments: entries.length > 0 }
    await recordReview(tx, by, pair, review, consequences)
    return review
  }
  try {
    return await transaction(ctx.db, write)
  } catch (error) {
    // Another request has created the account's pending review; the second attempt joins that one.
    if (!isUniqueViolation(error)) throw error
    return transaction(ctx.db, write)
  }
}

/** Returns whether a review is official, and the teams whose requests it answers. */
async function reviewAuthorityOf(
  ctx: SignedInRepoCtx,
  { pull }: PullPair,
  type: ReviewType,
): Promise<{ isOfficial: boolean; teamIds: readonly TeamId[] }> {
  if (!isVerdict(type)) return { isOfficial: false, teamIds: [] }
  const [rule, teamIds] = await Promise.all([ruleFor(ctx, pull), teamIdsOf(ctx.db, ctx.owner, ctx.viewer.id)])
  return { isOfficial: await isOfficialFor(ctx, rule, ctx.viewer.user), teamIds: [...teamIds] }
}

/** Returns the accounts that the texts of a review and the comments of the viewer's pending review mention. */
async function mentionedIn(
  ctx: SignedInRepoCtx,
  { issue }: PullPair,
  texts: readonly string[],
): Promise<readonly UserId[]> {
  const pending = await findPendingReview(ctx.db, issue.id, ctx.viewer.id)
  const waiting = pending ? await listCodeComments(ctx.db, pending.id) : []
  const named = await namedByComment(ctx, ...texts, ...waiting.map((comment) => comment.content))
  return findMentioned(ctx, issue, named)
}

interface ReviewConsequences {
  /** Teams whose requests the review answers. */
  readonly teamIds: readonly TeamId[]
  readonly mentioned: readonly UserId[]
  readonly hasComments: boolean
}

/**
 * Adds the timeline entry of a review. A review that is not pending also deletes the requests that it answers, records
 * mentions and publishes `review.submitted`.
 */
async function recordReview(
  tx: Tx,
  by: Attribution,
  { pull, issue }: PullPair,
  review: ReviewRow,
  { teamIds, mentioned, hasComments }: ReviewConsequences,
): Promise<void> {
  await blankReviewEntries(tx, review.id)
  const entry = { type: 'review', content: review.content, review_id: review.id } as const
  await claimShownFiles(tx, by.doerId, issue, await insertTimelineEntry(tx, by, issue.id, entry))
  await addToReviewCount(tx, pull.id, 1)
  if (review.type === 'pending' || review.type === 'request') return
  await deleteRequest(tx, issue.id, { userId: by.doerId })
  await deleteTeamRequests(tx, issue.id, teamIds)
  if (hasComments) await recountComments(tx, issue.id, by.atUnix)
  else await touchIssues(tx, [issue.id], by.atUnix)
  await insertMentions(tx, issue.id, mentioned)
  const about = { ...factsOf(pull, by.doerId), reviewId: review.id, type: review.type }
  await publish(tx, 'review.submitted', { ...about, mentioned: [...mentioned] })
}

/** Submits a pending review. @throws Invalid when the review is not pending, or when the event would keep it pending */
export async function submitReview(
  ctx: SignedInRepoCtx,
  stored: PullPair,
  review: ReviewRow,
  input: { readonly event?: string | undefined; readonly body?: string | undefined },
): Promise<ReviewRow> {
  if (review.type !== 'pending') throw new Invalid('only a pending review can be submitted', 'review_not_pending')
  if (review.reviewer_id !== ctx.viewer.id) {
    throw new Forbidden('only its author can submit a review', 'review_of_another')
  }
  const type = typeOf(input.event)
  if (type === 'pending') {
    throw new Invalid('[event]: the review is already pending', 'review_pending', { field: 'event' })
  }
  const body = input.body ?? ''
  checkReview(ctx, stored, type, body, true)
  if (type === 'reject' && body.trim() === '') {
    throw new Invalid('[body]: a review of this kind needs a text', 'review_body_required', { field: 'body' })
  }
  await mustBeAllowedToComment(ctx, stored)
  const pair = { ...stored, pull: await upToDate(ctx, stored.pull) }
  const authority = await reviewAuthorityOf(ctx, pair, type)
  const mentioned = await mentionedIn(ctx, pair, [body])
  const by = attributionNow(ctx)
  return transaction(ctx.db, async (tx) => {
    const held = await findPendingReview(tx, pair.issue.id, ctx.viewer.id)
    if (held?.id !== review.id) throw new Invalid('only a pending review can be submitted', 'review_not_pending')
    if (isVerdict(type)) await supersedeVerdicts(tx, pair.issue.id, ctx.viewer.id)
    const submitted = await updateReview(tx, review.id, {
      type,
      content: body,
      commit_oid: pair.pull.synced_oid,
      is_stale: false,
      is_official: authority.isOfficial,
      created_unix: by.atUnix,
      updated_unix: by.atUnix,
    })
    await recordReview(tx, by, pair, submitted, { teamIds: authority.teamIds, mentioned, hasComments: true })
    return submitted
  })
}

/** Deletes a review with its comments. @throws Forbidden unless the caller is its author or administers the instance */
export async function deleteReview(ctx: SignedInRepoCtx, { pull }: PullPair, review: ReviewRow): Promise<void> {
  if (review.reviewer_id !== ctx.viewer.id && !ctx.viewer.isAdmin) {
    throw new Forbidden('only the reviewer may delete a review', 'review_of_another')
  }
  await transaction(ctx.db, async (tx) => {
    if (!(await removeReview(tx, attributionNow(ctx), pull, review))) throw noReview()
  })
}

/**
 * Checks whether the caller may dismiss a review or undo its dismissal.
 * @throws Forbidden unless the caller administers the repository, the review is a verdict and the pull request is open
 */
function refuseDismissal(ctx: SignedInRepoCtx, { pull, issue }: PullPair, review: ReviewRow): void {
  if (!ctx.rights.isAdmin) {
    throw new Forbidden('only administrators of the repository may dismiss reviews', 'repo_admin_only')
  }
  if (!isVerdict(review.type)) {
    throw new Forbidden('only approvals and rejections can be dismissed', 'review_no_verdict')
  }
  if (pull.is_merged || issue.is_closed) throw new Forbidden('the pull request is closed', 'pull_closed')
}

export async function dismissReview(
  ctx: SignedInRepoCtx,
  pair: PullPair,
  review: ReviewRow,
  input: { readonly message?: string | undefined; readonly priors?: boolean | undefined },
): Promise<ReviewRow> {
  refuseDismissal(ctx, pair, review)
  const by = attributionNow(ctx)
  return transaction(ctx.db, async (tx) => {
    if (input.priors) {
      const all = await listReviews(tx, pair.issue.id)
      const others = all.filter(
        (each) => each.reviewer_id === review.reviewer_id && each.id !== review.id && isVerdict(each.type),
      )
      for (const other of others) await updateReview(tx, other.id, { is_dismissed: true, updated_unix: by.atUnix })
    }
    const dismissed = await updateReview(tx, review.id, { is_dismissed: true, updated_unix: by.atUnix })
    const entry = await insertTimelineEntry(tx, by, pair.issue.id, {
      type: 'dismiss_review',
      content: input.message ?? '',
      review_id: review.id,
    })
    await touchIssues(tx, [pair.issue.id], by.atUnix)
    await publish(tx, 'review.dismissed', {
      ...factsOf(pair.pull, by.doerId),
      reviewId: review.id,
      reviewerId: review.reviewer_id ?? (0 as UserId),
      commentId: entry.id,
    })
    return dismissed
  })
}

export async function undismissReview(ctx: SignedInRepoCtx, pair: PullPair, review: ReviewRow): Promise<ReviewRow> {
  refuseDismissal(ctx, pair, review)
  const by = attributionNow(ctx)
  return transaction(ctx.db, (tx) => updateReview(tx, review.id, { is_dismissed: false, updated_unix: by.atUnix }))
}

/** Returns the line comments of a review, oldest first. */
export const getCodeComments = (ctx: Pick<RepoCtx, 'db'>, review: ReviewRow): Promise<CommentRow[]> =>
  listCodeComments(ctx.db, review.id)

/**
 * Returns one page of the line comments of all reviews that the viewer may see, oldest first, with the reviews of the page
 * by their ids.
 */
export async function pageOfCodeComments(
  { db, viewer }: Pick<RepoCtx, 'db' | 'viewer'>,
  { issue }: PullPair,
  page: Page,
): Promise<{ rows: CommentRow[]; reviews: ReadonlyMap<number, ReviewRow>; total: number }> {
  const filter = { issueId: issue.id, viewerId: viewer?.id, seesPending: viewer?.isAdmin ?? false }
  const [rows, total] = await rowsAndTotal(
    page,
    listVisibleCodeComments(db, filter, page),
    countVisibleCodeComments(db, filter),
  )
  const ids = [...new Set(rows.flatMap(({ review_id: id }) => (id === null ? [] : [id as ReviewId])))]
  return { rows, reviews: await loadReviews(db, ids), total }
}

/** Adds a line comment to an existing review. */
export async function addCodeComment(
  ctx: SignedInRepoCtx,
  stored: PullPair,
  review: ReviewRow,
  input: CodeCommentInput,
): Promise<CommentRow> {
  await mustBeAllowedToComment(ctx, stored)
  const pair = { ...stored, pull: await upToDate(ctx, stored.pull) }
  const head = review.commit_oid === '' ? pair.pull.synced_oid : review.commit_oid
  const entry = await codeComment(ctx, { pull: pair.pull, head, read: new Map() }, input)
  const mentioned = await findMentioned(ctx, pair.issue, await namedByComment(ctx, input.body ?? ''))
  const by = attributionNow(ctx)
  return transaction(ctx.db, async (tx) => {
    const comment = await insertTimelineEntry(tx, by, pair.issue.id, ofReview(entry, review.id))
    await claimShownFiles(tx, by.doerId, pair.issue, comment)
    await followNewLines(tx, pair.pull.id, [entry])
    // The events of a pending review follow when it is submitted.
    if (review.type === 'pending') return comment
    await recountComments(tx, pair.issue.id, by.atUnix)
    await insertMentions(tx, pair.issue.id, mentioned)
    await publish(tx, 'issue.commented', { ...factsOfComment(pair.issue, comment, by), mentioned })
    return comment
  })
}

/** Deletes a line comment. @throws Forbidden unless the caller is its author or may manage the pull request */
export async function removeCodeComment(
  ctx: SignedInRepoCtx,
  { issue }: PullPair,
  review: ReviewRow | undefined,
  comment: CommentRow,
): Promise<void> {
  must(mayEditComment(ctx.viewer, ctx.rights, issue, comment))
  await transaction(ctx.db, async (tx) => {
    const isGone = await removeLineComment(tx, attributionNow(ctx), issue, comment, {
      isPending: review?.type === 'pending',
    })
    if (!isGone) throw new NotFound('the comment does not exist', 'comment_not_found')
  })
}
