import { recordAct } from '../audit/audit.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { Config } from '../config/load-config.ts'
import type { SessionRow, UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { AccountRefused } from '../lib/errors.ts'
import type { SessionId, UserId } from '../lib/ids.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { hashToken, newSecret } from '../secrets/tokens.ts'
import { findUserById } from '../users/user.store.ts'
import type { AuthServices } from './auth-services.ts'
import { viewerOfPassword, type PasswordInput } from './identify.ts'
import { accountOfPasskey, forgetAnsweredChallenges, type PasskeyAnswer } from './passkey.service.ts'
import {
  deleteOldSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessionsBefore,
  deleteSessionsOf,
  findRemembered,
  findSession,
  insertSession,
  listSessions,
  renewSession,
  updateLastLogin,
  updateSessionsUsed,
  type SessionOfUser,
} from './session.store.ts'
import { hasTwoFactor, takeSecondFactor } from './two-factor.service.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** A session that was just made; the secret goes into the browser's cookie and is kept nowhere here. */
export interface NewSession {
  readonly secret: string
  /** For a browser that stays signed in: what takes the session up again, and how long. */
  readonly remember: { readonly secret: string; readonly seconds: number } | undefined
}

/** The browser that signs in: where it is, and what it calls itself (`User-Agent`). */
export interface BrowserOf {
  readonly ip: string
  readonly client: string
  /** What it wants first, noted when the account has none. */
  readonly language: string
}

/** The password was right, and the account has a second factor: what is left is a code. */
export interface PendingSignIn {
  /** Stands for the first half of the sign-in, for a while; it goes into a cookie. */
  readonly ticket: string
  readonly ticketSeconds: number
}

const ticketPurpose = 'second-factor'
const ticketSeconds = 600

/**
 * Signs a person in by name or address and password. Every sign-in makes a session of its own.
 * @returns undefined when the two do not fit or the account may not sign in; which of these it was is not told. With a
 * second factor nobody is signed in yet (`completeSignIn`).
 * @throws TooManyRequests after too many failures; AccountRefused for an account that is not active, to whom knows the password
 */
export async function signIn(
  services: AuthServices,
  input: PasswordInput & { readonly remember: boolean; readonly browser: BrowserOf },
): Promise<NewSession | PendingSignIn | undefined> {
  const viewer = await viewerOfPassword(services, input)
  if (!viewer) return undefined
  if (!viewer.user.is_active) {
    throw new AccountRefused('the account has still to be let in by an administrator', 'account_waiting')
  }
  return goOn(services, viewer.user, input.browser, input.remember)
}

/** Signs somebody in who has shown the first thing that signing in takes, unless there is a second. */
async function goOn(
  services: AuthServices,
  user: UserRow,
  browser: BrowserOf,
  remember: boolean,
): Promise<NewSession | PendingSignIn> {
  if (!(await hasTwoFactor(services, user.id))) return beginSession(services, user, browser, { remember })
  const payload = { user: user.id, password: passwordMark(user), remember }
  const until = nowUnix(services.clock) + ticketSeconds
  return { ticket: services.secrets.sign(ticketPurpose, payload, until), ticketSeconds }
}

/**
 * Signs somebody in whom another place knows. With a second factor of here nobody is signed in yet, unless the one of the
 * other place is enough.
 * @throws AccountRefused for an account that may not sign in
 */
export async function signInVouched(
  services: AuthServices,
  user: UserRow,
  browser: BrowserOf,
  how: { readonly remember: boolean; readonly skipsSecondFactor: boolean },
): Promise<NewSession | PendingSignIn> {
  if (!isUsable(user)) throw new AccountRefused('this account may not sign in', 'account_barred')
  return how.skipsSecondFactor
    ? beginSession(services, user, browser, { remember: how.remember })
    : goOn(services, user, browser, how.remember)
}

/** What a ticket says of the password that was right: with another password it is worth nothing. */
const passwordMark = (user: UserRow): string => hashToken(`${user.id} ${user.password_hash ?? ''}`).slice(0, 16)

/**
 * Signs a person in who has shown the password, by the code of the second factor.
 * @returns undefined when the code is wrong, `expired` when the first half is too long ago or counts no more
 * @throws TooManyRequests after too many wrong codes
 */
export async function completeSignIn(
  services: AuthServices,
  ticket: string,
  browser: BrowserOf,
  given: { readonly code: string } | { readonly scratch: string } | { readonly passkey: PasskeyAnswer },
): Promise<NewSession | undefined | 'expired'> {
  const half = await openTicket(services, ticket)
  if (!half) return 'expired'
  const { user, remember } = half
  const fits =
    'passkey' in given
      ? (await accountOfPasskey(services, given.passkey, user.id)) !== undefined
      : await takeSecondFactor(services, user.id, given)
  return fits ? beginSession(services, user, browser, { remember }) : undefined
}

/** Whose sign-in a ticket completes; undefined when the first half is too long ago or counts no more. */
export async function openTicket(
  services: AuthServices,
  ticket: string,
): Promise<{ readonly user: UserRow; readonly remember: boolean } | undefined> {
  const half = services.secrets.verify(ticketPurpose, ticket, nowUnix(services.clock))
  const id = half?.['user']
  const user = typeof id === 'number' ? await findUserById(services.db, id as UserId) : undefined
  if (!half || !user || !isUsable(user) || half['password'] !== passwordMark(user)) return undefined
  return { user, remember: half['remember'] === true }
}

/**
 * Signs a person in by a passkey alone, which verified the person.
 * @returns undefined when the answer is wrong or the account may not sign in
 */
export async function signInByPasskey(
  services: AuthServices,
  answer: PasskeyAnswer,
  browser: BrowserOf,
  remember: boolean,
): Promise<NewSession | undefined> {
  const user = await accountOfPasskey(services, answer)
  return user && isUsable(user) ? beginSession(services, user, browser, { remember }) : undefined
}

/** Longest `User-Agent` that is kept, in characters. */
const maxClientLength = 250
/** Browsers of one account that may be signed in; the oldest one is signed out. */
const maxSessions = 50

/** Makes a session for somebody who has shown everything that signing in takes. */
export async function beginSession(
  services: AuthServices,
  user: UserRow,
  browser: BrowserOf,
  { remember }: { readonly remember: boolean },
): Promise<NewSession> {
  const { session, security } = services.config
  const rememberSeconds = remember ? security.loginRememberDays * daySeconds : 0
  const made = newSecrets(rememberSeconds)
  const now = nowUnix(services.clock)
  await transaction(services.db, async (tx) => {
    await insertSession(tx, {
      ...hashesOf(made),
      user_id: user.id,
      created_unix: now,
      authenticated_unix: now,
      expires_unix: now + session.sessionLifeTime,
      address: browser.ip,
      client: browser.client.slice(0, maxClientLength),
      used_unix: now,
      former_hash: null,
      renewed_unix: now,
      remember_until_unix: rememberSeconds > 0 ? now + rememberSeconds : 0,
    })
    await deleteOldSessions(tx, user.id, maxSessions)
    await updateLastLogin(tx, user.id, now, browser.language)
    await recordAct(tx, { action: 'session.begun', doerId: user.id, about: { kind: 'account', id: user.id } })
  })
  return made
}

const daySeconds = 86_400

const newSecrets = (rememberSeconds: number): NewSession => ({
  secret: newSecret(),
  remember: rememberSeconds > 0 ? { secret: newSecret(), seconds: rememberSeconds } : undefined,
})

const hashesOf = ({ secret, remember }: NewSession) => ({
  secret_hash: hashToken(secret),
  remember_hash: remember ? hashToken(remember.secret) : null,
})

const isUsable = (user: UserRow): boolean => !user.prohibit_login && user.is_active

/** Somebody whose browser is signed in. */
export interface SignedInBrowser {
  readonly viewer: Viewer
  readonly sessionId: SessionId
  /** When they signed in themselves; undefined where nobody knows. */
  readonly signedInUnix: Unix | undefined
}

const signedInBy = ({ session, user }: SessionOfUser): SignedInBrowser => ({
  viewer: viewerOf(user, { kind: 'session', sessionId: session.id }),
  sessionId: session.id,
  signedInUnix: session.authenticated_unix === 0 ? undefined : session.authenticated_unix,
})

/** Who a session's secret belongs to, as long as the session lasts and the account may be used. */
export async function viewerOfSession(services: AuthServices, secret: string): Promise<SignedInBrowser | undefined> {
  const found = await findSession(services.db, hashToken(secret), nowUnix(services.clock))
  if (!found || !isUsable(found.user)) return undefined
  services.sessionUse.note(found.session.id)
  return signedInBy(found)
}

/** How long what a browser stayed signed in by counts after it got another one: it may have asked several times at once. */
const graceSeconds = 60

/**
 * Takes the session of a browser up again that stays signed in, by a secret that is good once: the browser gets others. One
 * that comes again later was copied, and nobody knows which of the two is the browser: the session ends.
 * @returns the new secrets as well, but for requests that came beside the first one
 */
export async function resumeSession(
  services: AuthServices,
  secret: string,
  browser: Pick<BrowserOf, 'ip' | 'client'>,
): Promise<(SignedInBrowser & { readonly made: NewSession | undefined }) | undefined> {
  const now = nowUnix(services.clock)
  const hash = hashToken(secret)
  const found = await findRemembered(services.db, hash, now)
  if (!found || !isUsable(found.user)) return undefined
  const { session, user } = found
  const signedIn = signedInBy(found)
  if (session.remember_hash === hash) {
    const rememberSeconds = services.config.security.loginRememberDays * daySeconds
    const made = newSecrets(rememberSeconds)
    const change = {
      ...hashesOf(made),
      former_hash: hash,
      renewed_unix: now,
      remember_until_unix: now + rememberSeconds,
      expires_unix: now + services.config.session.sessionLifeTime,
      created_unix: now,
      used_unix: now,
      address: browser.ip,
      client: browser.client.slice(0, maxClientLength),
    }
    const isFirst = await transaction(services.db, (tx) => renewSession(tx, session.id, hash, change))
    return { ...signedIn, made: isFirst ? made : undefined }
  }
  if (now - session.renewed_unix <= graceSeconds) return { ...signedIn, made: undefined }
  await transaction(services.db, (tx) => deleteSession(tx, user.id, session.id))
  return undefined
}

/** How the use of sessions is written down: each lasts for a while after it, and at most as long as a browser stays signed in. */
export const noteSessionsUsed = ({ session, security }: Pick<Config, 'session' | 'security'>) => {
  const lifetimeSeconds = session.sessionLifeTime
  const maxSeconds = Math.max(security.loginRememberDays * daySeconds, lifetimeSeconds)
  return (tx: Tx, ids: readonly SessionId[], usedUnix: Unix) =>
    updateSessionsUsed(tx, ids, usedUnix, { lifetimeSeconds, maxSeconds })
}

/** The browsers that are signed in to an account, or stay so. */
export const sessionsOf = ({ db, clock }: AuthServices, userId: UserId): Promise<SessionRow[]> =>
  listSessions(db, userId, nowUnix(clock))

/** How long a sign-in proves that somebody is there themselves, in seconds. */
const freshSeconds = 900

/** Whether somebody signed in to a session themselves a short time ago; a browser that stays signed in shows nothing. */
export async function isFreshSession(services: AuthServices, userId: UserId, id: SessionId): Promise<boolean> {
  const session = (await sessionsOf(services, userId)).find((each) => each.id === id)
  return session?.former_hash === null && session.created_unix + freshSeconds > nowUnix(services.clock)
}

/** Ends a session of an account; false when there is none of this id. */
export const endSession = ({ db }: AuthServices, userId: UserId, id: SessionId): Promise<boolean> =>
  transaction(db, async (tx) => {
    const isEnded = await deleteSession(tx, userId, id)
    if (!isEnded) return false
    await recordAct(tx, { action: 'session.ended', doerId: userId, about: { kind: 'session', id } })
    await publish(tx, 'credential.ended', { userId, what: 'session' })
    return true
  })

/** Ends all sessions of an account but one; all of them for who is signed in by no session. */
export const endOtherSessions = ({ db }: AuthServices, userId: UserId, id: SessionId | undefined): Promise<unknown> =>
  transaction(db, async (tx) => {
    await (id === undefined ? deleteSessionsOf(tx, userId) : deleteOtherSessions(tx, userId, id))
    await recordAct(tx, { action: 'session.othersEnded', doerId: userId, about: { kind: 'account', id: userId } })
    await publish(tx, 'credential.ended', { userId, what: 'session' })
  })

/** Ends every session of an account: whoever has the old password, or a browser that was left open, is out. */
export async function endSessions(tx: Tx, userId: UserId): Promise<void> {
  await deleteSessionsOf(tx, userId)
  await publish(tx, 'credential.ended', { userId, what: 'session' })
}

/** Forgets the sessions whose time is over; nobody can use them any more. */
export async function forgetExpiredSessions(services: AuthServices): Promise<void> {
  await forgetAnsweredChallenges(services)
  await transaction(services.db, (tx) => deleteSessionsBefore(tx, nowUnix(services.clock)))
}
