import type { Ctx } from '../../access/context.ts'
import type { Config } from '../../config/load-config.ts'
import { targetOfRequest } from '../../oauth/authorize/authorize.service.ts'
import { formTargetOf } from '../../oauth/applications/redirect.rules.ts'
import { policyWith, sitePath } from '../shell/page.tsx'

/** A request of an application, as somebody is led back to it. */
const authorizing = /^\/login\/oauth\/authorize\?(.*)$/

/** Stands for the site while addresses are resolved; no other site has this origin. */
const ownOrigin = 'http://site.invalid'

/**
 * Where to go after signing in: a path of this site, never another site. The path that is returned is resolved once more, as a
 * browser does: dot segments may leave slashes at its beginning, which name another site.
 */
export function localTarget(config: Config, asked: string | undefined): string {
  if (asked === undefined || !/^\/(?![/\\])/.test(asked) || /[\r\n\t]/.test(asked)) return sitePath(config)
  const resolved = URL.parse(asked, ownOrigin)
  if (resolved?.origin !== ownOrigin) return sitePath(config)
  const target = sitePath(config, resolved.pathname.slice(1) + resolved.search)
  return URL.parse(target, ownOrigin)?.origin === ownOrigin ? target : sitePath(config)
}

/** Whom the application that somebody signs in for takes them for (`login_hint`), to be filled in. */
export function hintedLogin(redirectTo: string | undefined): string | undefined {
  const [, query = ''] = authorizing.exec(redirectTo ?? '') ?? []
  return new URLSearchParams(query).get('login_hint')?.slice(0, 254)
}

/**
 * Headers of a form that signs somebody in for an application: who let it in before is sent on to it at once, and browsers
 * want to know beforehand where a form may lead.
 */
export async function policyLeadingTo(ctx: Ctx, redirectTo: string | undefined): Promise<Record<string, string>> {
  const [, query] = authorizing.exec(redirectTo ?? '') ?? []
  const target = query === undefined ? undefined : await targetOfRequest(ctx, new URLSearchParams(query))
  return target === undefined ? {} : { 'content-security-policy': policyWith(formTargetOf(target)) }
}
