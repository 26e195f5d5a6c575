import { Unauthenticated } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { findAccount } from './account.store.ts'
import type { AuthServices } from './auth-services.ts'
import { checkAccountState } from './identify.ts'
import { hasSession } from './session.store.ts'
import { viewerOf, type Viewer } from './viewer.ts'

const over = () => new Unauthenticated('the credentials are no longer valid', 'credentials_wrong')

/**
 * Returns the current viewer for a credential whose request cannot be read twice.
 * @returns undefined for any other credential, whose request is read again
 * @throws Unauthenticated when the password was changed or the session has ended; AccountRefused when the account may
 * not sign in
 */
export async function rereadViewer(services: AuthServices, viewer: Viewer): Promise<Viewer | undefined> {
  const { credential } = viewer
  if (credential.kind !== 'password' && credential.kind !== 'session') return undefined
  const user = await findAccount(services.db, viewer.id)
  if (!user || user.password_hash !== viewer.user.password_hash) throw over()
  checkAccountState(user)
  if (credential.kind === 'session' && credential.sessionId !== undefined) {
    if (!(await hasSession(services.db, credential.sessionId, nowUnix(services.clock)))) throw over()
  }
  return viewerOf(user, credential)
}
