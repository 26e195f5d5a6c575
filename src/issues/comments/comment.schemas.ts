import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, reference, requestObject } from '../../http/schema.ts'
import { User } from '../../users/user.schemas.ts'
import { Attachment } from '../../attachments/attachment.schemas.ts'
import { Issue } from '../issue.schemas.ts'
import { Label } from '../labels/label.schemas.ts'
import { Milestone } from '../milestones/milestone.schemas.ts'
import { TrackedTime } from '../time/time.schemas.ts'

export const Comment = object('Comment', {
  id: Type.Integer(),
  html_url: Type.String(),
  pull_request_url: Type.String(),
  issue_url: Type.String(),
  user: nullable(User),
  original_author: Type.String(),
  original_author_id: Type.Integer(),
  body: Type.String(),
  assets: nullable(Type.Array(Attachment)),
  created_at: dateTime(),
  updated_at: dateTime(),
})
export type Comment = Static<typeof Comment>

export const TimelineComment = object('TimelineComment', {
  id: Type.Integer(),
  type: Type.String(),
  html_url: Type.String(),
  pull_request_url: Type.String(),
  issue_url: Type.String(),
  user: nullable(User),
  body: Type.String(),
  created_at: dateTime(),
  updated_at: dateTime(),
  old_project_id: Type.Integer(),
  project_id: Type.Integer(),
  old_milestone: nullable(Milestone),
  milestone: nullable(Milestone),
  tracked_time: nullable(TrackedTime),
  old_title: Type.String(),
  new_title: Type.String(),
  old_ref: Type.String(),
  new_ref: Type.String(),
  ref_issue: nullable(Issue),
  ref_comment: nullable(Comment),
  ref_action: Type.String(),
  ref_commit_sha: Type.String(),
  review_id: Type.Integer(),
  label: nullable(Label),
  assignee: nullable(User),
  assignee_team: nullable(reference('Team')),
  removed_assignee: Type.Boolean(),
  resolve_doer: nullable(User),
  dependent_issue: nullable(Issue),
})
export type TimelineComment = Static<typeof TimelineComment>

export const CreateIssueCommentOption = requestObject('CreateIssueCommentOption', {
  body: Type.String({ minLength: 1 }),
  updated_at: Type.Optional(dateTime()),
})
export type CreateIssueCommentOption = Static<typeof CreateIssueCommentOption>

export const EditIssueCommentOption = requestObject('EditIssueCommentOption', {
  body: Type.String({ minLength: 1 }),
  updated_at: Type.Optional(dateTime()),
})
export type EditIssueCommentOption = Static<typeof EditIssueCommentOption>
