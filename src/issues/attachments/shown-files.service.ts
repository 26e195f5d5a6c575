import { filesShownIn } from '../../attachments/attachment.rules.ts'
import { claimPendingFiles, claimPendingFilesOfComments } from '../../attachments/pending-file.store.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { CommentId, UserId } from '../../lib/ids.ts'

/**
 * Gives the uploads that a text shows to the comment, or without a comment to the issue. Only uploads of the account that
 * writes the text, to the same repository, which no other text holds.
 */
export async function claimShownFiles(
  tx: Tx,
  writerId: UserId,
  issue: Pick<IssueRow, 'id' | 'repo_id' | 'content'>,
  comment: Pick<CommentRow, 'id' | 'content'> | undefined,
): Promise<void> {
  const uuids = filesShownIn(comment ? comment.content : issue.content)
  if (uuids.length === 0) return
  const holder = { issue_id: issue.id, comment_id: comment?.id ?? null }
  await claimPendingFiles(tx, { repoId: issue.repo_id, uploaderId: writerId }, uuids, holder)
}

/** Most files that several comments get at once. */
const maxAtOnce = 1000

/** Does the same for comments that are written together: a file goes to the first of them that shows it. */
export async function claimFilesOfComments(
  tx: Tx,
  writerId: UserId,
  issue: Pick<IssueRow, 'id' | 'repo_id'>,
  comments: readonly Pick<CommentRow, 'id' | 'content'>[],
): Promise<void> {
  const shown = new Map<string, CommentId>()
  for (const { id, content } of comments) {
    for (const uuid of filesShownIn(content)) {
      if (shown.size < maxAtOnce && !shown.has(uuid)) shown.set(uuid, id)
    }
  }
  if (shown.size === 0) return
  await claimPendingFilesOfComments(tx, { repoId: issue.repo_id, uploaderId: writerId }, issue.id, shown)
}
