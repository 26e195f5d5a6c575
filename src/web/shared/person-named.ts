import type { Ctx } from '../../access/context.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Invalid } from '../../lib/errors.ts'
import { findShownUser } from '../../users/user.service.ts'
import { organizationTexts as texts } from '../languages/texts.ts'

/**
 * Returns the person that a form names.
 * @param field the field of the form
 * @throws Invalid for a name that nobody has, or that is not a person's
 */
export async function personNamed(ctx: Ctx, name: string | undefined, field: string): Promise<UserRow> {
  const person = await findShownUser(ctx, (name ?? '').trim().replace(/^@/, ''))
  if (person?.kind !== 'individual') throw new Invalid(texts.noPerson, 'user_not_found', { field })
  return person
}
