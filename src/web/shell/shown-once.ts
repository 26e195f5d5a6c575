import type { SignedInCtx } from '../../access/context.ts'
import type { Call } from '../../http/operation.ts'
import { nowUnix } from '../../lib/time.ts'
import type { BrowserCtx } from './browser-context.ts'
import { cookie, onceCookie, readCookies } from './cookies.ts'

/** Purpose of the sealed cookie whose content the next page shows once. */
const purpose = 'shown-once'
const validSeconds = 300

type PersonCtx = BrowserCtx & SignedInCtx

/** A new secret that the next page shows once. */
export interface ShownOnce {
  /** What the secret is; each page shows its own kinds only. */
  readonly kind: 'scratch' | 'token' | 'application' | 'runner' | 'invitation'
  /** Name of the thing that the secret belongs to. */
  readonly name: string
  readonly secret: string
}

/** Returns the cookie with a secret for the next page. It is sealed, and of use to this account only. */
export function onceShown(ctx: PersonCtx, shown: ShownOnce): string {
  const { kind, name, secret } = shown
  const until = nowUnix(ctx.clock) + validSeconds
  const sealed = ctx.secrets.seal(purpose, JSON.stringify([ctx.viewer.id, until, kind, name.slice(0, 200), secret]))
  return cookie(ctx.config, onceCookie(ctx.config), sealed, validSeconds)
}

/** Returns the secret of one of these kinds to show, and deletes its cookie. */
export function takeShownOnce(ctx: PersonCtx, call: Call, kinds: readonly ShownOnce['kind'][]): ShownOnce | undefined {
  const value = readCookies(call.headers['cookie']).get(onceCookie(ctx.config))
  if (value === undefined) return undefined
  try {
    const opened = JSON.parse(ctx.secrets.open(purpose, value)) as [number, number, ShownOnce['kind'], string, string]
    const [userId, until, kind, name, secret] = opened
    if (!kinds.includes(kind)) return undefined
    call.cookies.push(cookie(ctx.config, onceCookie(ctx.config), ''))
    return userId === ctx.viewer.id && until > nowUnix(ctx.clock) ? { kind, name, secret } : undefined
  } catch {
    // A cookie that was not sealed here.
    return undefined
  }
}
