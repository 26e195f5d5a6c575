import { randomInt } from 'node:crypto'

/** Consonants only: they form no words and do not look like digits (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** Returns a new user code of 34 random bits, without the hyphen. */
export const newUserCode = (): string => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** Formats a user code as `WDJB-MJHT`. */
export const formatUserCode = (code: string): string => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`

/** Parses an entered code, ignoring letter case, blanks and hyphens. Returns undefined for a malformed one. */
export function parseUserCode(typed: string): string | undefined {
  const code = typed.slice(0, 100).toUpperCase().replaceAll(/[\s-]/g, '')
  return new RegExp(`^[${letters}]{${length}}$`).test(code) ? code : undefined
}
