import { Type } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { endSession, sessionsOf } from '../../auth/session.service.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { dateTime, object, pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import type { SessionId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'

const BrowserSession = object('BrowserSession', {
  id: Type.Integer(),
  address: Type.String(),
  user_agent: Type.String(),
  stays_signed_in: Type.Boolean(),
  created: dateTime(),
  last_used: dateTime(),
})

export const userListSessions = operation({
  method: 'GET',
  path: '/user/sessions',
  cost: 'usual',
  base: 'vendor',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: Type.Array(BrowserSession) },
  summary: 'The browsers that are signed in to the account, the last used first, 50 at most',
  async run({ ctx }) {
    const sessions = await sessionsOf(ctx, ctx.viewer.id)
    return ok(
      sessions.map((session) => ({
        id: session.id,
        address: session.address,
        user_agent: session.client,
        stays_signed_in: session.remember_until_unix > 0,
        created: formatUnix(session.created_unix),
        last_used: formatUnix(session.used_unix),
      })),
    )
  },
})

export const userEndSession = operation({
  method: 'DELETE',
  path: '/user/sessions/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  base: 'vendor',
  scope: 'user',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: 'Signs a browser out',
  async run({ ctx, params }) {
    if (!(await endSession(ctx, ctx.viewer.id, params.id as SessionId))) {
      throw new NotFound('the session does not exist', 'session_not_found')
    }
  },
})
