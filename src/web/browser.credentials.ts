import type { CredentialReader } from '../auth/credentials.ts'
import { viewerOfSession } from '../auth/session.service.ts'
import { readCookies } from './cookies.ts'

/** The session that a browser came with. */
export class BrowserSession {
  constructor(
    /** What the cookie holds. */
    readonly secret: string,
  ) {}
}

/** Who the session cookie says; one that has ended counts as none. */
export const sessions: CredentialReader = {
  kind: 'session',
  async read(services, call) {
    const secret = readCookies(call.headers['cookie']).get(services.config.session.cookieName)
    const viewer = secret ? await viewerOfSession(services, secret) : undefined
    return viewer && secret ? { viewer, principal: new BrowserSession(secret) } : undefined
  },
}
