import { Type } from 'typebox'
import { signedIn, tokenScope } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { federated } from '../peers/signature.requirements.ts'
import { presentReceived } from './received.present.ts'
import { FederatedActivity } from './received.schemas.ts'
import { getFeedPage } from './received.service.ts'

export const userListFederatedFeed = operation({
  method: 'GET',
  path: '/user/federation/feed',
  cost: 'usual',
  scope: 'user',
  requires: [federated, signedIn, tokenScope('activitypub')],
  query: pageQuery,
  reply: { 200: Type.Array(FederatedActivity) },
  summary: 'List activities of remote accounts that the caller follows, newest first',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await getFeedPage(ctx, page)
    return paged(await presentReceived(ctx, rows), page, total)
  },
})
