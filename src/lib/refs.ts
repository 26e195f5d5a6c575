import type { Oid } from './ids.ts'

const branchPrefix = 'refs/heads/'
const tagPrefix = 'refs/tags/'

/** Where references of another server lie that nobody is to see yet; git's own lists hide them too. */
export const fetchedPrefix = 'refs/fetched/'

/** The branch a full reference names, or undefined. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : undefined

/** The tag a full reference names, or undefined. */
export const tagOf = (ref: string): string | undefined =>
  ref.startsWith(tagPrefix) ? ref.slice(tagPrefix.length) : undefined

export const branchRef = (branch: string): string => branchPrefix + branch
export const tagRef = (tag: string): string => tagPrefix + tag

/** Whether a text is a whole lower-case object id of either format. */
export const isOid = (text: string): text is Oid => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** True for the id of nothing: all digits are zero. */
export const isZeroOid = (oid: string): boolean => /^0+$/.test(oid)

/** The id of nothing, in a format or as long as another id. */
export const zeroOid = (like: 'sha1' | 'sha256' | Oid = 'sha1'): Oid =>
  '0'.repeat(like === 'sha256' || like.length === 64 ? 64 : 40) as Oid
