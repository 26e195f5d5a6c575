import type { Oid } from './ids.ts'

const branchPrefix = 'refs/heads/'
const tagPrefix = 'refs/tags/'

/** Prefix of hidden references fetched from another server; git hides them too. */
export const fetchedPrefix = 'refs/fetched/'

/** Returns the branch of a full reference name, or undefined. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : undefined

/** Returns the tag of a full reference name, or undefined. */
export const tagOf = (ref: string): string | undefined =>
  ref.startsWith(tagPrefix) ? ref.slice(tagPrefix.length) : undefined

export const branchRef = (branch: string): string => branchPrefix + branch
export const tagRef = (tag: string): string => tagPrefix + tag

/** Returns whether a text is a full lower-case object id of either format. */
export const isOid = (text: string): text is Oid => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** Returns whether an object id is all zeros, which stands for no object. */
export const isZeroOid = (oid: string): boolean => /^0+$/.test(oid)

/** Returns the all-zero object id, in a format or as long as another id. */
export const zeroOid = (like: 'sha1' | 'sha256' | Oid = 'sha1'): Oid =>
  '0'.repeat(like === 'sha256' || like.length === 64 ? 64 : 40) as Oid
