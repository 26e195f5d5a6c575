import type { AuthServices } from '../auth/auth-services.ts'
import type { CredentialReader } from '../auth/credentials.ts'
import { tokenIn } from '../auth/credentials.ts'
import { parseScopes } from '../auth/token-scopes.ts'
import { viewerOf } from '../auth/viewer.ts'
import { nowUnix } from '../lib/time.ts'
import { hashToken } from '../secrets/tokens.ts'
import { findAccessToken } from './grant.store.ts'
import { tokenScopesOf } from './scope.rules.ts'
import { looksLikeAccessToken } from './token-form.ts'

/** The scope of an access token of an application. */
export class OAuthGrantPrincipal {
  constructor(
    readonly scope: string,
    /** Whether the token was sent as a user name or password. */
    readonly isBasic: boolean,
  ) {}
}

/** Client credentials by Basic authentication. The operation verifies them. */
export class ClientPrincipal {
  constructor(
    readonly clientId: string,
    readonly secret: string,
  ) {}
}

/** Returns the identity of an application's access token; undefined for another text, and for an expired token. */
export async function identityOfToken(
  { db, clock }: Pick<AuthServices, 'db' | 'clock'>,
  text: string,
  isBasic = false,
) {
  if (!looksLikeAccessToken(text)) return undefined
  const found = await findAccessToken(db, hashToken(text))
  if (!found || found.token.expires_unix <= nowUnix(clock)) return undefined
  const { token, grant, user } = found
  const scopes = parseScopes(tokenScopesOf(grant.scope))
  return {
    viewer: viewerOf(user, { kind: 'token', tokenId: token.id, isOAuth: true, scopes, basic: false }),
    principal: new OAuthGrantPrincipal(grant.scope, isBasic),
  }
}

/** Accepts access tokens of applications. Also as a password, a token keeps its scopes and cannot manage tokens. */
export const oauthTokens: CredentialReader = {
  kind: 'oauth2',
  read(services, _call, presented) {
    const text = tokenIn(presented)
    return text === undefined ? undefined : identityOfToken(services, text, presented.kind === 'basic')
  },
}

/** Accepts the id and the secret of an application, each form-encoded (RFC 6749, 2.3.1). */
export const clients: CredentialReader = {
  kind: 'client',
  read(_services, _call, presented) {
    if (presented.kind !== 'basic') return undefined
    const { login, password } = presented
    return { viewer: undefined, principal: new ClientPrincipal(unescaped(login), unescaped(password)) }
  },
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // The client did not encode the text, which contains a percent sign.
    return text
  }
}
