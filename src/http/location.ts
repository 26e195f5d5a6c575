/** Base for resolving paths; no other site has this origin. */
const ownOrigin = 'http://site.invalid'

/** A location that a header can hold and that a browser understands as it is written. */
const isPlain = /^(?:\/(?![/\\])|[a-z][a-z0-9+.-]*:)[\u0021-\u005b\u005d-\u007e]*$/i

/**
 * Returns the `Location` header of a redirect. Every reply gets it here, because a location may contain what people typed.
 * @param target a path from the root, or a full address. A path stays on this site, and what a header cannot hold is escaped or removed,
 * as browsers do
 */
export function locationOf(target: string): string {
  if (isPlain.test(target)) return target
  const url = URL.parse(target, ownOrigin)
  if (url === null) return '/'
  if (url.origin !== ownOrigin) return target.startsWith('/') || target.startsWith('\\') ? '/' : url.href
  // Dot segments may leave leading slashes, which name another site.
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash
}
