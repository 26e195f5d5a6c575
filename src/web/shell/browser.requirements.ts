import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { textMember, type Call, type Requirement } from '../../http/operation.ts'
import { isFromHere } from '../../http/own-origin.ts'
import { Forbidden, Moved } from '../../lib/errors.ts'
import { equalSecrets } from '../../secrets/secrets.ts'
import { newSecret } from '../../secrets/tokens.ts'
import { BrowserSession } from './browser.credentials.ts'
import { csrfName } from '../ui/page-context.ts'
import { readIn } from '../languages/reader.ts'
import { cookie, readCookies } from './cookies.ts'
import { languageFor } from './language-for.ts'
import { rememberContext, type BrowserCtx } from './browser-context.ts'

/** The page to change a required password; until then other pages redirect to it. */
const changePath = '/user/settings/change_password'
const whileChanging: ReadonlySet<string> = new Set([changePath, '/user/logout'])

/** A page. It accepts sessions and no access tokens. */
export const inBrowser: Requirement<Ctx, Omit<BrowserCtx, keyof Ctx>> = {
  codes: ['browser'],
  refuses: [],
  check(ctx, call) {
    const { config, principal, viewer } = ctx
    if (viewer?.user.must_change_password && !whileChanging.has(call.operation.path)) throw new Moved(303, changePath)
    const known = readCookies(call.headers['cookie']).get(csrfName)
    const csrf = known && /^[\w-]{20,100}$/.test(known) ? known : newSecret()
    if (csrf !== known) call.cookies.push(cookie(config, csrfName, csrf))
    const session = principal instanceof BrowserSession ? principal : undefined
    const found = { sessionId: session?.id, signedInUnix: session?.signedInUnix, csrf }
    if (viewer) readIn(languageFor(call, config, viewer.user.language))
    rememberContext(call, { ...ctx, ...found })
    return found
  },
}

/** A page for signed-in people; guests are redirected to sign in and back. */
export const inSession: Requirement<BrowserCtx, Pick<SignedInCtx, 'viewer'>> = {
  codes: ['session'],
  refuses: [],
  check({ viewer }, call) {
    if (viewer) return { viewer }
    // The address of a form leads to its page.
    throw new Moved(303, `/user/login?redirect_to=${encodeURIComponent(call.url)}`)
  },
}

/**
 * Throws `Forbidden` unless a form was sent from this site: `Sec-Fetch-Site` and `Origin` match, and the hidden field
 * equals the cookie, which other sites cannot read or set.
 */
export function checkOwnForm(ctx: BrowserCtx, call: Pick<Call, 'headers'>, field: string | undefined): void {
  const sent = readCookies(call.headers['cookie']).get(csrfName)
  const fits = sent !== undefined && field !== undefined && equalSecrets(sent, field)
  if (!fits || !isFromHere(ctx.config.server.rootUrl, call)) throw foreignForm()
}

const foreignForm = () =>
  new Forbidden('the form was not sent from a page of this site; reload it and try again', 'foreign_form')

/**
 * Requires a page of this site as the sender of a body that is a stream: it is refused before anything is stored. Its
 * hidden field becomes known while it is read; `checkOwnForm` compares it.
 */
export const fromOwnPage: Requirement<BrowserCtx, object> = {
  codes: ['csrf'],
  refuses: [403],
  check(ctx, call) {
    if (!isFromHere(ctx.config.server.rootUrl, call)) throw foreignForm()
    return {}
  },
}

/** Requires a form of this site. */
export const ownForm: Requirement<BrowserCtx, object> = {
  codes: ['csrf'],
  refuses: [403],
  async check(ctx, call) {
    checkOwnForm(ctx, call, textMember(await call.decodedBody(), csrfName))
    return {}
  },
}
