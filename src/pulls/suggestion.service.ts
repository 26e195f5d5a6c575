import type { SignedInRepoCtx } from '../access/context.ts'
import { transaction } from '../db/database.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import { changeFiles } from '../code/contents/file-change.service.ts'
import { Conflict, Forbidden, Invalid } from '../lib/errors.ts'
import { openHeadRepo } from './head-repo.service.ts'
import type { PullPair } from './pull.store.ts'
import { updateLines } from './reviews/line.store.ts'
import { lastLinesOf, suggestedLines, withLinesReplaced } from './reviews/suggestion.rules.ts'
import type { Thread } from './reviews/thread.service.ts'

/** Larger files do not take suggestions. */
const maxFileBytes = 2 << 20

/**
 * Commits the suggestion of a line comment to the head branch. The conversation on the lines is outdated from then on.
 * @throws Invalid when the comment suggests nothing
 * @throws Conflict when the line has changed since
 * @throws Forbidden when the caller may not write to the head branch
 */
export async function applySuggestion(
  ctx: SignedInRepoCtx,
  { pull }: PullPair,
  comment: CommentRow,
  { comments }: Thread,
): Promise<void> {
  const lines = suggestedLines(comment.content)
  if (lines === undefined || comment.line <= 0) throw new Invalid('the comment suggests no change', 'no_suggestion')
  const outdated = new Conflict('the line has changed since the suggestion', 'suggestion_outdated')
  if (comment.is_invalidated) throw outdated
  const head = await openHeadRepo(ctx, pull)
  if (!head?.rights.canWrite('code') || head.repo.is_archived) {
    throw new Forbidden('only people who may push to the head branch may do this', 'head_not_pushable')
  }
  const range = { first: comment.first_line === 0 ? comment.line : comment.first_line, last: comment.line }
  // What the lines were when the comment was written. Without a hunk they lay outside of the difference.
  const before = comment.patch === '' ? undefined : lastLinesOf(comment.patch, 'new', range.last - range.first + 1)
  if (comment.patch !== '' && before === undefined) throw outdated
  const key = head.repo.git_key
  const entry = await head.git.findPath(key, pull.head_oid, comment.tree_path)
  if (entry?.type !== 'blob') throw outdated
  const { content } = await head.git.readBlob(key, entry.oid, { maxBytes: maxFileBytes })
  const text = content?.toString('utf8')
  const changed = text === undefined ? undefined : withLinesReplaced(text, range, lines, before)
  if (changed === undefined) throw outdated
  await changeFiles(
    head,
    [{ operation: 'update', path: comment.tree_path, content: Buffer.from(changed), expectedOid: entry.oid }],
    { message: `Apply suggestion to ${comment.tree_path}`, branch: pull.head_branch, newBranch: undefined },
  )
  await transaction(ctx.db, (tx) =>
    updateLines(
      tx,
      comments.map(({ row }) => ({ row, now: undefined })),
    ),
  )
}
