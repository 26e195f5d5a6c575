import type { Base, Call } from './operation.ts'

/** How many segments stand before the path of an operation: `/api/v1`, the vendor's prefix, or none. */
const segmentsBefore: Readonly<Record<Base, number>> = { api: 2, vendor: 3, site: 0 }

/**
 * The address of the same request with other values for segments of its path, escaped; the query stays as it is.
 * @param values by the names that the operation's path gives the segments
 */
export function movedUrl(
  { url, operation }: Pick<Call, 'url' | 'operation'>,
  values: Readonly<Record<string, string>>,
): string {
  const [path = '', ...query] = url.split('?')
  const parts = path.split('/')
  const before = segmentsBefore[operation.base ?? 'api']
  for (const [index, segment] of operation.path.split('/').entries()) {
    const value = /^\{\w+\}$/.test(segment) ? values[segment.slice(1, -1)] : undefined
    if (value !== undefined) parts[index + before] = encodeURIComponent(value)
  }
  return [parts.join('/'), ...query].join('?')
}
