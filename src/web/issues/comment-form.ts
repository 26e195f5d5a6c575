import type { SignedInRepoCtx } from '../../access/context.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { addComment, setStateWithComment } from '../../issues/comments/comment.service.ts'
import { Invalid } from '../../lib/errors.ts'
import { issueTexts } from '../languages/texts.ts'
import { text } from '../ui/fields.ts'

/** The form of a comment; the buttons that close and reopen send `state`. */
export const commentFields = { content: text, state: text } as const

/**
 * Adds the comment of a form, and closes or reopens when the button says so.
 * @returns undefined when the form only changed the state
 */
export async function commentFromForm(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  { content = '', state }: { readonly content?: string; readonly state?: string },
): Promise<CommentRow | undefined> {
  if (state === 'open' || state === 'closed') return setStateWithComment(ctx, issue, { body: content, state })
  if (content.trim() === '') {
    throw new Invalid(issueTexts.issue.emptyComment, 'comment_empty', { field: 'content' })
  }
  return addComment(ctx, issue, { body: content, updatedAt: undefined })
}
