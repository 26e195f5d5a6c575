import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { newSecret } from '../secrets/tokens.ts'
import { findUserByName } from '../users/user.store.ts'
import { CommandFailure } from './exit.ts'

/** Returns the account of a person by name. Throws CommandFailure when it does not exist. */
export async function getPerson(services: Services, name: string): Promise<UserRow> {
  const user = await findUserByName(services.db, name)
  if (user?.kind !== 'individual') {
    throw new CommandFailure(`account ${name} does not exist; \`ingot admin user list\` shows the accounts`)
  }
  return user
}

/** Random bytes of a generated password, which are 20 characters. */
const passwordBytes = 15

/** Returns a random password. */
export const newPassword = (): string => newSecret(passwordBytes)
