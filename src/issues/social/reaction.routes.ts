import { Type } from 'typebox'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { inRepo, issuesOrPullsEnabled } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, headersOfCut, ok, paged } from '../../http/reply.ts'
import { nullable, pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { commentInRepo } from '../comment.requirements.ts'
import { getReadableIssue } from '../issue.service.ts'
import { presentReaction, presentReactions } from './reaction.present.ts'
import { EditReactionOption, Reaction } from './reaction.schemas.ts'
import { addReaction, getReactions, removeReaction, targetOf } from './reaction.service.ts'

/** An empty list of reactions is null (observed). */
const Reactions = nullable(Type.Array(Reaction))

async function react(ctx: SignedInRepoCtx, issue: IssueRow, comment: CommentRow | undefined, body: EditReactionOption) {
  const { reaction, isNew } = await addReaction(ctx, issue, comment, body.content ?? '')
  const shown = await presentReaction(ctx, reaction)
  return isNew ? created(shown) : ok(shown)
}

export const issueGetIssueReactions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/reactions',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: pageQuery,
  reply: { 200: Reactions },
  summary: 'List the reactions to an issue',
  async run({ ctx, params, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { rows, total } = await getReactions(ctx, targetOf(await getReadableIssue(ctx, params.index)), page)
    return paged(rows.length > 0 ? await presentReactions(ctx, rows) : null, page, total, { link: false })
  },
})

export const issuePostIssueReaction = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/reactions',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: EditReactionOption,
  reply: { 200: Reaction, 201: Reaction },
  summary: 'React to an issue',
  run: async ({ ctx, params, body }) => react(ctx, await getReadableIssue(ctx, params.index), undefined, body),
})

export const issueDeleteIssueReaction = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/reactions',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: EditReactionOption,
  reply: { 200: 'empty' },
  summary: 'Take a reaction to an issue back',
  run: async ({ ctx, params, body }) =>
    removeReaction(ctx, await getReadableIssue(ctx, params.index), undefined, body.content ?? ''),
})

export const issueGetCommentReactions = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/reactions',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo],
  reply: { 200: Reactions },
  summary: 'List the reactions to a comment',
  async run({ ctx }) {
    const whole = pageOrWhole({}, ctx.config.api)
    const { rows, total } = await getReactions(ctx, targetOf(ctx.issue, ctx.comment), whole)
    const reactions = rows.length > 0 ? await presentReactions(ctx, rows) : null
    return ok(reactions, headersOfCut(total > rows.length))
  },
})

export const issuePostCommentReaction = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/reactions',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, signedIn, validBody],
  body: EditReactionOption,
  reply: { 200: Reaction, 201: Reaction },
  summary: 'React to a comment',
  run: ({ ctx, body }) => react(ctx, ctx.issue, ctx.comment, body),
})

export const issueDeleteCommentReaction = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/comments/{id}/reactions',
  cost: 'usual',
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, commentInRepo, signedIn, validBody],
  body: EditReactionOption,
  reply: { 200: 'empty' },
  summary: 'Take a reaction to a comment back',
  run: ({ ctx, body }) => removeReaction(ctx, ctx.issue, ctx.comment, body.content ?? ''),
})
