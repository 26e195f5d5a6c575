import { hash } from 'node:crypto'

// A proof of work is a number whose SHA-256, together with the challenge and the form, begins with some zero bits. A
// browser needs a moment for one sign-up; a bulk program needs it for each. It is valid for one name and address only.

/** Sign-ups per hour above which each doubling adds one bit. */
const calm = 20
/** Largest number of bits; more takes a phone minutes. */
const maxBits = 23

/** Returns the required number of zero bits after `recent` sign-ups within the last hour. */
export const bitsFor = (bits: number, recent: number): number =>
  Math.min(Math.max(bits, maxBits), bits + Math.max(0, Math.floor(Math.log2(Math.max(recent, 1) / calm)) + 1))

/** Returns the hashed text; `assets/sign-up.js` builds the same. */
const workText = (challenge: string, name: string, email: string, nonce: string): string =>
  `${challenge} ${name.trim().toLowerCase()} ${email.trim().toLowerCase()} ${nonce}`

/** Returns whether the nonce of a form is a valid proof. */
export function isProof(
  form: { readonly challenge: string; readonly name: string; readonly email: string; readonly nonce: string },
  bits: number,
): boolean {
  if (!/^\d{1,15}$/.test(form.nonce)) return false
  const digest = hash('sha256', workText(form.challenge, form.name, form.email, form.nonce), 'buffer')
  let zeros = 0
  for (const byte of digest) {
    zeros += Math.clz32(byte) - 24
    if (byte !== 0) break
  }
  return zeros >= bits
}
