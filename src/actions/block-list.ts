import type { Call } from '../http/operation.ts'
import { BadRequest } from '../lib/errors.ts'

/** Largest list, in bytes. */
const maxListBytes = 4 * 1024 * 1024

/** The names of blocks in the order of a request's list, as the ecosystem's storage client sends it. Throws `BadRequest`. */
export async function readBlockList(call: Call): Promise<string[]> {
  const isLong = Number(call.headers['content-length'] ?? 0) > maxListBytes
  if (isLong) throw new BadRequest('the list is too long', 'list_too_long')
  const list = (await call.wholeBody()).toString('utf8')
  return [...list.matchAll(/<Latest>([^<]{1,200})<\/Latest>/g)].map(([, name]) => name as string)
}
