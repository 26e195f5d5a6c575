import type { Services } from '../../access/context.ts'
import { nowUnix } from '../../lib/time.ts'
import { entryLimits } from './entry-limits.ts'
import { bitsFor, isProof } from './proof-of-work.rules.ts'

const purpose = 'sign-up-work'

/** How long a form may stay open. */
const challengeSeconds = 7200

/** A task for the browser of somebody who signs up. */
export interface Challenge {
  readonly text: string
  readonly bits: number
}

/** The task that goes with a form; undefined where none is wanted (`[ingot].SIGN_UP_WORK`). */
export function newChallenge(services: Services): Challenge | undefined {
  const { secrets, clock, config } = services
  const { signUpWork } = config.ingot
  if (signUpWork === 0) return undefined
  const bits = bitsFor(signUpWork, entryLimits.of(services).proven.recent)
  return { text: secrets.sign(purpose, { bits }, nowUnix(clock) + challengeSeconds), bits }
}

/** Whether a form brings the proof that it was asked for. It is one for this name and this address alone. */
export function isProven(
  { secrets, clock, config }: Services,
  form: { readonly challenge: string; readonly nonce: string; readonly name: string; readonly email: string },
): boolean {
  if (config.ingot.signUpWork === 0) return true
  const bits = secrets.verify(purpose, form.challenge, nowUnix(clock))?.['bits']
  return typeof bits === 'number' && isProof(form, bits)
}
