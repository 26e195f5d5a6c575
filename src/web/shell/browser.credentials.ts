import type { CredentialReader } from '../../auth/credentials.ts'
import { resumeSession, viewerOfSession } from '../../auth/session.service.ts'
import type { SessionId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { browserOf } from './browser-of.ts'
import { readCookies, sessionCookies } from './cookies.ts'

/** The session of a request. */
export class BrowserSession {
  constructor(
    readonly id: SessionId,
    /** Time of the interactive sign-in; undefined when unknown. */
    readonly signedInUnix: Unix | undefined,
  ) {}
}

/**
 * Authenticates the session cookie; an ended session counts as none. A browser that stays signed in gets its session
 * resumed and new cookies.
 */
export const sessions: CredentialReader = {
  kind: 'session',
  async read(services, call) {
    const { config } = services
    const cookies = readCookies(call.headers['cookie'])
    const secret = cookies.get(config.session.cookieName)
    const found = secret ? await viewerOfSession(services, secret) : undefined
    if (found) return { viewer: found.viewer, principal: new BrowserSession(found.sessionId, found.signedInUnix) }
    const remembered = cookies.get(config.security.cookieRememberName)
    const resumed = remembered ? await resumeSession(services, remembered, browserOf(config, call)) : undefined
    if (!resumed) return undefined
    if (resumed.made) call.cookies.push(...sessionCookies(config, resumed.made))
    return { viewer: resumed.viewer, principal: new BrowserSession(resumed.sessionId, resumed.signedInUnix) }
  },
}
