import type { Ctx } from '../access/context.ts'
import { checkAccountState } from '../auth/identify.ts'
import { textMember, type Call, type Requirement } from '../http/operation.ts'
import { BadRequest, Forbidden, Invalid, Unauthenticated } from '../lib/errors.ts'
import { contentTypeOf } from '../http/media-type.ts'
import { ClientPrincipal, identityOfToken, OAuthGrantPrincipal } from './oauth.credentials.ts'
import type { ClientLogin } from './token.service.ts'

/** `[oauth2].ENABLED`. */
export const oauthOn: Requirement<Ctx, object> = {
  codes: ['oauthEnabled'],
  refuses: [403],
  check({ config }) {
    if (!config.oauth2.enabled) throw new Forbidden('OAuth2 is disabled ([oauth2].ENABLED)', 'oauth_disabled')
    return {}
  },
}

/** Returns the decoded body; an invalid one is `invalid_request` of the protocol. */
const protocolBodyOf = (call: Pick<Call, 'decodedBody'>): Promise<unknown> =>
  call.decodedBody().catch((error: unknown) => {
    throw error instanceof Invalid ? new BadRequest(error.message, 'invalid_request') : error
  })

/** Statuses of an unreadable body in the protocol: invalid, too large, wrong type. */
const protocolRefusals = [400, 413, 415]

/** The body is well-formed; errors are errors of the protocol. */
export const protocolBody: Requirement<Ctx, object> = {
  codes: ['bind:form'],
  refuses: protocolRefusals,
  async check(_ctx, call) {
    await protocolBodyOf(call)
    return {}
  },
}

/** The application sends its credentials by Basic authentication. */
export const clientLogin: Requirement<Ctx, { readonly client: ClientLogin }> = {
  codes: ['client'],
  refuses: [401],
  check({ principal }) {
    if (!(principal instanceof ClientPrincipal)) {
      throw new Unauthenticated('client credentials by Basic authentication are required')
    }
    return { client: { clientId: principal.clientId, secret: principal.secret } }
  },
}

/** An access token of an application, sent as a bearer token. */
export const bearerGrant: Requirement<Ctx, { readonly granted: OAuthGrantPrincipal }> = {
  codes: ['grant'],
  refuses: [401],
  check({ principal }) {
    if (!(principal instanceof OAuthGrantPrincipal) || principal.isBasic) throw new Unauthenticated()
    return { granted: principal }
  },
}

/** An access token as a bearer token, or as `access_token` in a form, but not both (RFC 6750, 2.2). */
export const grantInForm: Requirement<Ctx, { readonly granted: OAuthGrantPrincipal; readonly viewer: Ctx['viewer'] }> =
  {
    codes: ['grant'],
    refuses: [401, 403, ...protocolRefusals],
    async check(ctx, call) {
      const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentTypeOf(call))
      const token = isForm ? textMember(await protocolBodyOf(call), 'access_token') : undefined
      if (token === undefined) return { ...(await bearerGrant.check(ctx, call)), viewer: ctx.viewer }
      if (ctx.principal) throw new BadRequest('the token is sent both in the header and in the form', 'invalid_request')
      const found = await identityOfToken(ctx, token)
      if (!found) throw new Unauthenticated()
      checkAccountState(found.viewer.user)
      return { granted: found.principal, viewer: found.viewer }
    },
  }

/** Returns the client credentials of the body or of Basic authentication. Throws `BadRequest` when they differ. */
export function clientOf(
  { principal }: Pick<Ctx, 'principal'>,
  body: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
): ClientLogin {
  if (!(principal instanceof ClientPrincipal)) return { clientId: body.client_id ?? '', secret: body.client_secret }
  const { clientId, secret } = principal
  if ((body.client_id ?? clientId) !== clientId || (body.client_secret ?? secret) !== secret) {
    throw new BadRequest('the credentials in the body and in the header differ', 'invalid_request')
  }
  return { clientId, secret }
}
