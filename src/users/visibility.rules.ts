import type { Visibility } from '../db/tables/accounts.ts'
import { Invalid } from '../lib/errors.ts'

/** The visibilities of accounts, from the widest. */
export const visibilities = ['public', 'limited', 'private'] as const satisfies readonly Visibility[]

/**
 * Returns the visibility that a form names; undefined for none.
 * @throws Invalid for another word
 */
export function visibilityOf(word: string | undefined): Visibility | undefined {
  if (word === undefined || word === '') return undefined
  const visibility = visibilities.find((each) => each === word)
  if (visibility === undefined) throw new Invalid('the visibility is unknown', 'visibility_invalid')
  return visibility
}
