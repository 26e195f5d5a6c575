import { Type } from 'typebox'
import { anyone } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { empty, ok } from '../http/reply.ts'
import { object, requestObject } from '../http/schema.ts'
import { BadRequest } from '../lib/errors.ts'
import { issuerOf, presentClaims } from './claims.present.ts'
import { signClaims } from './key.service.ts'
import { basicErrors, tokenErrors } from './oauth-errors.ts'
import { clientLogin, clientOf, oauthOn, protocolBody } from './oauth.requirements.ts'
import { hasScope } from './scope.rules.ts'
import { clientWithSecret, exchangeCode, introspect, refresh, revokeToken } from './token.service.ts'

const text = Type.Optional(Type.String({ maxLength: 4096 }))

const TokenRequest = requestObject('OAuth2TokenRequest', {
  grant_type: text,
  client_id: text,
  client_secret: text,
  code: text,
  redirect_uri: text,
  code_verifier: text,
  refresh_token: text,
})

const TokenReply = object('OAuth2Tokens', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  id_token: Type.Optional(Type.String()),
})

const TokenForm = requestObject('OAuth2TokenForm', { token: text, client_id: text, client_secret: text })

const Introspection = object('OAuth2Introspection', {
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  sub: Type.Optional(Type.String()),
  aud: Type.Optional(Type.Array(Type.String())),
})

/** What holds for all that applications ask by themselves: no page, no cookie, from everywhere. */
const ofClients = { base: 'site', family: 'oauth2', scope: null, accepts: ['client'], anyOrigin: true } as const
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const oauthToken = operation({
  ...ofClients,
  method: 'POST',
  path: '/login/oauth/access_token',
  errors: tokenErrors,
  requires: [anyone, oauthOn, protocolBody, validBody],
  body: TokenRequest,
  reply: { 200: TokenReply },
  summary: 'Tokens for a code or a refresh token',
  async run({ ctx, body }) {
    const login = clientOf(ctx, body)
    const { code, redirect_uri: redirectUri, code_verifier: verifier } = body
    const issued =
      body.grant_type === 'authorization_code'
        ? await exchangeCode(ctx, login, { code: code ?? '', redirectUri, verifier })
        : body.grant_type === 'refresh_token'
          ? await refresh(ctx, login, body.refresh_token ?? '')
          : undefined
    if (!issued) throw new BadRequest('this kind of grant is not supported', 'unsupported_grant_type')
    const { scope } = issued.grant
    const idToken = hasScope(scope, 'openid')
      ? await signClaims(ctx, {
          iss: issuerOf(ctx),
          sub: String(issued.user.id),
          aud: [issued.application.client_id],
          exp: issued.issuedUnix + issued.lifetimeSeconds,
          iat: issued.issuedUnix,
          ...(issued.nonce === '' ? {} : { nonce: issued.nonce }),
          ...(await presentClaims(ctx, issued.user, scope)),
        })
      : undefined
    return ok(
      {
        access_token: issued.accessToken,
        token_type: 'bearer',
        expires_in: issued.lifetimeSeconds,
        refresh_token: issued.refreshToken,
        ...(idToken === undefined ? {} : { id_token: idToken }),
      },
      noStore,
    )
  },
})

export const oauthIntrospect = operation({
  ...ofClients,
  method: 'POST',
  path: '/login/oauth/introspect',
  errors: basicErrors,
  requires: [anyone, oauthOn, clientLogin, validBody],
  body: TokenForm,
  reply: { 200: Introspection },
  summary: 'What a token is worth, for the application that it was issued to (RFC 7662)',
  async run({ ctx, body }) {
    const application = await clientWithSecret(ctx, ctx.client)
    const found = await introspect(ctx, application, body.token ?? '')
    if (!found) return ok({ active: false }, noStore)
    return ok(
      {
        active: true,
        scope: found.grant.scope,
        username: found.user.name,
        iss: issuerOf(ctx),
        sub: String(found.user.id),
        aud: [application.client_id],
      },
      noStore,
    )
  },
})

export const oauthRevoke = operation({
  ...ofClients,
  method: 'POST',
  path: '/login/oauth/revoke',
  errors: tokenErrors,
  requires: [anyone, oauthOn, protocolBody, validBody],
  body: TokenForm,
  reply: { 200: 'empty' },
  summary: 'Ends a token that the application gives back (RFC 7009)',
  async run({ ctx, body }) {
    await revokeToken(ctx, clientOf(ctx, body), body.token ?? '')
    return empty(200, noStore)
  },
})
