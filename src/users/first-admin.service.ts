import type { Services } from '../access/context.ts'
import { firstLogin } from '../config/first-admin.ts'
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
    await createUser(services, { name: named.login, email: named.email, password: named.password, isAdmin: true })
    return { login: named.login, password: undefined }
  }
  if ((await countPeople(services.db)) > 0) return undefined
  const password = newSecret(15)
  await createUser(services, {
    name: firstLogin,
    email: `${firstLogin}@localhost.localdomain`,
    // A generated password cannot have leaked, so no lookup is needed.
    passwordHash: await hashPassword(password),
    isAdmin: true,
  })
  return { login: firstLogin, password }
}
