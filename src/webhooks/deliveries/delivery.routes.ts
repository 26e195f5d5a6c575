import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn, siteAdmin } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { accepted, ok, paged } from '../../http/reply.ts'
import { enumeration, pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf, type PageQuery } from '../../lib/paging.ts'
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
const deliveryParams = { id: pathNumber, delivery_id: pathNumber }

type Query = PageQuery & { readonly state?: 'waiting' | 'delivered' | 'failed' | 'skipped' | undefined }

async function answerList(ctx: Ctx, owner: HookOwner, id: number, query: Query) {
  const hook = await getHook(ctx, owner, id)
  const page = pageOf(query, { ...ctx.config.api, defaultPagingNum: ctx.config.webhook.pagingNum })
  const { rows, total } = await pageOfDeliveries(ctx, hook, query.state, page)
  return paged(presentDeliveries(rows), page, total)
}

interface Ids {
  readonly id: number
  readonly delivery_id: number
}

async function answerOne(ctx: Ctx, owner: HookOwner, { id, delivery_id: deliveryId }: Ids) {
  const hook = await getHook(ctx, owner, id)
  return ok(presentDelivery(ctx, hook, await getDelivery(ctx, hook, deliveryId)))
}

async function answerRedelivered(ctx: Ctx, owner: HookOwner, { id, delivery_id: deliveryId }: Ids) {
  const hook = await getHook(ctx, owner, id)
  return accepted({ count: await redeliverOne(ctx, hook, deliveryId) })
}

async function answerRange(ctx: Ctx, owner: HookOwner, id: number, body: RedeliverOption) {
  const hook = await getHook(ctx, owner, id)
  const { first_id: first = 0, last_id: last = Number.MAX_SAFE_INTEGER, states = ['failed'] } = body
  return accepted({ count: await redeliver(ctx, hook, { first, last, states }) })
}

export const repoListHookDeliveries = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/{id}/deliveries',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  query: deliveryQuery,
  reply: { 200: Type.Array(HookDelivery) },
  summary: 'List the deliveries of a webhook, newest first',
  run: ({ ctx, params, query }) => answerList(ctx, hooksOfRepo(ctx.repo.id), params.id, query),
})

export const repoGetHookDelivery = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/hooks/{id}/deliveries/{delivery_id}',
  params: deliveryParams,
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  reply: { 200: HookDeliveryDetails },
  summary: 'Get a delivery with its attempts, their requests and answers',
  run: ({ ctx, params }) => answerOne(ctx, hooksOfRepo(ctx.repo.id), params),
})

export const repoRedeliverHookDelivery = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/hooks/{id}/deliveries/{delivery_id}/attempts',
  params: deliveryParams,
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn],
  reply: { 202: Redelivered },
  summary: 'Send a delivery again, under the same id',
  run: ({ ctx, params }) => answerRedelivered(ctx, hooksOfRepo(ctx.repo.id), params),
})

export const repoRedeliverHookDeliveries = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/hooks/{id}/deliveries/attempts',
  params: { id: pathNumber },
  scope: 'repository',
  requires: [inRepo, signedIn, repoAdmin, webhooksOn, validBody],
  body: RedeliverOption,
  reply: { 202: Redelivered },
  summary: 'Send a range of deliveries again, oldest first',
  run: ({ ctx, params, body }) => answerRange(ctx, hooksOfRepo(ctx.repo.id), params.id, body),
})

export const orgListHookDeliveries = operation({
  method: 'GET',
  path: '/orgs/{org}/hooks/{id}/deliveries',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  query: deliveryQuery,
  reply: { 200: Type.Array(HookDelivery) },
  summary: 'List the deliveries of a webhook, newest first',
  run: ({ ctx, params, query }) => answerList(ctx, hooksOfAccount(ctx.org.id), params.id, query),
})

export const orgGetHookDelivery = operation({
  method: 'GET',
  path: '/orgs/{org}/hooks/{id}/deliveries/{delivery_id}',
  params: deliveryParams,
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  reply: { 200: HookDeliveryDetails },
  summary: 'Get a delivery with its attempts, their requests and answers',
  run: ({ ctx, params }) => answerOne(ctx, hooksOfAccount(ctx.org.id), params),
})

export const orgRedeliverHookDelivery = operation({
  method: 'POST',
  path: '/orgs/{org}/hooks/{id}/deliveries/{delivery_id}/attempts',
  params: deliveryParams,
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn],
  reply: { 202: Redelivered },
  summary: 'Send a delivery again, under the same id',
  run: ({ ctx, params }) => answerRedelivered(ctx, hooksOfAccount(ctx.org.id), params),
})

export const orgRedeliverHookDeliveries = operation({
  method: 'POST',
  path: '/orgs/{org}/hooks/{id}/deliveries/attempts',
  params: { id: pathNumber },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, webhooksOn, validBody],
  body: RedeliverOption,
  reply: { 202: Redelivered },
  summary: 'Send a range of deliveries again, oldest first',
  run: ({ ctx, params, body }) => answerRange(ctx, hooksOfAccount(ctx.org.id), params.id, body),
})

export const userListHookDeliveries = operation({
  method: 'GET',
  path: '/user/hooks/{id}/deliveries',
  params: { id: pathNumber },
  scope: 'user',
  requires: [signedIn, webhooksOn],
  query: deliveryQuery,
  reply: { 200: Type.Array(HookDelivery) },
  summary: 'List the deliveries of a webhook, newest first',
  run: ({ ctx, params, query }) => answerList(ctx, hooksOfAccount(ctx.viewer.id), params.id, query),
})

export const userGetHookDelivery = operation({
  method: 'GET',
  path: '/user/hooks/{id}/deliveries/{delivery_id}',
  params: deliveryParams,
  scope: 'user',
  requires: [signedIn, webhooksOn],
  reply: { 200: HookDeliveryDetails },
  summary: 'Get a delivery with its attempts, their requests and answers',
  run: ({ ctx, params }) => answerOne(ctx, hooksOfAccount(ctx.viewer.id), params),
})

export const userRedeliverHookDelivery = operation({
  method: 'POST',
  path: '/user/hooks/{id}/deliveries/{delivery_id}/attempts',
  params: deliveryParams,
  scope: 'user',
  requires: [signedIn, webhooksOn],
  reply: { 202: Redelivered },
  summary: 'Send a delivery again, under the same id',
  run: ({ ctx, params }) => answerRedelivered(ctx, hooksOfAccount(ctx.viewer.id), params),
})

export const userRedeliverHookDeliveries = operation({
  method: 'POST',
  path: '/user/hooks/{id}/deliveries/attempts',
  params: { id: pathNumber },
  scope: 'user',
  requires: [signedIn, webhooksOn, validBody],
  body: RedeliverOption,
  reply: { 202: Redelivered },
  summary: 'Send a range of deliveries again, oldest first',
  run: ({ ctx, params, body }) => answerRange(ctx, hooksOfAccount(ctx.viewer.id), params.id, body),
})

export const adminListHookDeliveries = operation({
  method: 'GET',
  path: '/admin/hooks/{id}/deliveries',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin, webhooksOn],
  query: deliveryQuery,
  reply: { 200: Type.Array(HookDelivery) },
  summary: 'List the deliveries of a webhook, newest first',
  run: ({ ctx, params, query }) => answerList(ctx, hooksOfInstance, params.id, query),
})

export const adminGetHookDelivery = operation({
  method: 'GET',
  path: '/admin/hooks/{id}/deliveries/{delivery_id}',
  params: deliveryParams,
  scope: 'admin',
  requires: [signedIn, siteAdmin, webhooksOn],
  reply: { 200: HookDeliveryDetails },
  summary: 'Get a delivery with its attempts, their requests and answers',
  run: ({ ctx, params }) => answerOne(ctx, hooksOfInstance, params),
})

export const adminRedeliverHookDelivery = operation({
  method: 'POST',
  path: '/admin/hooks/{id}/deliveries/{delivery_id}/attempts',
  params: deliveryParams,
  scope: 'admin',
  requires: [signedIn, siteAdmin, webhooksOn],
  reply: { 202: Redelivered },
  summary: 'Send a delivery again, under the same id',
  run: ({ ctx, params }) => answerRedelivered(ctx, hooksOfInstance, params),
})

export const adminRedeliverHookDeliveries = operation({
  method: 'POST',
  path: '/admin/hooks/{id}/deliveries/attempts',
  params: { id: pathNumber },
  scope: 'admin',
  requires: [signedIn, siteAdmin, webhooksOn, validBody],
  body: RedeliverOption,
  reply: { 202: Redelivered },
  summary: 'Send a range of deliveries again, oldest first',
  run: ({ ctx, params, body }) => answerRange(ctx, hooksOfInstance, params.id, body),
})
