import { Type, type Static } from 'typebox'
import { dateTime, nullable, object, requestObject } from '../http/schema.ts'
import { User } from '../users/user.schemas.ts'
import { Attachment } from '../attachments/attachment.schemas.ts'
import { Label } from './labels/label.schemas.ts'
import { Milestone, StateType } from './milestones/milestone.schemas.ts'

export const PullRequestMeta = object('PullRequestMeta', {
  merged: Type.Boolean(),
  merged_at: nullable(dateTime()),
  draft: Type.Boolean(),
  html_url: Type.String(),
})
export type PullRequestMeta = Static<typeof PullRequestMeta>

export const RepositoryMeta = object('RepositoryMeta', {
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.String(),
  full_name: Type.String(),
})
export type RepositoryMeta = Static<typeof RepositoryMeta>

export const Issue = object('Issue', {
  id: Type.Integer(),
  url: Type.String(),
  html_url: Type.String(),
  number: Type.Integer(),
  user: nullable(User),
  original_author: Type.String(),
  original_author_id: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  ref: Type.String(),
  assets: nullable(Type.Array(Attachment)),
  labels: nullable(Type.Array(Label)),
  milestone: nullable(Milestone),
  assignee: nullable(User), // deprecated
  assignees: nullable(Type.Array(User)),
  state: StateType,
  is_locked: Type.Boolean(),
  comments: Type.Integer(),
  created_at: dateTime(),
  updated_at: dateTime(),
  closed_at: nullable(dateTime()),
  due_date: nullable(dateTime()),
  pull_request: nullable(PullRequestMeta),
  repository: nullable(RepositoryMeta),
  pin_order: Type.Integer(),
})
export type Issue = Static<typeof Issue>

export const CreateIssueOption = requestObject('CreateIssueOption', {
  title: Type.String({ minLength: 1 }),
  body: Type.Optional(Type.String()),
  ref: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()), // deprecated
  assignees: Type.Optional(Type.Array(Type.String())),
  due_date: Type.Optional(dateTime()),
  milestone: Type.Optional(Type.Integer()),
  labels: Type.Optional(Type.Array(Type.Integer())),
  closed: Type.Optional(Type.Boolean()),
})
export type CreateIssueOption = Static<typeof CreateIssueOption>

export const EditIssueOption = requestObject('EditIssueOption', {
  title: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  ref: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()), // deprecated
  assignees: Type.Optional(Type.Array(Type.String())),
  milestone: Type.Optional(Type.Integer()),
  state: Type.Optional(Type.String()),
  due_date: Type.Optional(dateTime()),
  unset_due_date: Type.Optional(Type.Boolean()),
  updated_at: Type.Optional(dateTime()),
})
export type EditIssueOption = Static<typeof EditIssueOption>

export const EditDeadlineOption = requestObject('EditDeadlineOption', {
  due_date: Type.Optional(dateTime()), // absent removes it
})
export type EditDeadlineOption = Static<typeof EditDeadlineOption>

export const IssueDeadline = object('IssueDeadline', { due_date: nullable(dateTime()) })
export type IssueDeadline = Static<typeof IssueDeadline>

export const IssueMeta = requestObject('IssueMeta', {
  index: Type.Optional(Type.Integer()),
  owner: Type.Optional(Type.String()),
  repo: Type.Optional(Type.String()),
})
export type IssueMeta = Static<typeof IssueMeta>

export const NewIssuePinsAllowed = object('NewIssuePinsAllowed', {
  issues: Type.Boolean(),
  pull_requests: Type.Boolean(),
})
export type NewIssuePinsAllowed = Static<typeof NewIssuePinsAllowed>

export const IssueWatchInfo = object('WatchInfo', {
  subscribed: Type.Boolean(),
  ignored: Type.Boolean(),
  reason: Type.Unknown(),
  created_at: dateTime(),
  url: Type.String(),
  repository_url: Type.String(),
})
export type IssueWatchInfo = Static<typeof IssueWatchInfo>
