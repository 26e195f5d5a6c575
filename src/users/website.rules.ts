import { allow, deny, type Verdict } from '../lib/verdict.ts'

/**
 * Returns whether a text may be a website: empty, or a URL with a host and a scheme of
 * `[service].VALID_SITE_URL_SCHEMES`.
 */
export function mayUseWebsite(website: string, schemes: readonly string[]): Verdict {
  if (website === '') return allow
  const url = /\s/.test(website) ? null : URL.parse(website)
  if (!url || url.hostname === '' || !schemes.includes(url.protocol.slice(0, -1))) {
    return deny(
      'website_invalid',
      `a web site is an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    )
  }
  return allow
}
