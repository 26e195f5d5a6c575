import { filesShownIn } from '../../attachments/attachment.rules.ts'
import { claimPendingFiles } from '../../attachments/pending-file.store.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { UserId } from '../../lib/ids.ts'

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
