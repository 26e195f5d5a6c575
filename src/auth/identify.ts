import type { UserRow } from '../db/tables/accounts.ts'
import type { Call } from '../http/operation.ts'
import { AccountRefused, NotFound, Unauthenticated } from '../lib/errors.ts'
import { hashToken } from '../secrets/tokens.ts'
import type { AuthServices } from './auth-services.ts'
import { findPerson } from './account.store.ts'
import { findTokenByHash } from './token.store.ts'
import { parseScopes } from './token-scopes.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** Longest header value that is looked at as a credential, in characters. */
const maxCredentialLength = 4096

/** What a request carries to say who sent it. */
type Presented =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string }

/**
 * The credential of a request: `token` in lower case, `Bearer` and `Basic` in any, or the deprecated query parameters.
 * Other schemes and a word without a value count as none; a malformed Basic value is wrong (observed).
 */
function presented(call: Call): Presented {
  const header = call.headers['authorization']
  if (typeof header === 'string' && header.length <= maxCredentialLength) {
    const [, scheme = '', value = ''] = /^(\S+) +(\S.*)$/.exec(header) ?? []
    if (value !== '' && (scheme === 'token' || scheme.toLowerCase() === 'bearer')) {
      return { kind: 'bearer', token: value.trim() }
    }
    if (value !== '' && scheme.toLowerCase() === 'basic') {
      const text = Buffer.from(value, 'base64').toString('utf8')
      const colon = text.indexOf(':')
      if (colon < 0) throw new Unauthenticated('the credentials are malformed', 'credentials_malformed')
      return { kind: 'basic', login: text.slice(0, colon), password: text.slice(colon + 1) }
    }
  }
  const token = call.rawQuery.get('token') || call.rawQuery.get('access_token')
  return token ? { kind: 'bearer', token } : { kind: 'none' }
}

const wrong = () => new Unauthenticated('the credentials are wrong', 'credentials_wrong')

async function viewerOfToken(services: AuthServices, token: string, basic: boolean): Promise<Viewer | undefined> {
  const found = await findTokenByHash(services.db, hashToken(token))
  if (!found) return undefined
  services.tokenUse.note(found.token.id)
  return viewerOf(found.user, {
    kind: 'token',
    tokenId: found.token.id,
    scopes: parseScopes(found.token.scopes),
    basic,
  })
}

/**
 * Who sent the request; undefined for a guest. Credentials that are present but wrong are 401 everywhere, public
 * addresses included. The account's state is looked at here: an inactive or barred account, or one that must change its
 * password first, is 403 whatever it asks for. Source: observed, in this order before sudo and scopes.
 */
export async function identify(services: AuthServices, call: Call): Promise<Viewer | undefined> {
  const sent = presented(call)
  if (sent.kind === 'none') return undefined
  const viewer =
    sent.kind === 'bearer'
      ? await viewerOfToken(services, sent.token, false)
      : await viewerOfBasic(services, { ...sent, ip: call.ip })
  if (!viewer) throw wrong()
  checkAccountState(viewer.user)
  return viewer
}

async function viewerOfBasic(
  services: AuthServices,
  { login, password, ip }: PasswordInput,
): Promise<Viewer | undefined> {
  const nameIsToken = password === '' || password === 'x-oauth-basic'
  const token = nameIsToken ? login : password
  if (looksLikeToken(token)) {
    const viewer = await viewerOfToken(services, token, true)
    if (viewer) return viewer
  }
  return viewerOfPassword(services, { login, password, ip })
}

const looksLikeToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** What somebody says who signs in by password, and the address it comes from. */
export interface PasswordInput {
  readonly login: string
  readonly password: string
  readonly ip: string
}

/**
 * The person with this name or address and password, if the account may sign in. Guessing is slowed down, by whichever
 * door: `TooManyRequests`.
 */
export async function viewerOfPassword(
  { db, passwordChecks, signInAttempts }: AuthServices,
  { login, password, ip }: PasswordInput,
): Promise<Viewer | undefined> {
  signInAttempts.check(login, ip)
  const user = await findPerson(db, login)
  const isRight = user !== undefined && !user.prohibit_login && (await passwordChecks.matches(user, password))
  // Guesses that were all begun at once learn no more than others.
  signInAttempts.check(login, ip)
  if (isRight) return viewerOf(user, { kind: 'password' })
  signInAttempts.failed(login, ip)
  return undefined
}

/** Throws when the account may not be used now. */
export function checkAccountState(user: UserRow): void {
  if (user.prohibit_login || !user.is_active) throw new AccountRefused('this account may not sign in', 'account_barred')
  if (user.must_change_password) {
    throw new AccountRefused('the password must be changed first, on the web pages', 'password_change_required')
  }
}

/**
 * The account to act as: an administrator may name another one by the query (which wins) or the header (contract A1).
 * @returns the named account's viewer with the caller's credential, or the caller
 */
export async function applySudo(
  services: AuthServices,
  call: Call,
  viewer: Viewer | undefined,
): Promise<Viewer | undefined> {
  const header = call.headers['sudo']
  const name = call.rawQuery.get('sudo') || (typeof header === 'string' ? header : '')
  if (!name) return viewer
  if (!viewer?.isAdmin) throw new AccountRefused('only administrators may sudo', 'sudo_forbidden')
  const target = await findPerson(services.db, name.toLowerCase())
  if (!target || target.lower_name !== name.toLowerCase()) {
    throw new NotFound('the user to act as does not exist', 'user_not_found')
  }
  return viewerOf(target, viewer.credential)
}
