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

/** What an access token of an application was granted. */
export class OAuthGrantPrincipal {
  constructor(
    readonly scope: string,
    /** Sent in the place of a name or password. */
    readonly isBasic: boolean,
  ) {}
}

/** What a program says of itself by Basic authentication; whether it is right is the operation's question. */
export class ClientPrincipal {
  constructor(
    readonly clientId: string,
    readonly secret: string,
  ) {}
}

/** Whom an access token of an application stands for, and with which scopes; undefined for what is none, and what has ended. */
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

/**
 * Access tokens that people let applications have. Wherever one stands, its scopes go with it, and it never counts as a
 * password: it manages no tokens.
 */
export const oauthTokens: CredentialReader = {
  kind: 'oauth2',
  read(services, _call, presented) {
    const text = tokenIn(presented)
    return text === undefined ? undefined : identityOfToken(services, text, presented.kind === 'basic')
  },
}

/** Id and secret of an application, each escaped as in a form (RFC 6749, 2.3.1). */
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
    // Sent as it is, with a percent sign that escapes nothing.
    return text
  }
}
