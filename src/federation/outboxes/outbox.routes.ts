import { Type } from 'typebox'
import type { Ctx, SubjectCtx } from '../../access/context.ts'
import { anyone } from '../../access/requirements.ts'
import { jsonAs, operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { knownEverywhere, userOfId } from '../actors/actor.requirements.ts'
import { ActivityStreamsObject } from '../actors/actor.schemas.ts'
import { actActivity, actNote } from '../activity.rules.ts'
import { activityType, instanceUrl, personUrl } from '../address.rules.ts'
import { federated, signed } from '../peers/signature.requirements.ts'
import { presentTold } from './act.present.ts'
import { presentCollection } from './collection.present.ts'
import { collectionPageSize as pageSize, getMembers, getOutbox, getPublicAct } from './outbox.service.ts'

const shared = {
  method: 'GET',
  scope: 'activitypub',
  reply: { 200: jsonAs(activityType, ActivityStreamsObject) },
} as const

const query = { page: Type.Optional(Type.Integer()) }

/** The collection itself counts what it has; a page has it. */
const pageOf = (asked: number | undefined) => {
  const page = asked === undefined ? undefined : Math.max(1, asked)
  const number = page ?? 1
  return { page, of: { number, limit: pageSize, offset: (number - 1) * pageSize } }
}

export const activitypubInstanceActorOutbox = operation({
  ...shared,
  path: '/activitypub/actor/outbox',
  requires: [anyone, federated],
  summary: 'What the instance itself did: nothing',
  run: async ({ ctx }) =>
    ok(presentCollection({ id: `${instanceUrl(ctx.config)}/outbox`, total: 0, page: undefined, pageSize, items: [] })),
})

export const activitypubPersonOutbox = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/outbox',
  requires: [federated, userOfId, knownEverywhere, signed],
  query,
  summary: 'What an account did, as far as everybody may know of it',
  async run({ ctx, query: { page: asked } }) {
    const { page, of } = pageOf(asked)
    const { acts, total } = await getOutbox(ctx, ctx.subject, of)
    const told = page === undefined ? [] : await presentTold(ctx, acts)
    const items = told.map((act) => actActivity(ctx.config, act))
    return ok(
      presentCollection({ id: `${personUrl(ctx.config, ctx.subject.id)}/outbox`, total, page, pageSize, items }),
    )
  },
})

async function people(ctx: Ctx & SubjectCtx, side: 'followers' | 'following', asked: number | undefined) {
  const { page, of } = pageOf(asked)
  const { members, total } = await getMembers(ctx, side, ctx.subject, of)
  const items = members.map((member) => member.actor_url ?? personUrl(ctx.config, member.id))
  return ok(presentCollection({ id: `${personUrl(ctx.config, ctx.subject.id)}/${side}`, total, page, pageSize, items }))
}

export const activitypubPersonFollowers = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/followers',
  requires: [federated, userOfId, knownEverywhere, signed],
  query,
  summary: 'Who follows an account',
  run: ({ ctx, query }) => people(ctx, 'followers', query.page),
})

export const activitypubPersonFollowing = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/following',
  requires: [federated, userOfId, knownEverywhere, signed],
  query,
  summary: 'Whom an account follows',
  run: ({ ctx, query }) => people(ctx, 'following', query.page),
})

const actParams = { 'activity-id': pathNumber }

async function told(ctx: Ctx & SubjectCtx, id: number) {
  const [act] = await presentTold(ctx, [await getPublicAct(ctx, ctx.subject, id)])
  if (!act) throw new Error('an act that was just found cannot be told')
  return act
}

export const activitypubPersonNote = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/activities/{activity-id}',
  params: actParams,
  requires: [federated, userOfId, knownEverywhere, signed],
  summary: 'Something that an account did, in words',
  run: async ({ ctx, params }) =>
    ok({
      '@context': 'https://www.w3.org/ns/activitystreams',
      ...actNote(ctx.config, await told(ctx, params['activity-id'])),
    }),
})

export const activitypubPersonActivity = operation({
  ...shared,
  path: '/activitypub/user-id/{user-id}/activities/{activity-id}/activity',
  params: actParams,
  requires: [federated, userOfId, knownEverywhere, signed],
  summary: 'The activity that told of something that an account did',
  run: async ({ ctx, params }) => ok(actActivity(ctx.config, await told(ctx, params['activity-id']))),
})
