import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { presentUser } from './user.present.ts'
import { User } from './user.schemas.ts'

export const userGetCurrent = operation({
  method: 'GET',
  path: '/user',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: User },
  run: async ({ ctx }) => ok(presentUser(ctx, ctx.viewer.user)),
})
