import type { Ctx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { ReactionRow } from '../../db/tables/issue-details.ts'
import { Forbidden, NotFound } from '../../lib/errors.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { mayManage } from '../issue.policy.ts'
import { refuseBlocked } from '../issue.service.ts'
import {
  countReactions,
  deleteReaction,
  findReaction,
  insertReaction,
  listReactions,
  type ReactionTarget,
} from './reaction.store.ts'

export const targetOf = (issue: IssueRow, comment?: CommentRow): ReactionTarget => ({
  issueId: issue.id,
  commentId: comment?.id ?? 0,
})

/** Returns one page of reactions, oldest first, and their number. */
export async function getReactions(
  ctx: Ctx,
  target: ReactionTarget,
  page: Page,
): Promise<{ readonly rows: ReactionRow[]; readonly total: number }> {
  const [rows, total] = await rowsAndTotal(page, listReactions(ctx.db, target, page), countReactions(ctx.db, target))
  return { rows, total }
}

function refuseLocked(ctx: SignedInRepoCtx, issue: IssueRow): void {
  if (issue.is_locked && !mayManage(ctx.rights, issue).allowed) {
    throw new Forbidden('the conversation is locked', 'issue_locked')
  }
}

/**
 * Adds a reaction to an issue or a comment; a repeated one returns the existing reaction.
 * @throws Forbidden for a word that is not allowed, for a reader of a locked conversation, and for an account that the owner or
 * the author of the text blocks
 */
export async function addReaction(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow | undefined,
  content: string,
): Promise<{ readonly reaction: ReactionRow; readonly isNew: boolean }> {
  refuseLocked(ctx, issue)
  if (!ctx.config.ui.reactions.includes(content)) {
    throw new Forbidden('this reaction is not available here', 'reaction_unknown')
  }
  await refuseBlocked(ctx, [ctx.owner.id, issue.poster_id, ...(comment ? [comment.poster_id] : [])])
  const target = targetOf(issue, comment)
  return transaction(ctx.db, async (tx) => {
    const made = await insertReaction(tx, {
      issue_id: target.issueId,
      comment_id: target.commentId,
      user_id: ctx.viewer.id,
      content,
      created_unix: nowUnix(ctx.clock),
    })
    const reaction = made ?? (await findReaction(tx, target, ctx.viewer.id, content))
    if (!reaction) throw new NotFound('the reaction was taken back at the same time; try again', 'reaction_not_found')
    return { reaction, isNew: made !== undefined }
  })
}

/** Removes a reaction. A missing one is no error. */
export async function removeReaction(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow | undefined,
  content: string,
): Promise<void> {
  refuseLocked(ctx, issue)
  await transaction(ctx.db, (tx) => deleteReaction(tx, targetOf(issue, comment), ctx.viewer.id, content))
}
