const lasting = new WeakSet<object>()

/**
 * Says of an answer that it is kept and given again, the very same object, because what it was made of never changes
 * (contents of a commit): it is encoded once, and frozen, since several requests may hold it. What it is encoded as stays as
 * long as the answer does, and counts for whoever keeps that.
 */
export function encodeOnce<Body extends object>(body: Body): Readonly<Body> {
  lasting.add(body)
  return Object.freeze(body)
}

export const isEncodedOnce = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && lasting.has(body)
