import { hash, timingSafeEqual } from 'node:crypto'
import { bytesOfMember } from './structured.rules.ts'

/** Hash algorithms by their names in headers. */
const algorithms = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const

export type DigestName = keyof typeof algorithms

/** Returns a `Digest` header (RFC 3230): `SHA-256=…`. */
export const digestOf = (body: Buffer, name: DigestName): string =>
  `${name.toUpperCase()}=${hash(algorithms[name], body, 'base64')}`

/** Returns a `Content-Digest` header (RFC 9530). */
export const contentDigestOf = (body: Buffer, name: DigestName): string =>
  `${name}=:${hash(algorithms[name], body, 'base64')}:`

/**
 * Returns whether each digest of a known algorithm matches the body, and there is at least one.
 * @param form `Digest` holds plain base64, `Content-Digest` base64 between colons
 */
export function digestMatches(header: string, body: Buffer, form: 'digest' | 'content-digest'): boolean {
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
