import { Type } from 'typebox'
import type { Ctx, SubjectCtx } from '../../access/context.ts'
import { anyone } from '../../access/requirements.ts'
import { jsonAs, operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { isPublicLocal, userOfId } from '../actors/actor.requirements.ts'
import { ActivityStreamsObject } from '../actors/actor.schemas.ts'
import { actActivity, actNote } from '../activity.rules.ts'
import { activityType, instanceUrl, personUrl } from '../address.rules.ts'
import { federated, signed } from '../peers/signature.requirements.ts'
import { presentPublicActs } from './act.present.ts'
import { presentCollection } from './collection.present.ts'
import { collectionPageSize as pageSize, getMembers, getOutbox, getPublicAct } from './outbox.service.ts'

const shared = {
  method: 'GET',
  scope: 'activitypub',
  reply: { 200: jsonAs(activityType, ActivityStreamsObject) },
} as const

const query = { page: Type.Optional(Type.Integer()) }

/** Without `page` the collection itself is shown, with totals and without items. */
const pageOf = (requested: number | undefined) => {
  const page = requested === undefined ? undefined : Math.max(1, requested)
  const number = page ?? 1
  return { page, of: { number, limit: pageSize, offset: (number - 1) * pageSize } }
}

export const activitypubInstanceActorOutbox = operation({
  ...shared,
  path: '/activitypub/actor/outbox',
  cost: 'usual',
  requires: [anyone, federated],
  summary: 'Get the outbox of the instance, which is empty',
  run: async ({ ctx }) =>
    ok(presentCollection({ id: `${instanceUrl(ctx.config)}/outbox`, total: 0, page: undefined, pageSize, items: [] })),
})

export const activitypubPersonOutbox = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/outbox',
  cost: 'usual',
  requires: [federated, userOfId, isPublicLocal, signed],
  query,
  summary: 'Get the outbox of an account: its public acts',
  async run({ ctx, query: { page: requested } }) {
    const { page, of } = pageOf(requested)
    const { acts, total } = await getOutbox(ctx, ctx.subject, of)
    const presented = page === undefined ? [] : await presentPublicActs(ctx, acts)
    const items = presented.map((act) => actActivity(ctx.config, act))
    return ok(
      presentCollection({ id: `${personUrl(ctx.config, ctx.subject.id)}/outbox`, total, page, pageSize, items }),
    )
  },
})

async function people(ctx: Ctx & SubjectCtx, side: 'followers' | 'following', requested: number | undefined) {
  const { page, of } = pageOf(requested)
  const { members, total } = await getMembers(ctx, side, ctx.subject, of)
  const items = members.map((member) => member.actor_url ?? personUrl(ctx.config, member.id))
  return ok(presentCollection({ id: `${personUrl(ctx.config, ctx.subject.id)}/${side}`, total, page, pageSize, items }))
}

export const activitypubPersonFollowers = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/followers',
  cost: 'usual',
  requires: [federated, userOfId, isPublicLocal, signed],
  query,
  summary: 'Get the followers of an account',
  run: ({ ctx, query }) => people(ctx, 'followers', query.page),
})

export const activitypubPersonFollowing = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/following',
  cost: 'usual',
  requires: [federated, userOfId, isPublicLocal, signed],
  query,
  summary: 'Get the accounts that an account follows',
  run: ({ ctx, query }) => people(ctx, 'following', query.page),
})

const actParams = { 'activity-id': pathNumber }

async function getAct(ctx: Ctx & SubjectCtx, id: number) {
  const [act] = await presentPublicActs(ctx, [await getPublicAct(ctx, ctx.subject, id)])
  if (!act) throw new Error('an act that was just found cannot be presented')
  return act
}

export const activitypubPersonNote = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/activities/{activity-id}',
  cost: 'usual',
  params: actParams,
  requires: [federated, userOfId, isPublicLocal, signed],
  summary: 'Get the note about an act of an account',
  run: async ({ ctx, params }) =>
    ok({
      '@context': 'https://www.w3.org/ns/activitystreams',
      ...actNote(ctx.config, await getAct(ctx, params['activity-id'])),
    }),
})

export const activitypubPersonActivity = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/activities/{activity-id}/activity',
  cost: 'usual',
  params: actParams,
  requires: [federated, userOfId, isPublicLocal, signed],
  summary: 'Get the activity that announced an act of an account',
  run: async ({ ctx, params }) => ok(actActivity(ctx.config, await getAct(ctx, params['activity-id']))),
})
