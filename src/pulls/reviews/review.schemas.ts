import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, requestObject } from '../../http/schema.ts'
import { Team } from '../../orgs/team.schemas.ts'
import { User } from '../../users/user.schemas.ts'

export const ReviewStateType = enumeration('APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW', '')
export type ReviewStateType = Static<typeof ReviewStateType>

export const PullReview = object('PullReview', {
  id: Type.Integer(),
  user: nullable(User),
  team: nullable(Team),
  state: ReviewStateType,
  body: Type.String(),
  commit_id: Type.String(),
  stale: Type.Boolean(),
  official: Type.Boolean(),
  dismissed: Type.Boolean(),
  comments_count: Type.Integer(),
  submitted_at: dateTime(),
  updated_at: dateTime(),
  html_url: Type.String(),
  pull_request_url: Type.String(),
})
export type PullReview = Static<typeof PullReview>

export const PullReviewComment = object('PullReviewComment', {
  id: Type.Integer(),
  body: Type.String(),
  user: nullable(User),
  resolver: nullable(User),
  pull_request_review_id: Type.Integer(),
  created_at: dateTime(),
  updated_at: dateTime(),
  path: Type.String(),
  commit_id: Type.String(),
  original_commit_id: Type.String(),
  diff_hunk: Type.String(),
  position: Type.Integer(),
  original_position: Type.Integer(),
  html_url: Type.String(),
  pull_request_url: Type.String(),
})
export type PullReviewComment = Static<typeof PullReviewComment>

const codeComment = {
  path: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  old_position: Type.Optional(Type.Integer()),
  new_position: Type.Optional(Type.Integer()),
}

const CreatePullReviewComment = requestObject('CreatePullReviewComment', codeComment)

export const CreatePullReviewCommentOptions = requestObject('CreatePullReviewCommentOptions', codeComment)
export type CreatePullReviewCommentOptions = Static<typeof CreatePullReviewCommentOptions>

/** Accepts any text; an unknown event creates a pending review (contract). */
const event = Type.Optional(Type.String())

export const CreatePullReviewOptions = requestObject('CreatePullReviewOptions', {
  event,
  body: Type.Optional(Type.String()),
  commit_id: Type.Optional(Type.String()),
  comments: Type.Optional(Type.Array(CreatePullReviewComment)),
})
export type CreatePullReviewOptions = Static<typeof CreatePullReviewOptions>

export const SubmitPullReviewOptions = requestObject('SubmitPullReviewOptions', {
  event,
  body: Type.Optional(Type.String()),
})
export type SubmitPullReviewOptions = Static<typeof SubmitPullReviewOptions>

export const DismissPullReviewOptions = requestObject('DismissPullReviewOptions', {
  message: Type.Optional(Type.String()),
  priors: Type.Optional(Type.Boolean()),
})
export type DismissPullReviewOptions = Static<typeof DismissPullReviewOptions>

export const PullReviewRequestOptions = requestObject('PullReviewRequestOptions', {
  reviewers: Type.Optional(Type.Array(Type.String())),
  team_reviewers: Type.Optional(Type.Array(Type.String())),
})
export type PullReviewRequestOptions = Static<typeof PullReviewRequestOptions>
