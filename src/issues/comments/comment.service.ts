import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import { publish } from '../../events/hub.ts'
import { NotFound } from '../../lib/errors.ts'
import type { CommentId, IssueId } from '../../lib/ids.ts'
import type { Bound, Page } from '../../lib/paging.ts'
import { must } from '../../lib/verdict.ts'
import {
  addToComments,
  findCommentIn,
  insertTimelineEntry,
  listRepoComments,
  updateCommentText,
  type ChangedBetween,
} from '../timeline-entry.store.ts'
import { claimShownFiles } from '../attachments/shown-files.service.ts'
import type { Attribution } from '../attribution.ts'
import { factsOfComment, holdIssue } from '../issue-change.service.ts'
import { mayComment, mayEditComment, mayEditIssue, mayReadIssue } from '../issue.policy.ts'
import { applyState, attributionAt, attributionNow, isBlockedFrom, noIssue, refuseBlocked } from '../issue.service.ts'
import { insertContentHistory } from '../content-history.store.ts'
import { findCommentsState, insertMentions, loadIssues, type CommentsState } from '../issue.store.ts'
import { findMentioned, findReferenced, namedByComment, recordReferences } from '../references/reference.service.ts'
import { removeComment } from '../removal.service.ts'

/**
 * Returns the current revisions of an issue and its comments, for a comparison with the cached ones.
 * @param posterIds known authors, in the form of `idListText`
 */
export async function getCommentsState(ctx: RepoCtx, index: number, posterIds: string): Promise<CommentsState> {
  const state = await findCommentsState(ctx.db, ctx.repo.id, index, posterIds)
  if (!state || !mayReadIssue(ctx.rights, state).allowed) throw noIssue()
  return state
}

/** Returns one page of the comments of a repository with their issues, of the kinds whose unit the viewer may read. */
export async function getRepoComments(
  ctx: RepoCtx,
  between: ChangedBetween,
  page: Page,
): Promise<{ rows: CommentRow[]; total: number; bound: Bound | undefined; issues: ReadonlyMap<IssueId, IssueRow> }> {
  const isPull = [false, true].filter((each) => ctx.rights.modeOf(each ? 'pulls' : 'issues') >= mode.read)
  const { rows, total, bound } = await listRepoComments(ctx.db, ctx.repo.id, isPull, between, page)
  return {
    rows,
    total,
    bound,
    issues: await loadIssues(ctx.db, pluck(rows, 'issue_id')),
  }
}

/**
 * Returns a comment by id, for paths with a number and an id.
 * @throws NotFound when the comment is not of that issue
 */
export async function getCommentOf(
  ctx: RepoCtx,
  id: CommentId,
): Promise<{ readonly comment: CommentRow; readonly issue: IssueRow }> {
  const found = await findCommentIn(ctx.db, ctx.repo.id, id)
  if (!found || !mayReadIssue(ctx.rights, found.issue).allowed) {
    throw new NotFound('the comment does not exist', 'comment_not_found')
  }
  return found
}

/**
 * Adds a comment.
 * @throws Forbidden for a blocked account and for a reader of a locked conversation
 */
export async function addComment(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  input: {
    readonly body: string
    readonly updatedAt: string | undefined
    /** Runs in the transaction of the comment; an error undoes the comment. */
    readonly beside?: (tx: Tx, comment: CommentRow) => Promise<void>
  },
): Promise<CommentRow> {
  must(mayComment(ctx.viewer, ctx.rights, issue, await isBlockedFrom(ctx, issue)))
  const by = attributionAt(ctx, issue, input.updatedAt)
  const insert = await commenting(ctx, by, issue, input)
  return transaction(ctx.db, insert)
}

/** Reads what a comment needs, and returns what stores it in a transaction. */
async function commenting(
  ctx: SignedInRepoCtx,
  by: Attribution,
  issue: IssueRow,
  { body, beside }: Pick<Parameters<typeof addComment>[2], 'body' | 'beside'>,
): Promise<(tx: Tx) => Promise<CommentRow>> {
  const named = await namedByComment(ctx, body)
  const [references, mentioned] = await Promise.all([findReferenced(ctx, named), findMentioned(ctx, issue, named)])
  return async (tx) => {
    const comment = await insertTimelineEntry(tx, by, issue.id, { type: 'comment', content: body })
    await addToComments(tx, issue.id, 1, by.atUnix)
    await claimShownFiles(tx, by.doerId, issue, comment)
    await beside?.(tx, comment)
    await insertMentions(tx, issue.id, mentioned)
    await recordReferences(tx, by, { issue, comment }, references)
    await publish(tx, 'issue.commented', { ...factsOfComment(issue, comment, by), mentioned })
    return comment
  }
}

/**
 * Closes or reopens an issue or pull request with a comment: both happen, or neither. One that is in this state already
 * gets the comment only. A text without words is no comment.
 * @returns undefined without a comment
 * @throws Forbidden for who may not comment or not change the state
 * @throws PreconditionFailed when a dependency is open, or the pull request is merged or being merged
 */
export async function setStateWithComment(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  input: { readonly body: string; readonly state: 'open' | 'closed' },
): Promise<CommentRow | undefined> {
  must(mayEditIssue(ctx.viewer, ctx.rights, issue))
  await refuseBlocked(ctx, [ctx.owner.id])
  const isBlocked = await isBlockedFrom(ctx, issue)
  const by = attributionNow(ctx)
  const insert = input.body.trim() === '' ? undefined : await commenting(ctx, by, issue, { body: input.body })
  return transaction(ctx.db, async (tx) => {
    const held = await holdIssue(tx, issue)
    // The conversation may have been locked since it was read.
    if (insert) must(mayComment(ctx.viewer, ctx.rights, held, isBlocked))
    const comment = await insert?.(tx)
    const { refusal } = await applyState(tx, by, held, input.state)
    if (refusal) throw refusal
    return comment
  })
}

/** Changes the text of a comment; the issue does not count as changed. An equal text changes nothing. */
export async function editComment(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow,
  input: {
    readonly body: string
    readonly updatedAt: string | undefined
    /** Runs in the transaction of the edit. */
    readonly beside?: (tx: Tx) => Promise<void>
  },
): Promise<CommentRow> {
  must(mayEditComment(ctx.viewer, ctx.rights, issue, comment))
  const by = attributionAt(ctx, issue, input.updatedAt)
  const references = await findReferenced(ctx, await namedByComment(ctx, input.body))
  return transaction(ctx.db, async (tx) => {
    if (input.body === comment.content && !by.isDated) return comment
    const about = { issue_id: issue.id, comment_id: comment.id }
    const first = { poster_id: comment.poster_id, content: comment.content, edited_unix: comment.created_unix }
    await insertContentHistory(tx, [
      ...(comment.content_version === 0 ? [{ ...about, ...first, is_first: true }] : []),
      { ...about, poster_id: by.doerId, content: input.body, edited_unix: by.atUnix, is_first: false },
    ])
    const edited = await updateCommentText(tx, comment.id, input.body, by.atUnix)
    if (!edited) throw new NotFound('the comment does not exist', 'comment_not_found')
    await claimShownFiles(tx, by.doerId, issue, edited)
    await input.beside?.(tx)
    await recordReferences(tx, by, { issue, comment: edited }, references)
    if (input.body !== comment.content) {
      const about = { ...factsOfComment(issue, comment, by), posterId: comment.poster_id }
      await publish(tx, 'comment.edited', { ...about, oldContent: comment.content })
    }
    return edited
  })
}

/**
 * Changes the text of a comment; another entry of the timeline stays as it is (observed).
 * @returns undefined for an entry that is no comment
 */
export async function editEntry(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  entry: CommentRow,
  input: { readonly body: string; readonly updatedAt: string | undefined },
): Promise<CommentRow | undefined> {
  if (entry.type === 'comment') return editComment(ctx, issue, entry, input)
  must(mayEditComment(ctx.viewer, ctx.rights, issue, entry))
  return undefined
}

/** Deletes a comment; another entry of the timeline stays. */
export async function deleteEntry(ctx: SignedInRepoCtx, issue: IssueRow, entry: CommentRow): Promise<void> {
  if (entry.type === 'comment') return deleteComment(ctx, issue, entry)
  must(mayEditComment(ctx.viewer, ctx.rights, issue, entry))
}

/** Deletes a comment with its reactions and files, and neuters the references that it made. */
export async function deleteComment(ctx: SignedInRepoCtx, issue: IssueRow, comment: CommentRow): Promise<void> {
  must(mayEditComment(ctx.viewer, ctx.rights, issue, comment))
  await transaction(ctx.db, async (tx) => {
    const isGone = await removeComment(tx, attributionNow(ctx), issue, comment)
    if (!isGone) throw new NotFound('the comment does not exist', 'comment_not_found')
  })
}
