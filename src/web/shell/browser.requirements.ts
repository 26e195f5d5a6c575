import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { textMember, type Requirement } from '../../http/operation.ts'
import { isFromHere } from '../../http/own-origin.ts'
import { Forbidden, Moved } from '../../lib/errors.ts'
import type { SessionId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { equalSecrets } from '../../secrets/secrets.ts'
import { newSecret } from '../../secrets/tokens.ts'
import { BrowserSession } from './browser.credentials.ts'
import { cookie, readCookies } from './cookies.ts'

/** Name of the cookie and of the hidden field that together show that a form came from a page of ours. */
export const csrfName = '_csrf'

/** A browser: its session, if it has one, and the value that its forms carry. */
export interface BrowserCtx extends Ctx {
  readonly sessionId: SessionId | undefined
  /** When somebody signed in to the session; undefined where nobody knows. */
  readonly signedInUnix: Unix | undefined
  readonly csrf: string
}

/** Where somebody chooses a password whom an administrator asks for it. Until then there are no other pages for them. */
const changePath = '/user/settings/change_password'
const whileChanging: ReadonlySet<string> = new Set([changePath, '/user/logout'])

/** A page: what its operation accepts is the session of a browser, and access tokens do not count there. */
export const inBrowser: Requirement<Ctx, Omit<BrowserCtx, keyof Ctx>> = {
  codes: ['browser'],
  refuses: [],
  check({ config, principal, viewer }, call) {
    if (viewer?.user.must_change_password && !whileChanging.has(call.operation.path)) throw new Moved(303, changePath)
    const known = readCookies(call.headers['cookie']).get(csrfName)
    const csrf = known && /^[\w-]{20,100}$/.test(known) ? known : newSecret()
    if (csrf !== known) call.cookies.push(cookie(config, csrfName, csrf))
    const session = principal instanceof BrowserSession ? principal : undefined
    return { sessionId: session?.id, signedInUnix: session?.signedInUnix, csrf }
  },
}

/** A page for somebody: guests are led to the sign-in, and back. */
export const inSession: Requirement<BrowserCtx, Pick<SignedInCtx, 'viewer'>> = {
  codes: ['session'],
  refuses: [],
  check({ viewer }, call) {
    if (viewer) return { viewer }
    const back = call.method === 'GET' ? `?redirect_to=${encodeURIComponent(call.url)}` : ''
    throw new Moved(303, `/user/login${back}`)
  },
}

/**
 * A form that was sent from a page of ours: the browser says so itself (`Sec-Fetch-Site`, `Origin`), and the hidden field
 * equals the cookie, which no other site can read or set.
 */
export const ownForm: Requirement<BrowserCtx, object> = {
  codes: ['csrf'],
  refuses: [403],
  async check(ctx, call) {
    const field = textMember(await call.decodedBody(), csrfName)
    const sent = readCookies(call.headers['cookie']).get(csrfName)
    const fits = sent !== undefined && field !== undefined && equalSecrets(sent, field)
    if (!fits || !isFromHere(ctx.config.server.rootUrl, call)) {
      throw new Forbidden('the form was not sent from a page of this site; reload it and try again')
    }
    return {}
  },
}
