import { Invalid } from '../../lib/errors.ts'

/** Schemes that a browser handles itself instead of passing the code to a program. */
const forbiddenSchemes = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'ws:', 'wss:'])

/** Longest redirect address, in characters. */
const maxLength = 2048

/**
 * Checks a redirect address: it is absolute and ASCII, without fragment (RFC 6749, 3.1.2), credentials and wildcards. Throws
 * `Invalid`.
 */
export function checkRedirectUri(uri: string): void {
  const problem = problemOf(uri)
  if (problem !== undefined) {
    throw new Invalid(`[redirect_uris]: ${problem}`, 'redirect_uri_invalid', { field: 'redirect_uris' })
  }
}

function problemOf(uri: string): string | undefined {
  if (uri.length > maxLength) return `an address has at most ${maxLength} characters`
  // The pattern excludes line breaks, which could end a header.
  if (!/^[\x21-\x7e]+$/.test(uri) || !/^[a-z][a-z0-9+.-]*:/i.test(uri) || !URL.canParse(uri)) {
    return 'must be absolute addresses with escaped non-ASCII characters'
  }
  const { protocol, username, password, hostname } = new URL(uri)
  if (forbiddenSchemes.has(protocol)) return `addresses cannot begin with ${protocol}`
  if (uri.includes('#')) return 'addresses cannot have a fragment'
  if (username !== '' || password !== '') return 'addresses cannot have a name or password'
  if (hostname.includes('*')) return 'addresses cannot have wildcards'
  if (/^https?:/i.test(uri) && !/^https?:\/\/[^/]/i.test(uri)) return 'must be absolute addresses'
  return undefined
}

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/

/**
 * Returns whether the address is registered for the application, compared as text. For public clients the port of a loopback
 * address is ignored, because a program on a device listens on any free port (RFC 8252, 7.3).
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

/** Returns the address with added parameters, without the undefined ones. */
export function redirectWith(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(sent).toString()}`
}

/** Returns the `form-action` source of the page's content security policy for a redirect to the address: origin or scheme. */
export function formTargetOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) && /^[\w.:[\]-]+$/.test(host) ? `${protocol}//${host}` : protocol
}
