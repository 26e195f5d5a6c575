import type { RepoCtx } from '../access/context.ts'
import type { CommentRow } from '../db/tables/issues.ts'
import type { Requirement } from '../http/operation.ts'
import { findCommentIn } from '../issues/timeline-entry.store.ts'
import { NotFound } from '../lib/errors.ts'
import type { CommentId } from '../lib/ids.ts'

/** The comment on a line that a path names. */
export interface CodeCommentCtx extends RepoCtx {
  readonly comment: CommentRow
}

/** The comment is one on a line of a pull request of the repository; else 404, before anything else is looked at. */
export const codeCommentInRepo: Requirement<RepoCtx, CodeCommentCtx> = {
  codes: ['resolve:comment'],
  async check(ctx, call) {
    const found = await findCommentIn(ctx.db, ctx.repo.id, Number(call.params['comment']) as CommentId)
    if (found?.comment.type !== 'code') throw new NotFound('the comment does not exist', 'comment_not_found')
    return { comment: found.comment } as CodeCommentCtx
  },
}
