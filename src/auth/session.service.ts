import { transaction, type Tx } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { hashToken, newSecret } from '../secrets/tokens.ts'
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
import { viewerOf, type Viewer } from './viewer.ts'

/** A session that was just made; the secret goes into the browser's cookie and is kept nowhere here. */
export interface NewSession {
  readonly secret: string
  readonly lifetimeSeconds: number
}

/**
 * Signs a person in by name or address and password. Every sign-in makes a session of its own.
 * @param input.language the browser's language, noted when the account has none
 * @returns undefined when the two do not fit or the account may not sign in; which of these it was is not told
 * @throws TooManyRequests after too many failures
 */
export async function signIn(
  services: AuthServices,
  input: PasswordInput & { readonly remember: boolean; readonly language: string },
): Promise<NewSession | undefined> {
  const viewer = await viewerOfPassword(services, input)
  if (!viewer?.user.is_active) return undefined
  const { session, security } = services.config
  const lifetimeSeconds = input.remember ? security.loginRememberDays * 86_400 : session.sessionLifeTime
  const secret = newSecret()
  const now = nowUnix(services.clock)
  await transaction(services.db, async (tx) => {
    await insertSession(tx, {
      secret_hash: hashToken(secret),
      user_id: viewer.id,
      created_unix: now,
      expires_unix: now + lifetimeSeconds,
    })
    await updateLastLogin(tx, viewer.id, now, input.language)
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
