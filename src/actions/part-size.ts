import type { Call } from '../http/operation.ts'

/** Largest part of an upload whose length is not said beforehand, in bytes. */
const maxUndeclaredBytes = 8 * 1024 * 1024

/** How many bytes a part may have: those that the request declares, or the limit for a request that declares none. */
export function declaredBytes(call: Call): number {
  const length = call.headers['content-length']
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : maxUndeclaredBytes
}
