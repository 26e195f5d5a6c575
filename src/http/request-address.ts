/**
 * Path and query of a request below the site: without the path of the public address when the proxy in front does not take
 * it off, and with runs of slashes as one, as the family's clients rely on. This is the only address that the server
 * routes by, decides rights by and logs, so that no surface reads a path in two ways. Encoded slashes (`%2F`) divide
 * nothing, and the query stays as it is.
 */
export function addressBelowSite(url: string, subPath: string): string {
  // A proxy may send the absolute form (RFC 9112, 3.2.2).
  const address = withSingleSlashes(url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, ''))
  if (subPath === '' || !address.startsWith(subPath)) return address
  const rest = address.slice(subPath.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : address
}

function withSingleSlashes(address: string): string {
  if (!address.includes('//')) return address
  const end = address.search(/[?#]/)
  const path = end < 0 ? address : address.slice(0, end)
  return path.replaceAll(/\/{2,}/g, '/') + address.slice(path.length)
}

/** A fragment, which clients should not send, is ignored. */
export function splitUrl(url: string): { readonly path: string; readonly search: string } {
  const hash = url.indexOf('#')
  const address = hash < 0 ? url : url.slice(0, hash)
  const mark = address.indexOf('?')
  return mark < 0 ? { path: address, search: '' } : { path: address.slice(0, mark), search: address.slice(mark + 1) }
}

/** Returns whether an address below the site belongs to the API, whose refusals are JSON. */
export const isOfApi = (url: string): boolean => /^\/api(?:[/?#]|$)/.test(url)
