import type { Services } from '../access/context.ts'
import { hashPassword } from '../secrets/passwords.ts'
import { newSecret } from '../secrets/tokens.ts'
import { createUser } from './user.service.ts'
import { countPeople, findUserByName } from './user.store.ts'

/** An account that was just made; the password was generated and is shown once. */
export interface FirstAdministrator {
  readonly login: string
  readonly password: string | undefined
}

/** Name of the administrator that an empty instance makes by itself. */
const defaultLogin = 'root'

/**
 * Makes the first administrator: the one the settings name when it is missing, else one with a generated password when
 * nobody has an account yet.
 * @returns who was made, or undefined when there was nothing to do
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
    name: defaultLogin,
    email: `${defaultLogin}@localhost.localdomain`,
    // Made here: there is no list that it could be on, and nothing to ask before the first start is over.
    passwordHash: await hashPassword(password),
    isAdmin: true,
  })
  return { login: defaultLogin, password }
}
