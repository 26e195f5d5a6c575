import type { Services } from '../../access/context.ts'
import { nowUnix } from '../../lib/time.ts'
import { entryLimits } from './entry-limits.ts'
import { bitsFor, isProof } from './proof-of-work.rules.ts'

const purpose = 'sign-up-work'

/** Lifetime of a challenge, in seconds. */
const challengeSeconds = 7200

/** A proof-of-work task for the browser. */
export interface Challenge {
  readonly text: string
  readonly bits: number
}

/** Returns the task of a form; undefined when `[ingot].SIGN_UP_WORK` is 0. */
export function newChallenge(services: Services): Challenge | undefined {
  const { secrets, clock, config } = services
  const { signUpWork } = config.ingot
  if (signUpWork === 0) return undefined
  const bits = bitsFor(signUpWork, entryLimits.of(services).proven.recent)
  return { text: secrets.sign(purpose, { bits }, nowUnix(clock) + challengeSeconds), bits }
}

/** Returns whether a form contains a valid proof for its name and address. */
export function isProven(
  { secrets, clock, config }: Services,
  form: { readonly challenge: string; readonly nonce: string; readonly name: string; readonly email: string },
): boolean {
  if (config.ingot.signUpWork === 0) return true
  const bits = secrets.verify(purpose, form.challenge, nowUnix(clock))?.['bits']
  return typeof bits === 'number' && isProof(form, bits)
}
