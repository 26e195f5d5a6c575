import type { Services } from '../access/context.ts'
import { firstLogin } from '../config/first-admin.ts'
import { Invalid } from '../lib/errors.ts'
import { hashPassword } from '../secrets/passwords.ts'
import { newSecret } from '../secrets/tokens.ts'
import { createUser } from './user.service.ts'
import { countPeople, findUserByName } from './user.store.ts'

/** The created administrator; a generated password is shown once. */
export interface FirstAdministrator {
  readonly login: string
  readonly password: string | undefined
}

/**
 * Creates the first administrator: the one of the settings when it does not exist, or one with a generated password
 * when there are no accounts.
 * @returns the account; undefined when there is nothing to do
 */
export async function ensureFirstAdministrator(services: Services): Promise<FirstAdministrator | undefined> {
  const named = services.config.firstAdmin
  if (named) {
    if (await findUserByName(services.db, named.login)) return undefined
    const account = { name: named.login, email: named.email, password: named.password, isAdmin: true }
    return (await createOnce(services, account)) ? { login: named.login, password: undefined } : undefined
  }
  if ((await countPeople(services.db)) > 0) return undefined
  const password = newSecret(15)
  const isCreated = await createOnce(services, {
    name: firstLogin,
    email: `${firstLogin}@localhost.localdomain`,
    // A generated password cannot have leaked, so no lookup is needed.
    passwordHash: await hashPassword(password),
    isAdmin: true,
  })
  return isCreated ? { login: firstLogin, password } : undefined
}

/** Creates an account, or returns false when another process of the database starts too and has created it. */
async function createOnce(services: Services, account: Parameters<typeof createUser>[1]): Promise<boolean> {
  try {
    await createUser(services, account)
    return true
  } catch (error) {
    if (error instanceof Invalid && (await findUserByName(services.db, account.name))) return false
    throw error
  }
}
