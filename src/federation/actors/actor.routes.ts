import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { jsonAs, operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { publicKeyOf } from '../actor-key.service.ts'
import { activityType } from '../address.rules.ts'
import { federated, signed } from '../peers/signature.requirements.ts'
import { presentInstance, presentPerson, presentRepository } from './actor.present.ts'
import { isPublicLocal, repositoryOfId, userOfId } from './actor.requirements.ts'
import { ActivityStreamsActor, WebFingerAnswer } from './actor.schemas.ts'
import { presentWebFinger } from './webfinger.present.ts'
import { findByResource } from './webfinger.service.ts'

const actorReply = { 200: jsonAs(activityType, ActivityStreamsActor) }

export const activitypubInstanceActor = operation({
  method: 'GET',
  path: '/activitypub/actor',
  cost: 'usual',
  scope: 'activitypub',
  requires: [anyone, federated],
  reply: actorReply,
  summary: 'Get the actor of the instance',
  run: async ({ ctx }) => ok(presentInstance(ctx, await publicKeyOf(ctx, 'instance'))),
})

export const activitypubPerson = operation({
  method: 'GET',
  path: '/activitypub/user-id/{user-id}',
  cost: 'usual',
  scope: 'activitypub',
  requires: [federated, userOfId, isPublicLocal, signed],
  reply: actorReply,
  summary: 'Get the actor of an account',
  run: async ({ ctx }) => ok(presentPerson(ctx, ctx.subject, await publicKeyOf(ctx, ctx.subject.id))),
})

export const activitypubPersonByName = operation({
  method: 'GET',
  path: '/activitypub/user/{username}',
  cost: 'usual',
  scope: 'activitypub',
  deprecated: true,
  requires: [federated, namedUser, isPublicLocal, signed],
  reply: actorReply,
  summary: 'Get the actor of an account by its name',
  run: async ({ ctx }) => ok(presentPerson(ctx, ctx.subject, await publicKeyOf(ctx, ctx.subject.id))),
})

export const activitypubRepository = operation({
  method: 'GET',
  path: '/activitypub/repository-id/{repository-id}',
  cost: 'usual',
  scope: 'activitypub',
  requires: [federated, repositoryOfId, signed],
  reply: actorReply,
  summary: 'Get the actor of a repository',
  run: async ({ ctx }) => ok(presentRepository(ctx, ctx.repo)),
})

export const wellKnownWebFinger = operation({
  method: 'GET',
  path: '/.well-known/webfinger',
  cost: 'usual',
  base: 'site',
  scope: null,
  requires: [anyone, federated],
  query: { resource: Type.String() },
  reply: { 200: WebFingerAnswer },
  summary: 'Find an account of this instance (WebFinger, RFC 7033)',
  async run({ ctx, query }) {
    const user = await findByResource(ctx, query.resource ?? '')
    return ok(presentWebFinger(ctx, user), { 'access-control-allow-origin': '*' })
  },
})
