import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** Whether a text may be a web site: empty, or a URL of an allowed scheme (`[service].VALID_SITE_URL_SCHEMES`) with a host. */
export function mayUseWebsite(website: string, schemes: readonly string[]): Verdict {
  if (website === '') return allow
  const url = /\s/.test(website) ? null : URL.parse(website)
  if (!url || url.hostname === '' || !schemes.includes(url.protocol.slice(0, -1))) {
    return deny(`a web site is an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
  }
  return allow
}
