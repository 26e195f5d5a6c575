import type { Ctx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { targetOfRequest } from '../../oauth/authorize/authorize.service.ts'
import { formTargetOf } from '../../oauth/applications/redirect.rules.ts'
import { policyWith } from '../shell/page-headers.ts'
import { siteHref } from '../ui/paths.ts'

/** Matches the address of an OAuth2 request. */
const authorizing = /^\/login\/oauth\/authorize\?(.*)$/

/** Base for resolving addresses; no other site has this origin. */
const ownOrigin = 'http://site.invalid'

/**
 * Returns the target after sign-in, always a path of this site. The result is resolved once more, because dot segments
 * may leave leading slashes, which name another site.
 */
export function localTarget(config: Config, requestedTarget: string | undefined): string {
  if (requestedTarget === undefined || !/^\/(?![/\\])/.test(requestedTarget) || /[\r\n\t]/.test(requestedTarget)) {
    return siteHref(config, '/')
  }
  const resolved = URL.parse(requestedTarget, ownOrigin)
  if (resolved?.origin !== ownOrigin) return siteHref(config, '/')
  const target = siteHref(config, resolved.pathname + resolved.search)
  return URL.parse(target, ownOrigin)?.origin === ownOrigin ? target : siteHref(config, '/')
}

/** Returns the login that the application suggests (`login_hint`). */
export function hintedLogin(redirectTo: string | undefined): string | undefined {
  const [, query = ''] = authorizing.exec(redirectTo ?? '') ?? []
  return new URLSearchParams(query).get('login_hint')?.slice(0, 254)
}

/**
 * Returns the headers of a form that may end in a redirect to an application. Browsers check the targets of a form's
 * redirects.
 */
export async function policyLeadingTo(ctx: Ctx, redirectTo: string | undefined): Promise<Record<string, string>> {
  const [, query] = authorizing.exec(redirectTo ?? '') ?? []
  const target = query === undefined ? undefined : await targetOfRequest(ctx, new URLSearchParams(query))
  return target === undefined ? {} : { 'content-security-policy': policyWith(formTargetOf(target)) }
}

/** Returns the path of another page of the way in, which leads to the same target. */
export const withTarget = (path: string, redirectTo: string | undefined): string =>
  redirectTo === undefined ? path : `${path}?redirect_to=${encodeURIComponent(redirectTo)}`
