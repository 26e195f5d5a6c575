import { Type } from 'typebox'
import type { SignedInCtx } from '../../access/context.ts'
import { anyone, signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { object, requestObject } from '../../http/schema.ts'
import { issuerOf, presentUserInfo } from './claims.present.ts'
import { publicKeys, signingAlgorithm } from './key.service.ts'
import { bearerErrors } from '../oauth-errors.ts'
import type { OAuthGrantPrincipal } from '../oauth.credentials.ts'
import { bearerGrant, grantInForm, oauthOn } from '../oauth.requirements.ts'
import { deviceGrantType } from '../token-form.ts'

const texts = Type.Array(Type.String())

const Discovery = object('OpenIDConfiguration', {
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  userinfo_endpoint: Type.String(),
  introspection_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  device_authorization_endpoint: Type.String(),
  response_types_supported: texts,
  response_modes_supported: texts,
  id_token_signing_alg_values_supported: texts,
  subject_types_supported: texts,
  scopes_supported: texts,
  claims_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  code_challenge_methods_supported: texts,
  grant_types_supported: texts,
  prompt_values_supported: texts,
  claim_types_supported: texts,
  claims_parameter_supported: Type.Boolean(),
  request_parameter_supported: Type.Boolean(),
  request_uri_parameter_supported: Type.Boolean(),
})

const UserInfo = object('OpenIDUserInfo', {
  sub: Type.String(),
  name: Type.String(),
  preferred_username: Type.String(),
  email: Type.Optional(Type.String()),
  email_verified: Type.Optional(Type.Boolean()),
  picture: Type.String(),
  profile: Type.Optional(Type.String()),
  website: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  updated_at: Type.Optional(Type.Integer()),
  groups: Type.Optional(texts),
})

const KeySet = object('JSONWebKeySet', { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })

/** Documents that anyone can read, also scripts of other origins. */
const publicDocument = {
  method: 'GET',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: [],
  anyOrigin: true,
  requires: [anyone, oauthOn],
} as const

export const openidConfiguration = operation({
  ...publicDocument,
  path: '/.well-known/openid-configuration',
  cost: 'usual',
  reply: { 200: Discovery },
  summary: 'The configuration of the OpenID provider (OpenID Connect Discovery)',
  async run({ ctx }) {
    const issuer = issuerOf(ctx)
    return ok({
      issuer,
      authorization_endpoint: `${issuer}/login/oauth/authorize`,
      token_endpoint: `${issuer}/login/oauth/access_token`,
      jwks_uri: `${issuer}/login/oauth/keys`,
      userinfo_endpoint: `${issuer}/login/oauth/userinfo`,
      introspection_endpoint: `${issuer}/login/oauth/introspect`,
      revocation_endpoint: `${issuer}/login/oauth/revoke`,
      device_authorization_endpoint: `${issuer}/login/oauth/device_authorization`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      id_token_signing_alg_values_supported: [signingAlgorithm(ctx)],
      subject_types_supported: ['public'],
      scopes_supported: ['openid', 'profile', 'email', 'groups'],
      claims_supported: [
        'aud',
        'exp',
        'iat',
        'iss',
        'sub',
        'nonce',
        'auth_time',
        'name',
        'preferred_username',
        'profile',
        'picture',
        'website',
        'locale',
        'updated_at',
        'email',
        'email_verified',
        'groups',
      ],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['plain', 'S256'],
      grant_types_supported: ['authorization_code', 'refresh_token', deviceGrantType],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      claim_types_supported: ['normal'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      // The default is true (OpenID Connect Discovery, 3).
      request_uri_parameter_supported: false,
    })
  },
})

export const oauthKeys = operation({
  ...publicDocument,
  path: '/login/oauth/keys',
  cost: 'usual',
  reply: { 200: KeySet },
  summary: 'The keys that sign identity tokens (RFC 7517)',
  async run({ ctx }) {
    return ok({ keys: (await publicKeys(ctx)).map((key) => ({ ...key })) })
  },
})

const userInfo = {
  path: '/login/oauth/userinfo',
  base: 'site',
  family: 'oauth2',
  scope: null,
  accepts: ['oauth2'],
  anyOrigin: true,
  errors: bearerErrors,
  requires: [anyone, oauthOn, bearerGrant, signedIn],
  reply: { 200: UserInfo },
  summary: 'The person who granted the token',
} as const

const answerUserInfo = async (ctx: SignedInCtx & { readonly granted: OAuthGrantPrincipal }) =>
  ok(await presentUserInfo(ctx, ctx.viewer.user, ctx.granted.scope))

export const oauthUserInfo = operation({
  cost: 'usual',
  ...userInfo,
  method: 'GET',
  run: ({ ctx }) => answerUserInfo(ctx),
})

export const oauthUserInfoPost = operation({
  cost: 'usual',
  ...userInfo,
  method: 'POST',
  requires: [anyone, oauthOn, grantInForm, signedIn],
  // A body of another media type is ignored.
  body: requestObject('OpenIDUserInfoForm', { access_token: Type.Optional(Type.String({ maxLength: 4096 })) }),
  run: ({ ctx }) => answerUserInfo(ctx),
})
