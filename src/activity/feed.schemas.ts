import { Type, type Static } from 'typebox'
import { dateTime, enumeration, nullable, object } from '../http/schema.ts'
import { Comment } from '../issues/comments/comment.schemas.ts'
import { Repository } from '../repos/repo.schemas.ts'
import { User } from '../users/user.schemas.ts'

export const Activity = object('Activity', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  op_type: enumeration(
    'create_repo',
    'rename_repo',
    'star_repo',
    'watch_repo',
    'commit_repo',
    'create_issue',
    'create_pull_request',
    'transfer_repo',
    'push_tag',
    'comment_issue',
    'merge_pull_request',
    'close_issue',
    'reopen_issue',
    'close_pull_request',
    'reopen_pull_request',
    'delete_tag',
    'delete_branch',
    'mirror_sync_push',
    'mirror_sync_create',
    'mirror_sync_delete',
    'approve_pull_request',
    'reject_pull_request',
    'comment_pull',
    'publish_release',
    'pull_review_dismissed',
    'pull_request_ready_for_review',
    'auto_merge_pull_request',
  ),
  act_user_id: Type.Integer(),
  act_user: nullable(User),
  repo_id: Type.Integer(),
  repo: nullable(Repository),
  comment_id: Type.Integer(),
  comment: nullable(Comment),
  ref_name: Type.String(),
  is_private: Type.Boolean(),
  content: Type.String(),
  created: dateTime(),
})
export type Activity = Static<typeof Activity>

export const UserHeatmapData = object('UserHeatmapData', {
  timestamp: Type.Integer(),
  contributions: Type.Integer(),
})
