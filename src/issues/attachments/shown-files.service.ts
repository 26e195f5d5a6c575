import { claimPendingFiles } from '../../attachments/pending-file.store.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { UserId } from '../../lib/ids.ts'

/** Most files that a text gets at once. */
const maxClaimed = 100

/** Returns the ids of the files that a text shows. */
const filesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\/attachments\/([0-9a-f-]{36})(?![0-9a-f-])/g)].map(([, uuid = '']) => uuid)),
]

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
  const uuids = filesIn(comment ? comment.content : issue.content).slice(0, maxClaimed)
  if (uuids.length === 0) return
  const holder = { issue_id: issue.id, comment_id: comment?.id ?? null }
  await claimPendingFiles(tx, { repoId: issue.repo_id, uploaderId: writerId }, uuids, holder)
}
