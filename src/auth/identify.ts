import { recordAct } from '../audit/audit.ts'
import { transaction } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { isPage, type Call } from '../http/operation.ts'
import { isFromHere } from '../http/own-origin.ts'
import { AccountRefused, NotFound, SudoForbidden, Unauthenticated } from '../lib/errors.ts'
import { hashToken } from '../secrets/tokens.ts'
import type { AuthServices } from './auth-services.ts'
import type { Caller } from './sign-in-attempts.ts'
import { findPerson } from './account.store.ts'
import { presentedBy, tokenIn, type CredentialReader, type Identity } from './credentials.ts'
import { findTokenByHash } from './token.store.ts'
import { parseScopes } from './token-scopes.ts'
import { passesSecondFactor } from './two-factor.service.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** Access tokens. A Basic password is looked up only when it has the form of a token. */
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

/** Name or address with password. This reader comes last, because a wrong password counts as a guess. */
export const passwords: CredentialReader = {
  kind: 'basic',
  async read(services, call, presented) {
    if (presented.kind !== 'basic') return undefined
    const { ip, headers } = call
    const { login, password } = presented
    if (!services.config.service.enableBasicAuthentication) {
      throw new Unauthenticated('passwords are not accepted here: use an access token', 'basic_authentication_off')
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

/** Equivalent headers for one-time codes. */
const codeHeaders = ['x-service-otp', 'x-forgejo-otp', 'x-gitea-otp']

const looksLikeToken = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/**
 * Returns the identity behind a request, from the credentials that its operation accepts; undefined for a guest. Wrong
 * credentials, and credentials that the operation does not accept, are 401 on every address, public ones included. An
 * inactive or barred account, or one that must change its password first, is 403. Source: observed, in this order
 * before sudo and scopes.
 * @param readers in the order of the attempts
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
    // Pages admit an account that must change its password, so that it can do so.
    if (found.viewer && !isPage(call.operation)) checkAccountState(found.viewer.user)
    return found
  }
  if (presented.kind !== 'none') throw new Unauthenticated('the credentials are wrong', 'credentials_wrong')
  return undefined
}

/**
 * Returns whether a session counts for the request. Browsers send cookies with requests that other sites cause. Pages
 * check their forms themselves. At any other address, only a navigation counts; a request that another site embeds,
 * fetches or sends is a guest's.
 */
function acceptsSession({ config }: AuthServices, call: Call): boolean {
  if (isPage(call.operation) || isFromHere(config.server.rootUrl, call)) return true
  const isRead = call.method === 'GET' || call.method === 'HEAD'
  return isRead && call.headers['sec-fetch-mode'] === 'navigate' && call.headers['sec-fetch-dest'] === 'document'
}

/** Name, password and client address of a sign-in. */
export interface PasswordInput {
  readonly login: string
  readonly password: string
  readonly ip: string
  /** The request of the attempt. */
  readonly caller?: Caller
}

/**
 * Returns the person with this name or address and password, if the account may sign in.
 * @throws TooManyRequests when guesses are throttled
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
  { db, passwordChecks, signInAttempts, askSources: askElsewhere }: AuthServices,
  { login, password, ip }: PasswordInput,
): Promise<Viewer | undefined> {
  const known = await findPerson(db, login)
  const elsewhere = await askElsewhere(known, login, password)
  const isOwn = elsewhere === 'elsewhere'
  const user = typeof elsewhere === 'string' ? known : elsewhere
  // The password is verified for unknown names too, so that the response time does not reveal which names exist.
  const isRight = await passwordChecks.matches((isOwn ? known?.password_hash : undefined) ?? undefined, password)
  const fits = isOwn ? isRight : elsewhere !== 'refused'
  // Checked again, so that concurrent guesses learn no more than sequential ones.
  signInAttempts.check(login, ip)
  if (user && fits && !user.prohibit_login) {
    signInAttempts.succeeded(login, ip)
    return viewerOf(user, { kind: 'password' })
  }
  signInAttempts.failed(login, ip)
  // The audit log gets the account, never the typed name: people type passwords into that field.
  await transaction(db, async (tx) => {
    await signInAttempts.record(tx, login, ip)
    await recordAct(tx, {
      action: 'password.used',
      outcome: 'refused',
      about: { kind: 'account', id: user?.id ?? null },
      details: user?.prohibit_login && fits ? { reason: 'the account may not sign in' } : {},
    })
  })
  return undefined
}

/** Throws AccountRefused when the account cannot be used. */
export function checkAccountState(user: UserRow): void {
  if (user.prohibit_login || !user.is_active) throw new AccountRefused('this account may not sign in', 'account_barred')
  if (user.must_change_password) {
    throw new AccountRefused('the password must be changed first, on the web pages', 'password_change_required')
  }
}

/**
 * Returns the viewer to act as. An administrator may name another account in the query (which wins) or the header
 * (contract A1).
 * @returns the named account with the caller's credential, or the caller
 */
export async function applySudo(
  services: AuthServices,
  call: Call,
  viewer: Viewer | undefined,
): Promise<Viewer | undefined> {
  const header = call.headers['sudo']
  const name = call.rawQuery.get('sudo') || (typeof header === 'string' ? header : '')
  if (!name) return viewer
  if (!viewer?.isAdmin) throw new SudoForbidden()
  const target = await findPerson(services.db, name.toLowerCase())
  if (!target || target.lower_name !== name.toLowerCase()) {
    throw new NotFound('the user to act as does not exist', 'user_not_found')
  }
  return viewerOf(target, viewer.credential)
}
