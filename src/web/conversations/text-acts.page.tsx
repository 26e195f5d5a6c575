import type { SignedInRepoCtx } from '../../access/context.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { deleteComment, editComment, getCommentOf } from '../../issues/comments/comment.service.ts'
import { editIssue, getReadableIssue, noIssue } from '../../issues/issue.service.ts'
import { addReaction, removeReaction } from '../../issues/social/reaction.service.ts'
import { tickTask } from '../../issues/tasks.rules.ts'
import { Conflict, Invalid } from '../../lib/errors.ts'
import type { CommentId } from '../../lib/ids.ts'
import { getStoredPull } from '../../pulls/pull.service.ts'
import { editReviewText, getReviewOfText, removeReviewText } from '../../pulls/reviews/review-text.service.ts'
import { suggestionOf } from '../../pulls/reviews/suggestion.rules.ts'
import { TaskText, taskTextId } from '../shared/timeline/timeline.view.tsx'
import { act } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { renderTexts, type SourceText } from '../ui/render-texts.ts'
import { issueTexts } from '../languages/texts.ts'

import { addressOf, conversationAct, indexAndId, indexParameter, unchangedIssue } from './conversation.page.ts'
import { commentFields, commentFromForm } from '../issues/comment-form.ts'
import { integer, text, tick } from '../ui/fields.ts'

const texts = issueTexts.issue

const anchorOf = ({ id }: CommentRow): string => `issuecomment-${id}`

/** Refuses an edit of a version that somebody changed meanwhile, or returns. */
function refuseOutOfDate(current: number, edited: number | undefined): void {
  if (edited !== undefined && edited !== current) throw new Conflict(texts.outOfDate, 'text_out_of_date')
}

/** Returns the comment of a path, which belongs to the issue of the path. Comments of reviews need more rights. */
async function commentAt(ctx: SignedInRepoCtx, params: { readonly index: number; readonly id: number }) {
  const found = await getCommentOf(ctx, params.id as CommentId)
  const { issue, comment } = found
  if (issue.index !== params.index || !['comment', 'code', 'review'].includes(comment.type)) throw noIssue()
  const isOfReview = comment.type !== 'comment'
  if (isOfReview) await getReviewOfText(ctx, issue, comment)
  return { ...found, isOfReview }
}

type FoundComment = Awaited<ReturnType<typeof commentAt>>

const editFound = async (ctx: SignedInRepoCtx, { issue, comment, isOfReview }: FoundComment, text: string) => {
  if (isOfReview) await editReviewText(ctx, issue, comment, text)
  else await editComment(ctx, issue, comment, { body: text, updatedAt: undefined })
}

/** Where a form with a comment is: the changed files of a pull request, or else the conversation. */
const from = text

/** Returns the address that a form of a comment leads to. */
function addressAfter(
  ctx: SignedInRepoCtx,
  { issue, comment }: FoundComment,
  body: { readonly from?: string },
  anchor = anchorOf(comment),
): string {
  if (body.from !== 'files' || comment.type !== 'code') return addressOf(ctx, issue, anchor)
  return `${addressOf(ctx, issue)}/files?${new URLSearchParams({ file: comment.tree_path }).toString()}${anchor === '' ? '' : `#${anchor}`}`
}

/** Changes the title. */
export const retitleIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/title',
  edits: true,
  twin: 'issueEditIssue',
  cost: 'usual',
  params: indexParameter,
  fields: { title: text },
  problemFields: { title: 'title' },
  async run({ ctx, params, body }) {
    const title = body.title?.trim() ?? ''
    if (title === '') throw new Invalid(issueTexts.create.emptyTitle, 'title_empty', { field: 'title' })
    const issue = await editIssue(ctx, await getReadableIssue(ctx, params.index), { ...unchangedIssue, title })
    return { to: addressOf(ctx, issue) }
  },
})

const textFields = { content: text, version: integer } as const

/** Changes the text of an issue. */
export const rewriteIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/content',
  twin: 'issueEditIssue',
  cost: 'usual',
  params: indexParameter,
  fields: textFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    refuseOutOfDate(issue.content_version, body.version)
    await editIssue(ctx, issue, { ...unchangedIssue, body: body.content ?? '' })
    return { to: addressOf(ctx, issue) }
  },
})

/** Changes the text of a comment. */
export const rewriteComment = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/content',
  twin: 'issueEditComment',
  cost: 'usual',
  params: indexAndId,
  fields: { ...textFields, from },
  async run({ ctx, params, body }) {
    const found = await commentAt(ctx, params)
    refuseOutOfDate(found.comment.content_version, body.version)
    await editFound(ctx, found, body.content ?? '')
    return { to: addressAfter(ctx, found, body) }
  },
})

const taskFields = { position: integer, checked: tick, version: integer }

/** Returns the text of an issue or comment after a tick, for scripts. */
async function tickedText(
  ctx: SignedInRepoCtx,
  text: { readonly anchor: string; readonly content: string; readonly version: number; readonly tasksTo: string },
  scope: SourceText<string>[2],
  suggestion?: SourceText<string>[3],
) {
  const { anchor, content, version, tasksTo } = text
  const html = await renderTexts<string>(ctx, [[anchor, content, scope, suggestion]])
  return { [taskTextId(anchor)]: <TaskText {...{ anchor, version, tasksTo }} html={html.get(anchor) ?? ''} /> }
}

const issueAt = (ctx: SignedInRepoCtx, index: number, ...rest: readonly (string | number)[]): string =>
  pathOf(ctx.owner.name, ctx.repo.name, 'issues', index, ...rest)

/** Ticks a task in the text of an issue. */
export const tickIssueTask = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/tasks',
  twin: 'issueEditIssue',
  cost: 'usual',
  params: indexParameter,
  answersParts: true,
  fields: taskFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    refuseOutOfDate(issue.content_version, body.version)
    const content = tickTask(issue.content, body.position ?? -1, body.checked ?? false)
    const edited = await editIssue(ctx, issue, { ...unchangedIssue, body: content })
    const text = {
      anchor: `issue-${issue.index}`,
      content,
      version: edited.content_version,
      tasksTo: issueAt(ctx, issue.index, 'tasks'),
    }
    return { to: addressOf(ctx, issue), parts: await tickedText(ctx, text, undefined) }
  },
})

/** Ticks a task in a comment. */
export const tickCommentTask = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/tasks',
  twin: 'issueEditComment',
  cost: 'usual',
  params: indexAndId,
  answersParts: true,
  fields: taskFields,
  async run({ ctx, params, body }) {
    const { comment, issue } = await commentAt(ctx, params)
    refuseOutOfDate(comment.content_version, body.version)
    const content = tickTask(comment.content, body.position ?? -1, body.checked ?? false)
    const edited = await editComment(ctx, issue, comment, { body: content, updatedAt: undefined })
    const text = {
      anchor: anchorOf(comment),
      content,
      version: edited.content_version,
      tasksTo: issueAt(ctx, issue.index, 'comments', comment.id, 'tasks'),
    }
    return {
      to: addressOf(ctx, issue),
      parts: await tickedText(ctx, text, `comment-${comment.id}`, suggestionOf(edited)),
    }
  },
})

/** Adds a comment, and closes or reopens the issue when the button says so. */
export const commentOnIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/comments',
  twin: 'issueCreateComment',
  cost: 'usual',
  params: indexParameter,
  fields: commentFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    const comment = await commentFromForm(ctx, issue, body)
    return { to: addressOf(ctx, issue, comment ? anchorOf(comment) : '') }
  },
})

/** Deletes a comment. */
export const removeCommentOfIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/delete',
  twin: 'issueDeleteComment',
  cost: 'usual',
  params: indexAndId,
  fields: { from },
  async run({ ctx, params, body }) {
    const found = await commentAt(ctx, params)
    const { comment, issue, isOfReview } = found
    if (isOfReview) await removeReviewText(ctx, await getStoredPull(ctx, issue.index), comment)
    else await deleteComment(ctx, issue, comment)
    return { to: addressAfter(ctx, found, body, '') }
  },
})

const reactionFields = { content: text, remove: tick } as const

const react = async (
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow | undefined,
  body: { readonly content?: string; readonly remove?: boolean },
) => (body.remove ? removeReaction : addReaction)(ctx, issue, comment, body.content ?? '')

/** Adds a reaction to an issue, or takes it back. */
export const reactToIssue = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/reactions',
  twin: 'issuePostIssueReaction',
  cost: 'usual',
  params: indexParameter,
  fields: reactionFields,
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    await react(ctx, issue, undefined, body)
    return { to: addressOf(ctx, issue) }
  },
})

/** Adds a reaction to a comment, or takes it back. */
export const reactToComment = act({
  ...conversationAct,
  path: '/{username}/{reponame}/issues/{index}/comments/{id}/reactions',
  twin: 'issuePostCommentReaction',
  cost: 'usual',
  params: indexAndId,
  fields: { ...reactionFields, from },
  async run({ ctx, params, body }) {
    const found = await commentAt(ctx, params)
    await react(ctx, found.issue, found.comment, body)
    return { to: addressAfter(ctx, found, body) }
  },
})
