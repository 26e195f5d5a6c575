import type { BrowserOf } from '../../auth/session.service.ts'
import type { Config } from '../../config/load-config.ts'
import type { Call } from '../../http/operation.ts'
import { languageCookie, readCookies } from './cookies.ts'

/** A tag as browsers send it first. */
const firstTag = /^[a-z]{2,3}(-[A-Za-z]{2,4}){0,2}/

/** Returns the language that was chosen in a browser, or else the one that it prefers, such as `de-DE`. */
export function browserLanguage(config: Pick<Config, 'session'>, { headers }: Pick<Call, 'headers'>): string {
  const chosen = readCookies(headers['cookie']).get(languageCookie(config)) ?? ''
  const accepted = String(headers['accept-language'] ?? '')
  return firstTag.exec(chosen)?.[0] ?? firstTag.exec(accepted)?.[0] ?? 'en-US'
}

/** Returns address, user agent and language of a browser. */
export const browserOf = (config: Pick<Config, 'session'>, call: Pick<Call, 'headers' | 'ip'>): BrowserOf => ({
  ip: call.ip,
  client: String(call.headers['user-agent'] ?? ''),
  language: browserLanguage(config, call),
})
