import { recordAct } from '../audit/audit.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { Config } from '../config/load-config.ts'
import type { SessionRow } from '../db/tables/sign-in.ts'
import type { UserRow } from '../db/tables/accounts.ts'
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
  updateSessionConfirmed,
  updateSessionsUsed,
  type SessionOfUser,
} from './session.store.ts'
import { forgetRefusedAttempts } from './shared-attempts.ts'
import { hasTwoFactor, takeSecondFactor } from './two-factor.service.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** A new session. Its secret goes into the cookie of the browser; the server stores only a hash. */
export interface NewSession {
  readonly secret: string
  /** For a browser that stays signed in: the secret that resumes the session, and its lifetime. */
  readonly remember: { readonly secret: string; readonly seconds: number } | undefined
}

/** Address and `User-Agent` of the browser that signs in. */
export interface BrowserOf {
  readonly ip: string
  readonly client: string
  /** Preferred language; stored when the account has none. */
  readonly language: string
}

/** A sign-in with a correct password that still needs the second factor. */
export interface PendingSignIn {
  /** Signed proof of the first factor, for a cookie. */
  readonly ticket: string
  readonly ticketSeconds: number
}

const ticketPurpose = 'second-factor'
const ticketSeconds = 600

/**
 * Signs a person in by name or address and password. Each sign-in creates a session.
 * @returns undefined when name and password do not match or the account may not sign in, without telling which; a
 * pending sign-in when the account has a second factor (`completeSignIn`)
 * @throws TooManyRequests after too many failures; AccountRefused for an inactive account when the password is right
 */
export async function signIn(
  services: AuthServices,
  input: PasswordInput & { readonly remember: boolean; readonly browser: BrowserOf },
): Promise<NewSession | PendingSignIn | undefined> {
  const viewer = await viewerOfPassword(services, input)
  if (!viewer) return undefined
  if (!viewer.user.is_active) {
    throw new AccountRefused('the account waits for the approval of an administrator', 'account_waiting')
  }
  return goOn(services, viewer.user, input.browser, input.remember)
}

/** Begins a session after the first factor, or returns a pending sign-in when the account has a second one. */
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
 * Signs in a person whom a sign-in source authenticated. The second factor of the account is required unless the
 * source's is enough.
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

/** Returns a fingerprint of the password hash. A ticket contains it, so a new password invalidates the ticket. */
const passwordMark = (user: UserRow): string => hashToken(`${user.id} ${user.password_hash ?? ''}`).slice(0, 16)

/**
 * Completes a pending sign-in with a code, the scratch code or a passkey.
 * @returns undefined when the factor is wrong, `expired` when the ticket is too old or invalid
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

/** Returns the account of a ticket; undefined when the ticket is too old or invalid. */
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
 * Signs a person in with a passkey alone, with user verification.
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

/** Longest stored `User-Agent`, in characters. */
const maxClientLength = 250
/** Largest number of sessions of an account; a new one replaces the oldest. */
const maxSessions = 50

/** Creates a session for a fully authenticated person. */
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

/** The viewer and session of a signed-in browser. */
export interface SignedInBrowser {
  readonly viewer: Viewer
  readonly sessionId: SessionId
  /** Time of the interactive sign-in; undefined when unknown. */
  readonly signedInUnix: Unix | undefined
}

const signedInBy = ({ session, user }: SessionOfUser): SignedInBrowser => ({
  viewer: viewerOf(user, { kind: 'session', sessionId: session.id }),
  sessionId: session.id,
  signedInUnix: session.authenticated_unix === 0 ? undefined : session.authenticated_unix,
})

/** Returns the viewer of a session's secret while the session lasts and the account may be used. */
export async function viewerOfSession(services: AuthServices, secret: string): Promise<SignedInBrowser | undefined> {
  const found = await findSession(services.db, hashToken(secret), nowUnix(services.clock))
  if (!found || !isUsable(found.user)) return undefined
  services.sessionUse.note(found.session.id)
  return signedInBy(found)
}

/** How long a replaced remember secret is accepted, because browsers send several requests at once. */
const graceSeconds = 60

/**
 * Resumes the session of a browser that stays signed in. The secret is valid once, and the browser gets new ones. A
 * second use means that the secret was copied, so the session ends.
 * @returns also the new secrets, except for requests concurrent with the first
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

/**
 * Returns the function that records the use of sessions. A use extends the session, at most to the time that a browser
 * stays signed in.
 */
export const noteSessionsUsed = ({ session, security }: Pick<Config, 'session' | 'security'>) => {
  const lifetimeSeconds = session.sessionLifeTime
  const maxSeconds = Math.max(security.loginRememberDays * daySeconds, lifetimeSeconds)
  return (tx: Tx, ids: readonly SessionId[], usedUnix: Unix) =>
    updateSessionsUsed(tx, ids, usedUnix, { lifetimeSeconds, maxSeconds })
}

/** Returns the sessions of an account that last or can be resumed. */
export const sessionsOf = ({ db, clock }: AuthServices, userId: UserId): Promise<SessionRow[]> =>
  listSessions(db, userId, nowUnix(clock))

/** How long an interactive sign-in counts as recent, in seconds. */
const freshSeconds = 900

/**
 * Returns whether the person entered credentials a short time ago.
 * @param signedInUnix time of the session's last interactive sign-in or confirmation; undefined when unknown
 */
export const isRecentSignIn = ({ clock }: Pick<AuthServices, 'clock'>, signedInUnix: Unix | undefined): boolean =>
  signedInUnix !== undefined && signedInUnix + freshSeconds > nowUnix(clock)

/** Records that the person of a session entered credentials again. */
export const confirmSession = ({ db, clock }: AuthServices, userId: UserId, id: SessionId): Promise<void> =>
  transaction(db, async (tx) => {
    await updateSessionConfirmed(tx, id, nowUnix(clock))
    await recordAct(tx, { action: 'session.confirmed', doerId: userId, about: { kind: 'session', id } })
  })

/** Ends a session of an account; returns false when it does not exist. */
export const endSession = ({ db }: AuthServices, userId: UserId, id: SessionId): Promise<boolean> =>
  transaction(db, async (tx) => {
    const isEnded = await deleteSession(tx, userId, id)
    if (!isEnded) return false
    await recordAct(tx, { action: 'session.ended', doerId: userId, about: { kind: 'session', id } })
    await publish(tx, 'credential.ended', { userId, what: 'session' })
    return true
  })

/** Ends all sessions of an account except one; all when `id` is undefined. */
export const endOtherSessions = ({ db }: AuthServices, userId: UserId, id: SessionId | undefined): Promise<unknown> =>
  transaction(db, async (tx) => {
    await (id === undefined ? deleteSessionsOf(tx, userId) : deleteOtherSessions(tx, userId, id))
    await recordAct(tx, { action: 'session.othersEnded', doerId: userId, about: { kind: 'account', id: userId } })
    await publish(tx, 'credential.ended', { userId, what: 'session' })
  })

/** Ends every session of an account. */
export async function endSessions(tx: Tx, userId: UserId): Promise<void> {
  await deleteSessionsOf(tx, userId)
  await publish(tx, 'credential.ended', { userId, what: 'session' })
}

/** Deletes expired sessions, challenges and refused attempts. */
export async function forgetExpiredSessions(services: AuthServices): Promise<void> {
  await forgetAnsweredChallenges(services)
  await transaction(services.db, async (tx) => {
    await deleteSessionsBefore(tx, nowUnix(services.clock))
    await forgetRefusedAttempts(tx, services.clock.nowMs())
  })
}
