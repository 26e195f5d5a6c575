import type { RepoCtx } from '../access/context.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { Requirement } from '../http/operation.ts'
import { pathNumber } from '../http/schema.ts'
import { NotFound } from '../lib/errors.ts'
import type { CommentId } from '../lib/ids.ts'
import { findCommentIn } from './timeline-entry.store.ts'
import { mayReadIssue } from './issue.policy.ts'

/** The comment or other timeline entry that the path names, and its issue. */
export interface CommentCtx extends RepoCtx {
  readonly comment: CommentRow
  readonly issue: IssueRow
}

const commentParams = { id: pathNumber }

/**
 * Requires an entry of the repository whose unit the viewer may read.
 * @throws NotFound before any other check
 */
export const commentInRepo: Requirement<RepoCtx, Pick<CommentCtx, 'comment' | 'issue'>, typeof commentParams> = {
  codes: ['resolve:comment'],
  refuses: [404],
  params: commentParams,
  async check(ctx, call) {
    const found = await findCommentIn(ctx.db, ctx.repo.id, call.params.id as CommentId)
    if (!found || !mayReadIssue(ctx.rights, found.issue).allowed) {
      throw new NotFound('the comment does not exist', 'comment_not_found')
    }
    return found
  },
}
