import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { isPublicLocal, repositoryOfId, userOfId } from '../actors/actor.requirements.ts'
import { noteContact } from '../deliveries/deliver-activities.job.ts'
import { federated, signedBody, type SignedCtx } from '../peers/signature.requirements.ts'
import { jsonActivity } from './activity.requirements.ts'
import { receiveForPerson } from './person-inbox.service.ts'
import { receiveForRepo, receiveLikeForRepo } from './repo-inbox.service.ts'

/** Largest activity, in bytes, when `[federation].MAX_SIZE` does not say less. */
const maxBodyBytes = 16 * 1024 * 1024

/** The signature covers the bytes as received. */
const body = bytesOf('application/activity+json', 'application/ld+json', 'application/json')

const inbox = { scope: 'activitypub', body, maxBodyBytes, reply: { 204: 'empty' } } as const

/** A server that sends a request can be reached again. */
const recordContact = async (ctx: SignedCtx): Promise<void> => {
  if (ctx.signer) await noteContact(ctx, ctx.signer.server)
}

export const activitypubInstanceActorInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/actor/inbox',
  cost: 'usual',
  requires: [anyone, federated, signedBody],
  summary: 'Send an activity to the instance',
  // The instance has no followers, so activities for it have no effect.
  run: ({ ctx }) => recordContact(ctx),
})

export const activitypubPersonInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/user-id/{user-id}/inbox',
  cost: 'usual',
  requires: [federated, userOfId, isPublicLocal, signedBody],
  summary: 'Send an activity to an account',
  async run({ ctx }) {
    await recordContact(ctx)
    await receiveForPerson(ctx, ctx.subject, ctx.received, ctx.signer)
  },
})

export const activitypubPersonByNameInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/user/{username}/inbox',
  cost: 'usual',
  deprecated: true,
  requires: [federated, namedUser, isPublicLocal, signedBody],
  summary: 'Send an activity to an account, by its name',
  async run({ ctx }) {
    await recordContact(ctx)
    await receiveForPerson(ctx, ctx.subject, ctx.received, ctx.signer)
  },
})

export const activitypubRepositoryInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/repository-id/{repository-id}/inbox',
  cost: 'usual',
  requires: [federated, repositoryOfId, jsonActivity, signedBody],
  refuses: [406],
  summary: 'Send a like to a repository',
  async run({ ctx }) {
    await recordContact(ctx)
    await receiveLikeForRepo(ctx, ctx.activity, ctx.signer)
  },
})

/** The inbox that the actor document of a repository names; the contract's inbox of a repository accepts only likes. */
export const activitypubRepositoryForgeInbox = operation({
  ...inbox,
  method: 'POST',
  path: '/activitypub/repository-id/{repository-id}/forgefed/inbox',
  cost: 'usual',
  requires: [federated, repositoryOfId, jsonActivity, signedBody],
  refuses: [406],
  summary: 'Send an activity to a repository: a like, an issue, a comment, or the end of one',
  async run({ ctx }) {
    await recordContact(ctx)
    await receiveForRepo(ctx, ctx.activity, ctx.signer)
  },
})
