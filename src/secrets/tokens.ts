import { hash, randomBytes } from 'node:crypto'

/** Returns a new access token: 160 random bits as 40 lower-case hexadecimal digits, the family's form. */
export const newToken = (): string => randomBytes(20).toString('hex')

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns a prefix and 52 base-32 characters (260 random bits). The prefix helps people and secret scanners. */
export const newPrefixedToken = (prefix: string): string =>
  prefix + Array.from(randomBytes(52), (byte) => base32[byte & 31]).join('')

/** Returns a new secret of `sizeBytes` random bytes, URL-safe. */
export const newSecret = (sizeBytes = 32): string => randomBytes(sizeBytes).toString('base64url')

/**
 * Returns the stored hash of a token: SHA-256, 64 hexadecimal digits, so that a lookup is one index read. A token has 160
 * random bits, so a slow hash adds no security. The hash has no key, so that tokens stay valid after a change of the
 * instance key.
 */
export const hashToken = (token: string): string => hash('sha256', `ingot-token\0${token}`, 'hex')

/** Returns the last eight characters, by which pages and the API identify tokens. */
export const tokenLastEight = (token: string): string => token.slice(-8)
