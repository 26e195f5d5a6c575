import type { RepoCtx } from '../../access/context.ts'
import type { CommentRow } from '../../db/tables/issues.ts'
import type { Requirement } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { findCommentIn } from '../../issues/timeline-entry.store.ts'
import { NotFound } from '../../lib/errors.ts'
import type { CommentId } from '../../lib/ids.ts'

/** The context of an operation on a line comment. */
export interface CodeCommentCtx extends RepoCtx {
  readonly comment: CommentRow
}

const codeCommentParams = { comment: pathNumber }

/** Requires that the path names a line comment in the repository; else 404, before each other check. */
export const codeCommentInRepo: Requirement<RepoCtx, Pick<CodeCommentCtx, 'comment'>, typeof codeCommentParams> = {
  codes: ['resolve:comment'],
  refuses: [404],
  params: codeCommentParams,
  async check(ctx, call) {
    const found = await findCommentIn(ctx.db, ctx.repo.id, call.params.comment as CommentId)
    if (found?.comment.type !== 'code') throw new NotFound('the comment does not exist', 'comment_not_found')
    return { comment: found.comment }
  },
}
