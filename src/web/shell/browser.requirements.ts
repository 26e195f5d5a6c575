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

/** Name of the cookie and the hidden field against cross-site request forgery. */
export const csrfName = '_csrf'

/** A browser with its session, if any, and the value for its forms. */
export interface BrowserCtx extends Ctx {
  readonly sessionId: SessionId | undefined
  /** Time of the interactive sign-in; undefined when unknown. */
  readonly signedInUnix: Unix | undefined
  readonly csrf: string
}

/** The page to change a required password; until then other pages redirect to it. */
const changePath = '/user/settings/change_password'
const whileChanging: ReadonlySet<string> = new Set([changePath, '/user/logout'])

/** A page. It accepts sessions and no access tokens. */
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

/** A page for signed-in people; guests are redirected to sign in and back. */
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
 * Requires a form of this site: `Sec-Fetch-Site` and `Origin` match, and the hidden field equals the cookie, which
 * other sites cannot read or set.
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
