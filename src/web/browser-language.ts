import type { Call } from '../http/operation.ts'

/** The language that a browser wants first, like `de-DE`. */
export const browserLanguage = ({ headers }: Pick<Call, 'headers'>): string =>
  /^[a-z]{2,3}(-[A-Za-z]{2,4})?/.exec(String(headers['accept-language'] ?? ''))?.[0] ?? 'en-US'
