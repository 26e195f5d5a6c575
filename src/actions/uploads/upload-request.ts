import type { Call } from '../../http/operation.ts'
import { BadRequest } from '../../lib/errors.ts'

/** Largest part of an upload without a declared length, in bytes. */
const maxUndeclaredBytes = 8 * 1024 * 1024

/** Largest list of blocks, in bytes. */
const maxListBytes = 4 * 1024 * 1024

/** Returns the declared length of a part, or the limit for a request that declares none, in bytes. */
export function declaredBytes(call: Call): number {
  const length = call.headers['content-length']
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : maxUndeclaredBytes
}

/** Returns the names in a block list, which Azure's storage client sends as XML. Throws `BadRequest`. */
export async function readBlockList(call: Call): Promise<string[]> {
  const isTooLong = Number(call.headers['content-length'] ?? 0) > maxListBytes
  if (isTooLong) throw new BadRequest(`the block list is longer than ${maxListBytes} bytes`, 'list_too_long')
  const list = (await call.wholeBody()).toString('utf8')
  return [...list.matchAll(/<Latest>([^<]{1,200})<\/Latest>/g)].map(([, name]) => name as string)
}
