import type { Ctx } from '../access/context.ts'
import { checkAccountState } from '../auth/identify.ts'
import { textMember, type Requirement } from '../http/operation.ts'
import { BadRequest, Forbidden, Invalid, Unauthenticated } from '../lib/errors.ts'
import { contentTypeOf } from '../http/media-type.ts'
import { ClientPrincipal, identityOfToken, OAuthGrantPrincipal } from './oauth.credentials.ts'
import type { ClientLogin } from './token.service.ts'

/** `[oauth2].ENABLED`. */
export const oauthOn: Requirement<Ctx, object> = {
  codes: ['oauthEnabled'],
  refuses: [403],
  check({ config }) {
    if (!config.oauth2.enabled) throw new Forbidden('signing in to applications is switched off', 'oauth_disabled')
    return {}
  },
}

/** The body can be read; what is wrong with it is told in the protocol's way. */
export const protocolBody: Requirement<Ctx, object> = {
  codes: ['bind:form'],
  refuses: [400],
  async check(_ctx, call) {
    await call.decodedBody().catch((error: unknown) => {
      throw error instanceof Invalid ? new BadRequest(error.message, 'invalid_request') : error
    })
    return {}
  },
}

/** An application said who it is by Basic authentication. */
export const clientLogin: Requirement<Ctx, { readonly client: ClientLogin }> = {
  codes: ['client'],
  refuses: [401],
  check({ principal }) {
    if (!(principal instanceof ClientPrincipal)) throw new Unauthenticated('the client has to say who it is')
    return { client: { clientId: principal.clientId, secret: principal.secret } }
  },
}

/** A token that a person let an application have, sent as such and not as a password. */
export const bearerGrant: Requirement<Ctx, { readonly granted: OAuthGrantPrincipal }> = {
  codes: ['grant'],
  refuses: [401],
  check({ principal }) {
    if (!(principal instanceof OAuthGrantPrincipal) || principal.isBasic) throw new Unauthenticated()
    return { granted: principal }
  },
}

/** The same, or in a form as `access_token` and nowhere else (RFC 6750, 2.2). */
export const grantInForm: Requirement<Ctx, { readonly granted: OAuthGrantPrincipal; readonly viewer: Ctx['viewer'] }> =
  {
    codes: ['grant'],
    refuses: [400, 401, 403],
    async check(ctx, call) {
      const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentTypeOf(call))
      const token = isForm ? textMember(await call.decodedBody(), 'access_token') : undefined
      if (token === undefined) return { ...(await bearerGrant.check(ctx, call)), viewer: ctx.viewer }
      if (ctx.principal) throw new BadRequest('the token is sent in two ways', 'invalid_request')
      const found = await identityOfToken(ctx, token)
      if (!found) throw new Unauthenticated()
      checkAccountState(found.viewer.user)
      return { granted: found.principal, viewer: found.viewer }
    },
  }

/**
 * What an application says of itself, in the body or by Basic authentication; where it says both, they agree.
 * @throws BadRequest
 */
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
