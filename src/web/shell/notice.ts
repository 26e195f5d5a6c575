import type { Ctx, SignedInCtx } from '../../access/context.ts'
import type { Call } from '../../http/operation.ts'
import type { Config } from '../../config/load-config.ts'
import { empty, type Reply } from '../../http/reply.ts'
import { nowUnix } from '../../lib/time.ts'
import { siteHref } from '../ui/paths.ts'
import { cookie, cookieFromElsewhere, readCookies } from './cookies.ts'

/** Longest notice, in characters; a cookie has about 4,000. */
const maxNotice = 500

const nameOf = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_notice`

/** A sentence about an act, which the next page shows once. */
export interface Notice {
  readonly text: string
  /** `warning`: the act did not do all of what it is for. */
  readonly tone: 'done' | 'warning'
}

const marks = { done: '+', warning: '!' } as const

/** Returns the cookie with a sentence that the next page shows once. */
export const noticeCookie = (config: Config, text: string, tone: Notice['tone'] = 'done'): string => {
  const value = Buffer.from(marks[tone] + text.slice(0, maxNotice)).toString('base64url')
  return cookieFromElsewhere(config, nameOf(config), value, 60)
}

/** Leads to a page, with a sentence that it shows once. */
export function redirectTo(
  { config }: Pick<Ctx, 'config'>,
  { cookies }: Pick<Call, 'cookies'>,
  { to, notice }: { readonly to: string; readonly notice?: string | undefined },
): Reply<303, undefined> {
  if (notice !== undefined) cookies.push(noticeCookie(config, notice))
  return empty(303, { location: siteHref(config, to) })
}

/** Returns the notice of the previous act, and deletes it. */
export function takeNotice(config: Config, call: Pick<Call, 'headers' | 'cookies'>): Notice | undefined {
  const sent = readCookies(call.headers['cookie']).get(nameOf(config))
  if (sent === undefined || sent === '') return undefined
  call.cookies.push(cookie(config, nameOf(config), ''))
  const value = Buffer.from(sent, 'base64url').toString()
  return { text: value.slice(1, maxNotice + 1), tone: value.startsWith(marks.warning) ? 'warning' : 'done' }
}

/** A form of one button that takes an act back. */
export interface Undo {
  /** Path below the site root. */
  readonly to: string
  readonly fields: Readonly<Record<string, string>>
}

const undoPurpose = 'undo of an act'
const undoSeconds = 60

/** Longest cookie; browsers keep about 4,000 bytes. */
const maxUndo = 3_800

const undoName = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_undo`

/**
 * Returns the cookie with the form that the next page shows beside its notice; undefined when it is too long. It is signed:
 * somebody who can set a cookie must not choose what a button does.
 */
export function undoCookie({ config, clock, secrets, viewer }: SignedInCtx, { to, fields }: Undo): string | undefined {
  const now = nowUnix(clock)
  const signed = secrets.sign(undoPurpose, { viewer: viewer.id, to, fields: JSON.stringify(fields) }, now + undoSeconds)
  return signed.length > maxUndo ? undefined : cookieFromElsewhere(config, undoName(config), signed, undoSeconds)
}

/** Returns how the previous act of the viewer is taken back, and deletes the cookie. */
export function takeUndo(
  { config, clock, secrets, viewer }: Pick<Ctx, 'config' | 'clock' | 'secrets' | 'viewer'>,
  call: Pick<Call, 'headers' | 'cookies'>,
): Undo | undefined {
  const signed = readCookies(call.headers['cookie']).get(undoName(config))
  if (signed === undefined || signed === '') return undefined
  call.cookies.push(cookie(config, undoName(config), ''))
  const known = secrets.verify(undoPurpose, signed, nowUnix(clock))
  if (known === undefined || known['viewer'] !== viewer?.id) return undefined
  return { to: String(known['to']), fields: JSON.parse(String(known['fields'])) as Undo['fields'] }
}
