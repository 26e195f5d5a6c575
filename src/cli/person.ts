import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { newSecret } from '../secrets/tokens.ts'
import { findUserByName } from '../users/user.store.ts'
import { CommandFailure } from './exit.ts'

/** The account of a person that a command names; a `CommandFailure` when there is none. */
export async function getPerson(services: Services, name: string): Promise<UserRow> {
  const user = await findUserByName(services.db, name)
  if (user?.kind !== 'individual') throw new CommandFailure(`there is no account named ${name}`)
  return user
}

/** Random bytes of a generated password: 20 characters of 64 kinds. */
const passwordBytes = 15

/** A password that nobody guesses. */
export const newPassword = (): string => newSecret(passwordBytes)
