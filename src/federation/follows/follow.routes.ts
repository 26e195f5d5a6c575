import { signedIn, tokenScope } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { federated } from '../peers/signature.requirements.ts'
import { FollowElsewhereOption } from './follow.schemas.ts'
import { followElsewhere } from './outgoing-follow.service.ts'

export const userFollowElsewhere = operation({
  method: 'POST',
  path: '/user/federation/following',
  cost: 'usual',
  scope: 'user',
  requires: [federated, signedIn, tokenScope('activitypub'), validBody],
  body: FollowElsewhereOption,
  reply: { 200: User },
  summary:
    'Follow an account on another server; afterwards it has a local record that is followed and unfollowed like any other',
  run: async ({ ctx, body }) => ok(presentUser(ctx, await followElsewhere(ctx, body.account))),
})
