import { Type, type Static } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { anyone } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { empty, ok } from '../http/reply.ts'
import { object, requestObject } from '../http/schema.ts'
import { BadRequest } from '../lib/errors.ts'
import { issuerOf, presentClaims } from './openid/claims.present.ts'
import { exchangeDeviceCode } from './devices/device.service.ts'
import { signClaims } from './openid/key.service.ts'
import { basicErrors, tokenErrors } from './oauth-errors.ts'
import { clientLogin, clientOf, oauthOn, protocolBody } from './oauth.requirements.ts'
import { noStore, ofClients } from './client-operation.ts'
import { hasScope } from './scope.rules.ts'
import { deviceGrantType } from './token-form.ts'
import {
  clientWithSecret,
  exchangeCode,
  introspect,
  refresh,
  revokeToken,
  type ClientLogin,
  type IssuedTokens,
} from './token.service.ts'

const text = Type.Optional(Type.String({ maxLength: 4096 }))

const TokenRequest = requestObject('OAuth2TokenRequest', {
  grant_type: text,
  client_id: text,
  client_secret: text,
  code: text,
  redirect_uri: text,
  code_verifier: text,
  refresh_token: text,
  device_code: text,
})

const TokenReply = object('OAuth2Tokens', {
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
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

/** Issues tokens for the grant type of the request. */
function issueFor(ctx: Ctx, login: ClientLogin, sent: Static<typeof TokenRequest>): Promise<IssuedTokens> {
  const { code = '', redirect_uri: redirectUri, code_verifier: verifier } = sent
  switch (sent.grant_type) {
    case 'authorization_code':
      return exchangeCode(ctx, login, { code, redirectUri, verifier })
    case 'refresh_token':
      return refresh(ctx, login, sent.refresh_token ?? '')
    case deviceGrantType:
      return exchangeDeviceCode(ctx, login, sent.device_code ?? '')
    case undefined:
    default:
      throw new BadRequest(
        '[grant_type]: must be authorization_code, refresh_token or the device code type',
        'unsupported_grant_type',
      )
  }
}

export const oauthToken = operation({
  ...ofClients,
  method: 'POST',
  path: '/login/oauth/access_token',
  cost: 'usual',
  errors: tokenErrors,
  requires: [anyone, oauthOn, protocolBody, validBody],
  body: TokenRequest,
  reply: { 200: TokenReply },
  summary: 'Tokens for a code, a refresh token or a device',
  async run({ ctx, body }) {
    const login = clientOf(ctx, body)
    const issued = await issueFor(ctx, login, body)
    const { scope } = issued.grant
    const idToken = hasScope(scope, 'openid')
      ? await signClaims(ctx, {
          iss: issuerOf(ctx),
          sub: String(issued.user.id),
          aud: [issued.application.client_id],
          exp: issued.issuedUnix + issued.lifetimeSeconds,
          iat: issued.issuedUnix,
          ...(issued.authUnix === null ? {} : { auth_time: issued.authUnix }),
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
        // The scope of the first grant stays, so that it may differ from the requested one (RFC 6749, 5.1).
        scope,
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
  cost: 'usual',
  errors: basicErrors,
  requires: [anyone, oauthOn, clientLogin, validBody],
  body: TokenForm,
  reply: { 200: Introspection },
  summary: 'The state of a token, for the application that it was issued to (RFC 7662)',
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
  cost: 'usual',
  errors: tokenErrors,
  requires: [anyone, oauthOn, protocolBody, validBody],
  body: TokenForm,
  reply: { 200: 'empty' },
  summary: 'Revokes a token of the application (RFC 7009)',
  async run({ ctx, body }) {
    await revokeToken(ctx, clientOf(ctx, body), body.token ?? '')
    return empty(200, noStore)
  },
})
