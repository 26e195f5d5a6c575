import { Invalid } from '../../lib/errors.ts'

/** Schemes under which a browser would run or show something itself, and not hand a code to a program. */
const forbiddenSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:'])

/** Longest address that is registered. */
const maxLength = 2048

/**
 * Throws `Invalid` for what no person should be sent back to: addresses are whole, are compared as they are, and have no
 * fragment (RFC 6749, 3.1.2), no name and password and no wildcard in the host.
 */
export function checkRedirectUri(uri: string): void {
  const problem = problemOf(uri)
  if (problem !== undefined) {
    throw new Invalid(`[redirect_uris]: ${problem}`, 'redirect_uri_invalid', { field: 'redirect_uris' })
  }
}

function problemOf(uri: string): string | undefined {
  if (uri.length > maxLength) return `an address has at most ${maxLength} characters`
  // Also nothing that could end a header.
  if (!/^[\x21-\x7e]+$/.test(uri) || !/^[a-z][a-z0-9+.-]*:/i.test(uri) || !URL.canParse(uri)) {
    return 'must be whole addresses, with what is not ASCII escaped'
  }
  const { protocol, username, password, hostname } = new URL(uri)
  if (forbiddenSchemes.has(protocol)) return `addresses cannot begin with ${protocol}`
  if (uri.includes('#')) return 'addresses cannot have a fragment'
  if (username !== '' || password !== '') return 'addresses cannot have a name or password'
  if (hostname.includes('*')) return 'addresses cannot have wildcards'
  if (/^https?:/i.test(uri) && !/^https?:\/\/[^/]/i.test(uri)) return 'must be whole addresses'
  return undefined
}

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/

/**
 * Whether an application may have people sent to the address: one of its own, compared as texts. A program on a person's
 * device listens on a port that it is given, so for such the port of a loopback address does not count (RFC 8252, 7.3).
 */
export function allowsRedirect(
  application: { readonly redirectUris: readonly string[]; readonly isConfidential: boolean },
  uri: string,
): boolean {
  if (application.redirectUris.includes(uri)) return true
  const [, port] = loopback.exec(uri) ?? []
  if (application.isConfidential || port === undefined || !URL.canParse(uri)) return false
  return application.redirectUris.some((own) => loopback.test(own) && withoutPort(own) === withoutPort(uri))
}

function withoutPort(uri: string): string {
  const url = new URL(uri)
  url.port = ''
  return url.href
}

/** The address with parameters added; what is undefined is left out. */
export function redirectWith(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(sent).toString()}`
}

/**
 * What a page's policy has to name so that its form may lead to the address (`form-action` looks at redirects as well):
 * its origin, or its scheme where there is no plain one.
 */
export function formTargetOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) && /^[\w.:[\]-]+$/.test(host) ? `${protocol}//${host}` : protocol
}
