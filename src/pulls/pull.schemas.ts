import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object, requestObject, undescribed } from '../http/schema.ts'
import { Label } from '../issues/labels/label.schemas.ts'
import { Milestone, StateType } from '../issues/milestones/milestone.schemas.ts'
import { Team } from '../orgs/team.schemas.ts'
import { Repository } from '../repos/repo.schemas.ts'
import { User } from '../users/user.schemas.ts'
import { mergeStyles } from './merge/merge-style.ts'

export const PRBranchInfo = object('PRBranchInfo', {
  label: Type.String(),
  ref: Type.String(),
  sha: Type.String(),
  repo_id: Type.Integer(),
  repo: nullable(Repository),
})
export type PRBranchInfo = Static<typeof PRBranchInfo>

export const PullRequest = object('PullRequest', {
  id: Type.Integer(),
  url: Type.String(),
  number: Type.Integer(),
  user: nullable(User),
  title: Type.String(),
  body: Type.String(),
  labels: nullable(Type.Array(Label)),
  milestone: nullable(Milestone),
  assignee: nullable(User),
  assignees: nullable(Type.Array(User)),
  requested_reviewers: nullable(Type.Array(User)),
  requested_reviewers_teams: nullable(Type.Array(Team)),
  state: StateType,
  draft: Type.Boolean(),
  is_locked: Type.Boolean(),
  comments: Type.Integer(),
  review_comments: Type.Integer(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  changed_files: Type.Integer(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  mergeable: Type.Boolean(),
  merged: Type.Boolean(),
  merged_at: nullable(dateTime()),
  merge_commit_sha: nullable(Type.String()),
  merged_by: nullable(User),
  allow_maintainer_edit: Type.Boolean(),
  base: nullable(PRBranchInfo),
  head: nullable(PRBranchInfo),
  merge_base: Type.String(),
  due_date: nullable(dateTime()),
  created_at: nullable(dateTime()),
  updated_at: nullable(dateTime()),
  closed_at: nullable(dateTime()),
  pin_order: Type.Integer(),
  flow: Type.Integer(),
})
export type PullRequest = Static<typeof PullRequest>

export const CreatePullRequestOption = requestObject('CreatePullRequestOption', {
  head: Type.String({ minLength: 1 }),
  base: Type.String({ minLength: 1 }),
  title: Type.String({ minLength: 1 }),
  body: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()),
  assignees: Type.Optional(Type.Array(Type.String())),
  milestone: Type.Optional(Type.Integer()),
  labels: Type.Optional(Type.Array(Type.Integer())),
  due_date: Type.Optional(dateTime()),
})
export type CreatePullRequestOption = Static<typeof CreatePullRequestOption>

export const EditPullRequestOption = requestObject('EditPullRequestOption', {
  title: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  base: Type.Optional(Type.String()),
  assignee: Type.Optional(Type.String()),
  assignees: Type.Optional(Type.Array(Type.String())),
  milestone: Type.Optional(Type.Integer()),
  labels: Type.Optional(Type.Array(Type.Integer())),
  state: Type.Optional(Type.String()),
  due_date: Type.Optional(dateTime()),
  unset_due_date: Type.Optional(Type.Boolean()),
  allow_maintainer_edit: Type.Optional(Type.Boolean()),
})
export type EditPullRequestOption = Static<typeof EditPullRequestOption>

/**
 * Accepts each key in both spellings; the capitalized one takes precedence and is the described one, because both make the
 * same name in some languages. The handler validates the style.
 */
export const MergePullRequestOption = requestObject('MergePullRequestOption', {
  Do: Type.Optional(enumeration(...mergeStyles)),
  do: Type.Optional(
    Type.Unsafe<(typeof mergeStyles)[number]>({ type: 'string', enum: [...mergeStyles], ...undescribed }),
  ),
  MergeTitleField: Type.Optional(Type.String()),
  merge_title_field: Type.Optional(Type.String(undescribed)),
  MergeMessageField: Type.Optional(Type.String()),
  merge_message_field: Type.Optional(Type.String(undescribed)),
  MergeCommitID: Type.Optional(Type.String()),
  merge_commit_id: Type.Optional(Type.String(undescribed)),
  head_commit_id: Type.Optional(Type.String()),
  force_merge: Type.Optional(Type.Boolean()),
  merge_when_checks_succeed: Type.Optional(Type.Boolean()),
  delete_branch_after_merge: Type.Optional(Type.Boolean()),
})
export type MergePullRequestOption = Static<typeof MergePullRequestOption>

export const ChangedFile = object('ChangedFile', {
  filename: Type.String(),
  previous_filename: Type.Optional(Type.String()),
  status: Type.String(),
  additions: Type.Integer(),
  deletions: Type.Integer(),
  changes: Type.Integer(),
  html_url: Type.Optional(Type.String()),
  contents_url: Type.Optional(Type.String()),
  raw_url: Type.Optional(Type.String()),
})
export type ChangedFile = Static<typeof ChangedFile>
