import { randomInt } from 'node:crypto'

/** Consonants alone: no words, no letters that look like digits (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

/** What a person types who lets a device in, as it is kept: 34 random bits. */
export const newUserCode = (): string => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** The same as it is shown: `WDJB-MJHT`. */
export const shownUserCode = (code: string): string => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`

/** What somebody typed, without what does not count; undefined when it can be no such code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed.slice(0, 100).toUpperCase().replaceAll(/[\s-]/g, '')
  return new RegExp(`^[${letters}]{${length}}$`).test(code) ? code : undefined
}
