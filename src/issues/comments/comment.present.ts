import type { Ctx } from '../../access/context.ts'
import type { AttachmentRow, CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { CommentId, IssueId, UserId } from '../../lib/ids.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { pluck } from '../../lib/pluck.ts'
import { formatUnix } from '../../lib/time.ts'
import { presentAuthor } from '../../users/user.present.ts'
import { loadUsers } from '../../users/user.store.ts'
import { presentAttachment } from '../../attachments/attachment.present.ts'
import { listFilesOfComments } from '../attachments/attachment.store.ts'
import type { Comment } from './comment.schemas.ts'
import { issueWebUrl, type RepoWithOwner } from '../repo-with-owner.ts'

type PresentCtx = Pick<Ctx, 'config' | 'db'> & RepoWithOwner

/** The columns of the issue that the presentation of its comments uses. */
type Commented = Pick<IssueRow, 'index' | 'is_pull'>

/** Returns the addresses of a comment's issue: one field for issues, one for pull requests. */
export const commentUrls = (ctx: Pick<Ctx, 'config'> & RepoWithOwner, issue: Commented, commentId: CommentId) => {
  const page = issueWebUrl(ctx, issue)
  return {
    html_url: `${page}#issuecomment-${commentId}`,
    pull_request_url: issue.is_pull ? page : '',
    issue_url: issue.is_pull ? '' : page,
  }
}

/** Presents one comment from loaded rows. */
export const presentLoadedComment = (
  ctx: PresentCtx,
  issue: Commented,
  row: CommentRow,
  loaded: { readonly users: ReadonlyMap<UserId, UserRow>; readonly files: readonly AttachmentRow[] },
): Comment => ({
  id: row.id,
  ...commentUrls(ctx, issue, row.id),
  // Authors of comments appear as a guest sees them, for every viewer (observed).
  user: presentAuthor({ config: ctx.config, viewer: undefined }, loaded.users.get(row.poster_id)),
  original_author: row.original_author,
  original_author_id: 0,
  body: row.content,
  assets: loaded.files.map((file) => presentAttachment(ctx, file)),
  created_at: formatUnix(row.created_unix),
  updated_at: formatUnix(row.updated_unix),
})

/** Presents comments of one repository with one query for authors and one for files. */
export async function presentComments(
  ctx: PresentCtx,
  rows: readonly CommentRow[],
  issues: ReadonlyMap<IssueId, Commented>,
): Promise<Comment[]> {
  if (rows.length === 0) return []
  const [users, files] = await Promise.all([
    loadUsers(ctx.db, pluck(rows, 'poster_id')),
    listFilesOfComments(ctx.db, pluck(rows, 'id')),
  ])
  const filesOf = Map.groupBy(files, (file) => file.comment_id)
  return rows.flatMap((row) => {
    const issue = issues.get(row.issue_id)
    return issue ? [presentLoadedComment(ctx, issue, row, { users, files: filesOf.get(row.id) ?? [] })] : []
  })
}

export async function presentComment(ctx: PresentCtx, issue: IssueRow, row: CommentRow): Promise<Comment> {
  const [comment] = await presentComments(ctx, [row], new Map([[issue.id, issue]]))
  return comment as Comment
}
