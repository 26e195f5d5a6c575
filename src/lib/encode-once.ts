const lasting = new WeakSet<object>()

/**
 * Marks an immutable reply that is cached and sent again as the same object (contents of a commit). It is frozen, and encoded
 * once. The encoding lives as long as the object, and the cache that holds the object accounts for it.
 */
export function encodeOnce<Body extends object>(body: Body): Readonly<Body> {
  lasting.add(body)
  return Object.freeze(body)
}

export const isEncodedOnce = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && lasting.has(body)
