import type { BrowserOf } from '../../auth/session.service.ts'
import type { Call } from '../../http/operation.ts'

/** The language that a browser wants first, like `de-DE`. */
export const browserLanguage = ({ headers }: Pick<Call, 'headers'>): string =>
  /^[a-z]{2,3}(-[A-Za-z]{2,4})?/.exec(String(headers['accept-language'] ?? ''))?.[0] ?? 'en-US'

/** Where a request's browser is and what it says of itself. */
export const browserOf = (call: Pick<Call, 'headers' | 'ip'>): BrowserOf => ({
  ip: call.ip,
  client: String(call.headers['user-agent'] ?? ''),
  language: browserLanguage(call),
})
