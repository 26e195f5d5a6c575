import { Type } from 'typebox'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, noContent, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { CommentId } from '../../lib/ids.ts'
import { pageIfGiven, pageOrWhole } from '../../lib/paging.ts'
import { knownComments, presentCommentsOf } from './comment-list.present.ts'
import { presentComment, presentComments } from './comment.present.ts'
import { changedBetween, changedBetweenQuery } from './changed-between.ts'
import { commentInRepo } from '../comment.requirements.ts'
import { Comment, CreateIssueCommentOption, EditIssueCommentOption } from './comment.schemas.ts'
import {
  addComment,
  deleteEntry,
  editEntry,
  getCommentOf,
  getCommentsState,
  getRepoComments,
} from './comment.service.ts'
import { getReadableIssue } from '../issue.service.ts'

export const issueGetComments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/comments',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: { ...changedBetweenQuery, ...pageQuery },
  reply: { 200: Type.Array(Comment) },
  summary: 'List the comments of an issue',
  async run({ ctx, params, query }) {
    const within = changedBetween(query)
    const page = pageIfGiven(query, ctx.config.api)
    const known = knownComments(ctx, params.index, within, page)
    const state = await getCommentsState(ctx, params.index, known.posterIds)
    const { body, count } = await presentCommentsOf(ctx, state, { ...within, page }, known)
    return paged(body, page ?? { number: 1, limit: Math.max(1, count), offset: 0 }, count, { link: false })
  },
})

export const issueGetRepoComments = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/comments',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: { ...changedBetweenQuery, ...pageQuery },
  reply: { 200: Type.Array(Comment) },
  summary: 'List the comments of a repository',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total, bound, issues } = await getRepoComments(ctx, changedBetween(query), page)
    return paged(await presentComments(ctx, rows, issues), page, total, { link: false, bound })
  },
})

export const issueCreateComment = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/comments',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody],
  body: CreateIssueCommentOption,
  reply: { 201: Comment },
  summary: 'Comment on an issue',
  async run({ ctx, params, body }) {
    const issue = await getReadableIssue(ctx, params.index)
    return created(
      await presentComment(ctx, issue, await addComment(ctx, issue, { body: body.body, updatedAt: body.updated_at })),
    )
  },
})

export const issueGetComment = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/comments/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo],
  reply: { 200: Comment, 204: 'empty' },
  summary: 'Get a comment',
  async run({ ctx }) {
    if (ctx.comment.type !== 'comment') return noContent()
    return ok(await presentComment(ctx, ctx.issue, ctx.comment))
  },
})

async function edit(ctx: SignedInRepoCtx, issue: IssueRow, comment: CommentRow, body: EditIssueCommentOption) {
  const edited = await editEntry(ctx, issue, comment, { body: body.body, updatedAt: body.updated_at })
  return edited ? ok(await presentComment(ctx, issue, edited)) : noContent()
}

export const issueEditComment = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/comments/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, notArchived, signedIn, validBody],
  body: EditIssueCommentOption,
  reply: { 200: Comment, 204: 'empty' },
  summary: 'Edit a comment',
  run: ({ ctx, body }) => edit(ctx, ctx.issue, ctx.comment, body),
})

export const issueDeleteComment = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/comments/{id}',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete a comment',
  run: ({ ctx }) => deleteEntry(ctx, ctx.issue, ctx.comment),
})

export const issueEditCommentDeprecated = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/issues/{index}/comments/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: EditIssueCommentOption,
  reply: { 200: Comment, 204: 'empty' },
  summary: 'Edit a comment',
  deprecated: true,
  async run({ ctx, params, body }) {
    const { comment, issue } = await getCommentOf(ctx, params.id as CommentId)
    return edit(ctx, issue, comment, body)
  },
})

export const issueDeleteCommentDeprecated = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/comments/{id}',
  cost: 'usual',
  params: { index: pathNumber, id: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn],
  reply: { 204: 'empty' },
  summary: 'Delete a comment',
  deprecated: true,
  async run({ ctx, params }) {
    const { comment, issue } = await getCommentOf(ctx, params.id as CommentId)
    return deleteEntry(ctx, issue, comment)
  },
})
