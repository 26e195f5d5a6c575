import { recordAct } from '../audit/audit.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { isPage, type Call } from '../http/operation.ts'
import { isFromHere } from '../http/own-origin.ts'
import { AccountRefused, NotFound, Unauthenticated } from '../lib/errors.ts'
import { hashToken } from '../secrets/tokens.ts'
import type { AuthServices } from './auth-services.ts'
import type { Caller } from './sign-in-attempts.ts'
import { findPerson } from './account.store.ts'
import { presentedBy, tokenIn, type CredentialReader, type Identity } from './credentials.ts'
import { findTokenByHash } from './token.store.ts'
import { parseScopes } from './token-scopes.ts'
import { passesSecondFactor } from './two-factor.service.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** An access token, wherever it stands. As a password only what looks like one is looked for. */
export const accessTokens: CredentialReader = {
  kind: 'token',
  async read(services, _call, presented) {
    const token = tokenIn(presented)
    const isBasic = presented.kind === 'basic'
    if (token === undefined || (isBasic && !looksLikeToken(token))) return undefined
    const found = await findTokenByHash(services.db, hashToken(token))
    if (!found) return undefined
    services.tokenUse.note(found.token.id)
    const scopes = parseScopes(found.token.scopes)
    return {
      viewer: viewerOf(found.user, { kind: 'token', tokenId: found.token.id, isOAuth: false, scopes, basic: isBasic }),
    }
  },
}

/** Name or address and password. It comes after all others: a wrong password counts as a guess. */
export const passwords: CredentialReader = {
  kind: 'basic',
  async read(services, call, presented) {
    if (presented.kind !== 'basic') return undefined
    const { ip, headers } = call
    const { login, password } = presented
    if (!services.config.service.enableBasicAuthentication) {
      throw new Unauthenticated('passwords do not count here: use an access token', 'basic_authentication_off')
    }
    const viewer = await viewerOfPassword(services, { login, password, ip, caller: call })
    if (!viewer) return undefined
    const code = codeHeaders.map((name) => headers[name]).find((value) => typeof value === 'string')
    if (await passesSecondFactor(services, viewer.user, code)) return { viewer }
    if (code !== undefined) return undefined
    throw new Unauthenticated(
      'the account has a second factor: send a one-time code in X-SERVICE-OTP, or use an access token',
      'two_factor_missing',
    )
  },
}

/** Where one-time codes stand; the names are of the same meaning. */
const codeHeaders = ['x-service-otp', 'x-forgejo-otp', 'x-gitea-otp']

const looksLikeToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/**
 * Who sent the request, by the credentials that its operation accepts; undefined for a guest. Credentials that are
 * present but wrong are 401 everywhere, public addresses included, and so are those of a kind that the operation does not
 * accept. The account's state is looked at here: an inactive or barred account, or one that must change its password
 * first, is 403 whatever it asks for. Source: observed, in this order before sudo and scopes.
 *
 * @param readers asked in this order
 */
export async function identify(
  services: AuthServices,
  readers: readonly CredentialReader[],
  call: Call,
): Promise<Identity | undefined> {
  const presented = presentedBy(call, services.config.security)
  const { accepts } = call.operation
  for (const reader of readers) {
    if (!accepts.includes(reader.kind)) continue
    if (reader.kind === 'session' && !acceptsSession(services, call)) continue
    const found = await reader.read(services, call, presented)
    if (!found) continue
    // Pages let an account sign in that must change its password, so that it can change it there.
    if (found.viewer && !isPage(call.operation)) checkAccountState(found.viewer.user)
    return found
  }
  if (presented.kind !== 'none') throw new Unauthenticated('the credentials are wrong', 'credentials_wrong')
  return undefined
}

/**
 * Whether a session counts for the request. A browser sends cookies whichever site caused the request. Pages check their
 * forms themselves. At any other address a foreign site may only lead a person there: what a foreign page embeds, fetches
 * or sends is the request of a guest.
 */
function acceptsSession({ config }: AuthServices, call: Call): boolean {
  if (isPage(call.operation) || isFromHere(config.server.rootUrl, call)) return true
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  return isRead && call.headers['sec-fetch-mode'] === 'navigate' && call.headers['sec-fetch-dest'] === 'document'
}

/** What somebody says who signs in by password, and the address it comes from. */
export interface PasswordInput {
  readonly login: string
  readonly password: string
  readonly ip: string
  /** The request that the attempt is part of. */
  readonly caller?: Caller
}

/**
 * The person with this name or address and password, if the account may sign in. Guessing is slowed down, by whichever
 * door: `TooManyRequests`.
 */
export async function viewerOfPassword(services: AuthServices, input: PasswordInput): Promise<Viewer | undefined> {
  const end = await services.signInAttempts.begin(input.login, input.ip, input.caller)
  try {
    return await checkPassword(services, input)
  } finally {
    end()
  }
}

async function checkPassword(
  { db, passwordChecks, signInAttempts, askElsewhere }: AuthServices,
  { login, password, ip }: PasswordInput,
): Promise<Viewer | undefined> {
  const known = await findPerson(db, login)
  const elsewhere = await askElsewhere(known, login, password)
  const isOwn = elsewhere === 'elsewhere'
  const user = typeof elsewhere === 'string' ? known : elsewhere
  // Looked at in any case: how long it takes does not tell which names there are.
  const isRight = await passwordChecks.matches((isOwn ? known?.password_hash : undefined) ?? undefined, password)
  const fits = isOwn ? isRight : elsewhere !== 'refused'
  // Guesses that were all begun at once learn no more than others.
  signInAttempts.check(login, ip)
  if (user && fits && !user.prohibit_login) {
    signInAttempts.succeeded(login, ip)
    return viewerOf(user, { kind: 'password' })
  }
  signInAttempts.failed(login, ip)
  // The name is told where it is one: in its place people type passwords as well.
  await transaction(db, (tx) =>
    recordAct(tx, {
      action: 'password.used',
      outcome: 'refused',
      about: { kind: 'account', id: user?.id ?? null },
      details: user?.prohibit_login && fits ? { reason: 'the account may not sign in' } : {},
    }),
  )
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
