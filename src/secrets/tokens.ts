import { hash, randomBytes } from 'node:crypto'

/** A new access token: 160 random bits as 40 lower-case hexadecimal digits, the family's form. */
export const newToken = (): string => randomBytes(20).toString('hex')

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** The prefix and 52 base-32 letters (260 random bits): tokens that say what they are, for people and secret scanners. */
export const newPrefixedToken = (prefix: string): string =>
  prefix + Array.from(randomBytes(52), (byte) => base32[byte & 31]).join('')

/** A new secret of `sizeBytes` random bytes, printable and fit for a URL. */
export const newSecret = (sizeBytes = 32): string => randomBytes(sizeBytes).toString('base64url')

/**
 * What is stored of a token: SHA-256, 64 hexadecimal digits, so that a lookup is one read of an index. A token has 160
 * random bits, which no slow hash makes harder to guess; and without a key in it tokens outlive a change of the
 * instance key.
 */
export const hashToken = (token: string): string => hash('sha256', `ingot-token\0${token}`, 'hex')

/** The last eight characters, which pages and the API show to tell tokens apart. */
export const tokenLastEight = (token: string): string => token.slice(-8)
