import { recordAct } from '../audit/audit.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { AccountRefused } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { hashToken, newSecret } from '../secrets/tokens.ts'
import { findUserById } from '../users/user.store.ts'
import type { AuthServices } from './auth-services.ts'
import { viewerOfPassword, type PasswordInput } from './identify.ts'
import {
  deleteSession,
  deleteSessionsBefore,
  deleteSessionsOf,
  findSessionUser,
  insertSession,
  updateLastLogin,
} from './session.store.ts'
import { hasTwoFactor, takeSecondFactor } from './two-factor.service.ts'
import { viewerOf, type Viewer } from './viewer.ts'

/** A session that was just made; the secret goes into the browser's cookie and is kept nowhere here. */
export interface NewSession {
  readonly secret: string
  readonly lifetimeSeconds: number
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
 * @param input.language the browser's language, noted when the account has none
 * @returns undefined when the two do not fit or the account may not sign in; which of these it was is not told. With a
 * second factor nobody is signed in yet (`completeSignIn`).
 * @throws TooManyRequests after too many failures; AccountRefused for an account that is not active, to whom knows the password
 */
export async function signIn(
  services: AuthServices,
  input: PasswordInput & { readonly remember: boolean; readonly language: string },
): Promise<NewSession | PendingSignIn | undefined> {
  const viewer = await viewerOfPassword(services, input)
  if (!viewer) return undefined
  if (!viewer.user.is_active) {
    throw new AccountRefused('the account has still to be let in by an administrator', 'account_waiting')
  }
  const { remember, language } = input
  if (!(await hasTwoFactor(services, viewer.id))) return beginSession(services, viewer.user, { remember, language })
  const payload = { user: viewer.id, password: passwordMark(viewer.user), remember, language }
  const until = nowUnix(services.clock) + ticketSeconds
  return { ticket: services.secrets.sign(ticketPurpose, payload, until), ticketSeconds }
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
  given: { readonly code: string } | { readonly scratch: string },
): Promise<NewSession | undefined | 'expired'> {
  const half = services.secrets.verify(ticketPurpose, ticket, nowUnix(services.clock))
  const id = half?.['user']
  const user = typeof id === 'number' ? await findUserById(services.db, id as UserId) : undefined
  if (!half || !user?.is_active || user.prohibit_login || half['password'] !== passwordMark(user)) return 'expired'
  if (!(await takeSecondFactor(services, user.id, given))) return undefined
  return beginSession(services, user, { remember: half['remember'] === true, language: String(half['language']) })
}

/** Whether a ticket is one that can still be completed, as far as it says itself. */
export const isTicket = ({ secrets, clock }: AuthServices, ticket: string): boolean =>
  secrets.verify(ticketPurpose, ticket, nowUnix(clock)) !== undefined

/** Makes a session for somebody who has shown everything that signing in takes. */
export async function beginSession(
  services: AuthServices,
  user: UserRow,
  how: { readonly remember: boolean; readonly language: string },
): Promise<NewSession> {
  const { session, security } = services.config
  const lifetimeSeconds = how.remember ? security.loginRememberDays * 86_400 : session.sessionLifeTime
  const secret = newSecret()
  const now = nowUnix(services.clock)
  await transaction(services.db, async (tx) => {
    await insertSession(tx, {
      secret_hash: hashToken(secret),
      user_id: user.id,
      created_unix: now,
      expires_unix: now + lifetimeSeconds,
    })
    await updateLastLogin(tx, user.id, now, how.language)
    await recordAct(tx, { action: 'session.begun', doerId: user.id, about: { kind: 'account', id: user.id } })
  })
  return { secret, lifetimeSeconds }
}

/** Who a session's secret belongs to, as long as the session lasts and the account may be used. */
export async function viewerOfSession(services: AuthServices, secret: string): Promise<Viewer | undefined> {
  const user = await findSessionUser(services.db, hashToken(secret), nowUnix(services.clock))
  if (!user || user.prohibit_login || !user.is_active) return undefined
  return viewerOf(user, { kind: 'session' })
}

/** Ends a session; one that has ended is no error. */
export const signOut = (services: AuthServices, secret: string): Promise<unknown> =>
  transaction(services.db, (tx) => deleteSession(tx, hashToken(secret)))

/** Ends every session of an account: whoever has the old password, or a browser that was left open, is out. */
export const endSessions = (tx: Tx, userId: UserId): Promise<unknown> => deleteSessionsOf(tx, userId)

/** Forgets the sessions whose time is over; nobody can use them any more. */
export async function forgetExpiredSessions(services: AuthServices): Promise<void> {
  await transaction(services.db, (tx) => deleteSessionsBefore(tx, nowUnix(services.clock)))
}
