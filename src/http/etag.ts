/** Returns whether an `If-None-Match` header names this entity tag, by weak comparison (RFC 9110). */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false
  const sent = Array.isArray(header) ? header.join(',') : header
  if (sent.trim() === '*') return true
  return sent.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
