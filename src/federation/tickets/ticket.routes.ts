import { Type } from 'typebox'
import { signedIn, tokenScope } from '../../access/requirements.ts'
import { jsonAs, operation, validBody } from '../../http/operation.ts'
import { accepted, ok, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { repositoryOfId } from '../actors/actor.requirements.ts'
import { ActivityStreamsObject } from '../actors/actor.schemas.ts'
import { activityType } from '../address.rules.ts'
import { federated, signed } from '../peers/signature.requirements.ts'
import { getSentWritings, sendWriting } from './outgoing-ticket.service.ts'
import { presentSent, presentTicket } from './ticket.present.ts'
import { CommentElsewhereOption, IssueElsewhere, OpenIssueElsewhereOption, SentElsewhere } from './ticket.schemas.ts'
import { getTicket } from './ticket.service.ts'

export const activitypubTicket = operation({
  method: 'GET',
  path: '/activitypub/repository-id/{repository-id}/issues/{index}',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'activitypub',
  requires: [federated, repositoryOfId, signed],
  reply: { 200: jsonAs(activityType, ActivityStreamsObject) },
  summary: 'Get an issue as a ForgeFed ticket',
  run: async ({ ctx, params }) => ok(presentTicket(ctx, await getTicket(ctx, params.index))),
})

export const userListIssuesElsewhere = operation({
  method: 'GET',
  path: '/user/federation/issues',
  cost: 'usual',
  scope: 'issue',
  requires: [federated, signedIn, tokenScope('activitypub')],
  query: pageQuery,
  reply: { 200: Type.Array(IssueElsewhere) },
  summary: 'List the issues that the caller opened in repositories on other servers, newest first',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await getSentWritings(ctx, page)
    return paged(presentSent(rows), page, total)
  },
})

export const userOpenIssueElsewhere = operation({
  method: 'POST',
  path: '/user/federation/issues',
  cost: 'usual',
  scope: 'issue',
  requires: [federated, signedIn, tokenScope('activitypub'), validBody],
  refuses: [406],
  body: OpenIssueElsewhereOption,
  reply: { 202: SentElsewhere },
  summary: 'Open an issue in a repository on another server',
  run: async ({ ctx, body }) => accepted({ id: await sendWriting(ctx, { ...body, issue: undefined }) }),
})

export const userCommentElsewhere = operation({
  method: 'POST',
  path: '/user/federation/comments',
  cost: 'usual',
  scope: 'issue',
  requires: [federated, signedIn, tokenScope('activitypub'), validBody],
  refuses: [406],
  body: CommentElsewhereOption,
  reply: { 202: SentElsewhere },
  summary: 'Comment on an issue of a repository on another server',
  run: async ({ ctx, body }) => accepted({ id: await sendWriting(ctx, { ...body, title: '' }) }),
})
