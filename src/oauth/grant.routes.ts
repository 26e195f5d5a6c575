import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok } from '../http/reply.ts'
import { dateTime, object, pathNumber } from '../http/schema.ts'
import { formatUnix } from '../lib/time.ts'
import { listGrants, revokeGrant } from './grant.service.ts'

const OAuth2Grant = object('OAuth2Grant', {
  id: Type.Integer(),
  name: Type.String(),
  client_id: Type.String(),
  scope: Type.String(),
  created: dateTime(),
})

export const userListOAuth2Grants = operation({
  method: 'GET',
  path: '/user/oauth2/grants',
  cost: 'usual',
  base: 'vendor',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: Type.Array(OAuth2Grant) },
  summary: 'The applications that the account granted access, the newest first, at most 200',
  async run({ ctx }) {
    const grants = await listGrants(ctx, ctx.viewer.id)
    return ok(grants.map(({ created_unix, ...grant }) => ({ ...grant, created: formatUnix(created_unix) })))
  },
})

export const userRevokeOAuth2Grant = operation({
  method: 'DELETE',
  path: '/user/oauth2/grants/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  base: 'vendor',
  scope: 'user',
  requires: [signedIn],
  reply: { 204: 'empty' },
  summary: "Revokes an application's access; its tokens end at once",
  run: ({ ctx, params }) => revokeGrant(ctx, ctx.viewer.id, params.id),
})
