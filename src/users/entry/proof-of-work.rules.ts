import { hash } from 'node:crypto'

// A proof of work is a number that, behind the challenge and what the form says, gives a SHA-256 that begins with some zero
// bits. It is found by trying, and by whoever has time: a browser that signs somebody up needs a moment, a program that
// makes accounts by the thousand needs thousands of them. It is worth nothing for another name or address.

/** Sign-ups within an hour from which on the work doubles with each doubling of them. */
const calm = 20
/** More than this takes a telephone minutes. */
const maxBits = 23

/** How many zero bits are asked for after so many sign-ups within the last hour. */
export const bitsFor = (bits: number, recent: number): number =>
  Math.min(Math.max(bits, maxBits), bits + Math.max(0, Math.floor(Math.log2(Math.max(recent, 1) / calm)) + 1))

/** What is hashed; `assets/sign-up.js` says the same. */
const workText = (challenge: string, name: string, email: string, nonce: string): string =>
  `${challenge} ${name.trim().toLowerCase()} ${email.trim().toLowerCase()} ${nonce}`

/** Whether a nonce of the form is the proof. */
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
