import { Type } from 'typebox'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, validBody, type AnyRequirement } from '../../http/operation.ts'
import { accepted, ok, paged } from '../../http/reply.ts'
import { enumeration, pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { presentDeliveries, presentDelivery } from './delivery.present.ts'
import { HookDelivery, HookDeliveryDetails, RedeliverOption, Redelivered } from './delivery.schemas.ts'
import { getDelivery, pageOfDeliveries, redeliver, redeliverOne } from './delivery.service.ts'
import { hooksOfAccount, hooksOfInstance, hooksOfRepo, type HookOwner } from '../hook-owner.ts'
import { webhooksOn } from '../hook.requirements.ts'
import { getHook } from '../hook.service.ts'

const deliveryQuery = {
  ...pageQuery,
  state: Type.Optional(enumeration('waiting', 'delivered', 'failed', 'skipped')),
}

/** Declares the operations of the deliveries of a holder's webhooks, which are below `path`. */
function deliveryOperations<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, HookOwner>) {
  const { scope, requires, ownerOf, ...hooks } = anyHolder(holder)
  const path = `${hooks.path}/{id}/deliveries` as const
  const params = { id: pathNumber }
  const one = { id: pathNumber, delivery_id: pathNumber }

  const list = operation({
    method: 'GET',
    path,
    cost: 'usual',
    params,
    scope,
    requires,
    query: deliveryQuery,
    reply: { 200: Type.Array(HookDelivery) },
    summary: 'List the deliveries of a webhook, newest first',
    async run({ ctx, params: { id }, query }) {
      const hook = await getHook(ctx, ownerOf(ctx), id)
      const page = pageOf(query, { ...ctx.config.api, defaultPagingNum: ctx.config.webhook.pagingNum })
      const { rows, total } = await pageOfDeliveries(ctx, hook, query.state, page)
      return paged(presentDeliveries(rows), page, total)
    },
  })
  const get = operation({
    method: 'GET',
    path: `${path}/{delivery_id}`,
    cost: 'usual',
    params: one,
    scope,
    requires,
    reply: { 200: HookDeliveryDetails },
    summary: 'Get a delivery with its attempts, their requests and answers',
    async run({ ctx, params: { id, delivery_id: deliveryId } }) {
      const hook = await getHook(ctx, ownerOf(ctx), id)
      return ok(presentDelivery(ctx, hook, await getDelivery(ctx, hook, deliveryId)))
    },
  })
  const redeliverThis = operation({
    method: 'POST',
    path: `${path}/{delivery_id}/attempts`,
    cost: 'usual',
    params: one,
    scope,
    requires,
    reply: { 202: Redelivered },
    summary: 'Send a delivery again under the same id, or a waiting one at once',
    async run({ ctx, params: { id, delivery_id: deliveryId } }) {
      const hook = await getHook(ctx, ownerOf(ctx), id)
      return accepted({ count: await redeliverOne(ctx, hook, deliveryId) })
    },
  })
  const redeliverRange = operation({
    method: 'POST',
    path: `${path}/attempts`,
    cost: 'usual',
    params,
    scope,
    requires: [...requires, validBody],
    body: RedeliverOption,
    reply: { 202: Redelivered },
    summary: 'Send a range of deliveries again, oldest first',
    async run({ ctx, params: { id }, body }) {
      const hook = await getHook(ctx, ownerOf(ctx), id)
      const { first_id: first = 0, last_id: last = Number.MAX_SAFE_INTEGER, states = ['failed'] } = body
      return accepted({ count: await redeliver(ctx, hook, { first, last, states }) })
    },
  })
  return { list, get, redeliverThis, redeliverRange }
}

export const {
  list: repoListHookDeliveries,
  get: repoGetHookDelivery,
  redeliverThis: repoRedeliverHookDelivery,
  redeliverRange: repoRedeliverHookDeliveries,
} = deliveryOperations({
  path: '/repos/{username}/{reponame}/hooks',
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  ownerOf: ({ repo }) => hooksOfRepo(repo.id),
})

export const {
  list: orgListHookDeliveries,
  get: orgGetHookDelivery,
  redeliverThis: orgRedeliverHookDelivery,
  redeliverRange: orgRedeliverHookDeliveries,
} = deliveryOperations({
  path: '/orgs/{org}/hooks',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  ownerOf: ({ org }) => hooksOfAccount(org.id),
})

export const {
  list: userListHookDeliveries,
  get: userGetHookDelivery,
  redeliverThis: userRedeliverHookDelivery,
  redeliverRange: userRedeliverHookDeliveries,
} = deliveryOperations({
  path: '/user/hooks',
  scope: 'user',
  requires: [signedIn, webhooksOn],
  ownerOf: ({ viewer }) => hooksOfAccount(viewer.id),
})

export const {
  list: adminListHookDeliveries,
  get: adminGetHookDelivery,
  redeliverThis: adminRedeliverHookDelivery,
  redeliverRange: adminRedeliverHookDeliveries,
} = deliveryOperations({
  path: '/admin/hooks',
  scope: 'admin',
  requires: [signedIn, siteAdmin, webhooksOn],
  ownerOf: () => hooksOfInstance,
})
