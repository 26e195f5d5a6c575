import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { noContent } from '../../http/reply.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { knownEverywhere, repositoryOfId, userOfId } from '../actors/actor.requirements.ts'
import { noteHeard } from '../deliveries/deliver-activities.job.ts'
import { federated, signedBody, type SignedCtx } from '../peers/signature.requirements.ts'
import { jsonActivity } from './activity.requirements.ts'
import { takeForPerson } from './person-inbox.service.ts'
import { takeForRepo } from './repo-inbox.service.ts'

/** Largest activity, in bytes, when `[federation].MAX_SIZE` does not say less. */
const maxBodyBytes = 16 * 1024 * 1024

/** Its signature is over the bytes as they came, so they are taken as such. */
const body = bytesOf('application/activity+json', 'application/ld+json', 'application/json')

const inbox = { scope: 'activitypub', body, maxBodyBytes, reply: { 204: 'empty' } } as const

/** Whoever sends something is there to be sent something. */
const heard = async (ctx: SignedCtx): Promise<void> => {
  if (ctx.signer) await noteHeard(ctx, ctx.signer.server)
}

export const activitypubInstanceActorInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/actor/inbox',
  requires: [anyone, federated, signedBody],
  summary: 'Send something to the instance',
  // Nothing is done for who follows an instance: what is told, is told of people.
  async run({ ctx }) {
    await heard(ctx)
    return noContent()
  },
})

export const activitypubPersonInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/user-id/{user-id}/inbox',
  requires: [federated, userOfId, knownEverywhere, signedBody],
  summary: 'Send something to an account',
  async run({ ctx }) {
    await heard(ctx)
    await takeForPerson(ctx, ctx.subject, ctx.received, ctx.signer)
    return noContent()
  },
})

export const activitypubPersonByNameInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/user/{username}/inbox',
  deprecated: true,
  requires: [federated, namedUser, knownEverywhere, signedBody],
  summary: 'Send something to an account, by its name',
  async run({ ctx }) {
    await heard(ctx)
    await takeForPerson(ctx, ctx.subject, ctx.received, ctx.signer)
    return noContent()
  },
})

export const activitypubRepositoryInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/repository-id/{repository-id}/inbox',
  requires: [federated, repositoryOfId, jsonActivity, signedBody],
  summary: 'Send a like to a repository, or take one back',
  async run({ ctx }) {
    await heard(ctx)
    await takeForRepo(ctx, ctx.activity, ctx.signer)
    return noContent()
  },
})
