import { Type } from 'typebox'
import { canRead, gitRepo, inRepo, pullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { getStoredPull } from '../pull.service.ts'
import { askForReviews, withdrawRequests } from './review-request.service.ts'
import {
  presentCodeComments,
  presentReview,
  presentReviewComment,
  presentReviewComments,
  presentReviews,
} from './review.present.ts'
import { codeCommentInRepo, type CodeCommentCtx } from './review.requirements.ts'
import {
  CreatePullReviewCommentOptions,
  CreatePullReviewOptions,
  DismissPullReviewOptions,
  PullReview,
  PullReviewComment,
  PullReviewRequestOptions,
  SubmitPullReviewOptions,
} from './review.schemas.ts'
import {
  addCodeComment,
  createReview,
  deleteReview,
  dismissReview,
  getCodeComments,
  getReview,
  getReviews,
  pageOfCodeComments,
  removeCodeComment,
  submitReview,
  undismissReview,
} from './review.service.ts'

/** A line comment; the line number refers to the old or to the new side. */
const codeCommentOf = ({ old_position: oldLine, new_position: newLine, ...rest }: CreatePullReviewCommentOptions) => ({
  ...rest,
  oldLine,
  newLine,
})

const readable = [inRepo, pullsEnabled, canRead('code'), gitRepo] as const

export const repoListPullReviews = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: Type.Array(PullReview) },
  summary: 'List the reviews of a pull request',
  async run({ ctx, params, query }) {
    const pair = await getStoredPull(ctx, params.index)
    const page = pageOf(query, ctx.config.api)
    const { reviews, total } = await getReviews(ctx, pair, page)
    return paged(await presentReviews(ctx, pair, reviews), page, total, { link: false })
  },
})

export const repoCreatePullReview = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews',
  cost: 'expensive',
  params: { index: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: CreatePullReviewOptions,
  reply: { 200: PullReview },
  summary: 'Create a review',
  async run({ ctx, params, body }) {
    const pair = await getStoredPull(ctx, params.index)
    const input = { ...body, commitId: body.commit_id, comments: body.comments?.map(codeCommentOf) }
    return ok(await presentReview(ctx, pair, await createReview(ctx, pair, input)))
  },
})

export const repoGetPullReview = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: PullReview },
  summary: 'Get a review',
  async run({ ctx, params }) {
    const pair = await getStoredPull(ctx, params.index)
    return ok(await presentReview(ctx, pair, await getReview(ctx, pair, params.id)))
  },
})

export const repoSubmitPullReview = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}',
  cost: 'expensive',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: SubmitPullReviewOptions,
  reply: { 200: PullReview },
  summary: 'Submit a pending review',
  async run({ ctx, params, body }) {
    const pair = await getStoredPull(ctx, params.index)
    const review = await submitReview(ctx, pair, await getReview(ctx, pair, params.id), body)
    return ok(await presentReview(ctx, pair, review))
  },
})

export const repoDeletePullReview = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete a review',
  async run({ ctx, params }) {
    const pair = await getStoredPull(ctx, params.index)
    await deleteReview(ctx, pair, await getReview(ctx, pair, params.id))
  },
})

export const repoDismissPullReview = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/dismissals',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: DismissPullReviewOptions,
  reply: { 200: PullReview },
  summary: 'Dismiss a review',
  async run({ ctx, params, body }) {
    const pair = await getStoredPull(ctx, params.index)
    const review = await dismissReview(ctx, pair, await getReview(ctx, pair, params.id), body)
    return ok(await presentReview(ctx, pair, review))
  },
})

export const repoUnDismissPullReview = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/undismissals',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn],
  reply: { 200: PullReview },
  summary: 'Withdraw the dismissal of a review',
  async run({ ctx, params }) {
    const pair = await getStoredPull(ctx, params.index)
    const review = await undismissReview(ctx, pair, await getReview(ctx, pair, params.id))
    return ok(await presentReview(ctx, pair, review))
  },
})

export const repoGetPullReviewComments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/comments',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: Type.Array(PullReviewComment) },
  summary: 'List the comments of a review',
  async run({ ctx, params }) {
    const pair = await getStoredPull(ctx, params.index)
    const review = await getReview(ctx, pair, params.id)
    return ok(await presentReviewComments(ctx, pair, review, await getCodeComments(ctx, review)))
  },
})

/** The address of Gitea 1.27 for the comments of all reviews. */
export const repoGetPullRequestComments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/comments',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  requires: readable,
  query: pageQuery,
  reply: { 200: Type.Array(PullReviewComment) },
  summary: 'List the comments of all reviews of a pull request',
  async run({ ctx, params, query }) {
    const pair = await getStoredPull(ctx, params.index)
    const page = pageOf(query, ctx.config.api)
    const { rows, reviews, total } = await pageOfCodeComments(ctx, pair, page)
    return paged(await presentCodeComments(ctx, pair, reviews, rows), page, total)
  },
})

export const repoCreatePullReviewComment = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/comments',
  cost: 'expensive',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: CreatePullReviewCommentOptions,
  reply: { 200: PullReviewComment },
  summary: 'Add a comment to a review',
  async run({ ctx, params, body }) {
    const pair = await getStoredPull(ctx, params.index)
    const review = await getReview(ctx, pair, params.id)
    return ok(
      await presentReviewComment(ctx, pair, review, await addCodeComment(ctx, pair, review, codeCommentOf(body))),
    )
  },
})

/** Returns the review that the path names. @throws NotFound when the comment belongs to another review */
async function reviewOf(ctx: CodeCommentCtx, index: number, id: number) {
  const pair = await getStoredPull(ctx, index)
  const review = await getReview(ctx, pair, id)
  if (ctx.comment.issue_id !== pair.issue.id || ctx.comment.review_id !== review.id) {
    throw new NotFound('the comment does not exist', 'comment_not_found')
  }
  return { pair, review }
}

export const repoGetPullReviewComment = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/comments/{comment}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, codeCommentInRepo],
  reply: { 200: PullReviewComment },
  summary: 'Get a comment of a review',
  async run({ ctx, params }) {
    const { pair, review } = await reviewOf(ctx, params.index, params.id)
    return ok(await presentReviewComment(ctx, pair, review, ctx.comment))
  },
})

export const repoDeletePullReviewComment = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/pulls/{index}/reviews/{id}/comments/{comment}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'repository',
  requires: [...readable, codeCommentInRepo, signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete a comment of a review',
  async run({ ctx, params }) {
    const { pair, review } = await reviewOf(ctx, params.index, params.id)
    await removeCodeComment(ctx, pair, review, ctx.comment)
  },
})

export const repoCreatePullReviewRequests = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls/{index}/requested_reviewers',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: PullReviewRequestOptions,
  reply: { 201: Type.Array(PullReview) },
  summary: 'Request reviews',
  async run({ ctx, params, body }) {
    const pair = await getStoredPull(ctx, params.index)
    return created(
      await presentReviews(
        ctx,
        pair,
        await askForReviews(ctx, pair, { reviewers: body.reviewers, teams: body.team_reviewers }),
      ),
    )
  },
})

export const repoDeletePullReviewRequests = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/pulls/{index}/requested_reviewers',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  requires: [...readable, signedIn, validBody],
  body: PullReviewRequestOptions,
  reply: { 204: 'empty' },
  summary: 'Withdraw requests for reviews',
  async run({ ctx, params, body }) {
    const input = { reviewers: body.reviewers, teams: body.team_reviewers }
    await withdrawRequests(ctx, await getStoredPull(ctx, params.index), input)
  },
})
