import type { Call } from '../../http/operation.ts'
import type { Config } from '../../config/load-config.ts'
import { cookie, cookieFromElsewhere, readCookies } from './cookies.ts'

/** Longest notice, in characters; a cookie has about 4,000. */
const maxNotice = 500

const nameOf = ({ session }: Pick<Config, 'session'>): string => `${session.cookieName}_notice`

/** Returns the cookie with a sentence that the next page shows once. */
export const noticeCookie = (config: Config, notice: string): string =>
  cookieFromElsewhere(config, nameOf(config), Buffer.from(notice.slice(0, maxNotice)).toString('base64url'), 60)

/** Returns the notice of the previous act, and deletes it. */
export function takeNotice(config: Config, call: Pick<Call, 'headers' | 'cookies'>): string | undefined {
  const sent = readCookies(call.headers['cookie']).get(nameOf(config))
  if (sent === undefined || sent === '') return undefined
  call.cookies.push(cookie(config, nameOf(config), ''))
  return Buffer.from(sent, 'base64url').toString().slice(0, maxNotice)
}
