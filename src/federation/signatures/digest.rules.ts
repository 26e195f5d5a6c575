import { hash, timingSafeEqual } from 'node:crypto'
import { bytesOfMember } from './structured.rules.ts'

/** Algorithms for digests of bodies, by their names in headers. */
const algorithms = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const

export type DigestName = keyof typeof algorithms

/** A digest in the form of `Digest` (RFC 3230): `SHA-256=…`. */
export const digestOf = (body: Buffer, name: DigestName): string =>
  `${name.toUpperCase()}=${hash(algorithms[name], body, 'base64')}`

/** The same in the form of `Content-Digest` (RFC 9530). */
export const contentDigestOf = (body: Buffer, name: DigestName): string =>
  `${name}=:${hash(algorithms[name], body, 'base64')}:`

/**
 * Whether a digest header fits the body: every digest of a known algorithm, and there is one at least.
 * @param form `Digest` has base64 as it is, `Content-Digest` between colons
 */
export function digestFits(header: string, body: Buffer, form: 'digest' | 'content-digest'): boolean {
  const claims = (Object.keys(algorithms) as DigestName[]).flatMap((name) => {
    const claimed = form === 'content-digest' ? bytesOfMember(header, name) : plainDigest(header, name)
    return claimed ? [{ name, claimed }] : []
  })
  return (
    claims.length > 0 &&
    claims.every(({ name, claimed }) => {
      const actual = hash(algorithms[name], body, 'buffer')
      return actual.length === claimed.length && timingSafeEqual(actual, claimed)
    })
  )
}

function plainDigest(header: string, name: DigestName): Buffer | undefined {
  for (const part of header.split(',')) {
    const equals = part.indexOf('=')
    if (part.slice(0, equals).trim().toLowerCase() === name) return Buffer.from(part.slice(equals + 1).trim(), 'base64')
  }
  return undefined
}
