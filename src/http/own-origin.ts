import type { Call } from './operation.ts'

/**
 * Whether a request was not sent by a page of another site, as browsers say it (`Sec-Fetch-Site`, `Origin`). Programs say
 * nothing of it.
 * @param rootUrl the public address of the instance
 */
export function isFromHere(rootUrl: string, { headers }: Pick<Call, 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') return false
  const { origin, host } = headers
  if (typeof origin !== 'string') return true
  if (origin === 'null') return false
  return origin === new URL(rootUrl).origin || (URL.canParse(origin) && new URL(origin).host === host)
}
