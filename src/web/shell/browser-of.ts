import type { BrowserOf } from '../../auth/session.service.ts'
import type { Call } from '../../http/operation.ts'

/** Returns the preferred language of a browser, such as `de-DE`. */
export const browserLanguage = ({ headers }: Pick<Call, 'headers'>): string =>
  /^[a-z]{2,3}(-[A-Za-z]{2,4})?/.exec(String(headers['accept-language'] ?? ''))?.[0] ?? 'en-US'

/** Returns address, user agent and language of a browser. */
export const browserOf = (call: Pick<Call, 'headers' | 'ip'>): BrowserOf => ({
  ip: call.ip,
  client: String(call.headers['user-agent'] ?? ''),
  language: browserLanguage(call),
})
