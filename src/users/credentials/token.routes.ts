import { basicAuth, signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { Type } from 'typebox'
import { namedUser, selfOrAdmin, userVisible } from '../subject.requirements.ts'
import { presentToken } from './token.present.ts'
import { AccessToken, CreateAccessTokenOption } from './token.schemas.ts'
import { issueToken, pageOfTokens, removeToken } from './token.service.ts'

export const userGetTokens = operation({
  method: 'GET',
  path: '/users/{username}/tokens',
  cost: 'usual',
  scope: 'user',
  requires: [namedUser, userVisible, selfOrAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(AccessToken) },
  summary: 'List the access tokens of an account',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { tokens, total } = await pageOfTokens(ctx, ctx.subject, page)
    return paged(
      tokens.map((row) => presentToken(row)),
      page,
      total,
      { link: false },
    )
  },
})

export const userCreateToken = operation({
  method: 'POST',
  path: '/users/{username}/tokens',
  cost: 'usual',
  scope: 'user',
  outlivesCredential: true,
  requires: [basicAuth, namedUser, userVisible, selfOrAdmin, validBody, signedIn],
  body: CreateAccessTokenOption,
  reply: { 201: AccessToken },
  summary: 'Create an access token',
  async run({ ctx, body }) {
    const scopes = body.scopes ?? []
    const { row, token } = await issueToken(ctx, ctx.subject, { name: body.name, scopes })
    return created(presentToken(row, token))
  },
})

export const userDeleteAccessToken = operation({
  method: 'DELETE',
  path: '/users/{username}/tokens/{id}',
  cost: 'usual',
  scope: 'user',
  requires: [basicAuth, namedUser, userVisible, selfOrAdmin, signedIn],
  reply: { 204: 'empty' },
  summary: 'Revoke an access token',
  run: ({ ctx, params }) => removeToken(ctx, ctx.subject, params.id),
})
