import type { Services } from '../access/context.ts'
import { hasAdministrator, lockAdministrators } from '../admin/accounts/account.store.ts'
import { transaction } from '../db/database.ts'
import type { UserChange, UserRow } from '../db/tables/accounts.ts'
import { nowUnix } from '../lib/time.ts'
import { holdAccount, publishAccountChange } from '../users/account-change.service.ts'
import { mayUseEmail } from '../users/email.rules.ts'
import { isEmailOfOther, setPrimaryEmail } from '../users/email.service.ts'
import { createUser } from '../users/user.service.ts'
import { updateUser } from '../users/user.store.ts'
import type { Source } from './source.service.ts'

/** A person as described by a source. */
export interface Person {
  /** Name at the source, which identifies the account. */
  readonly loginName: string
  /** Wanted name of the account. */
  readonly name: string
  readonly email: string
  readonly fullName: string
  /** Undefined when the source does not say. */
  readonly isAdmin: boolean | undefined
  readonly isRestricted: boolean | undefined
}

/** Longest full name, in characters. */
const maxFullName = 100

/** Creates the account of a source's person. @throws Invalid for an unusable name or address */
export const makeAccount = (services: Services, source: Source, person: Person): Promise<UserRow> =>
  createUser(services, {
    name: person.name,
    email: person.email,
    fullName: person.fullName.slice(0, maxFullName),
    loginName: person.loginName,
    loginSourceId: source.id,
    isAdmin: person.isAdmin === true,
    isRestricted: person.isRestricted,
    isActive: source.kind === 'ldap' || !services.config.service.registerManualConfirm,
  })

/** Attributes of a person that an account follows. */
export interface Followed {
  readonly profile: boolean
  /** Whether a deactivated account is activated again. */
  readonly activates?: boolean
}

/**
 * Updates an account from its source. Impossible changes are skipped: an address of another account, or the loss of the
 * last administrator.
 */
export async function followPerson(
  services: Services,
  user: UserRow,
  person: Person,
  { profile, activates = false }: Followed,
): Promise<UserRow> {
  const fullName = person.fullName.slice(0, maxFullName)
  const isNewEmail =
    profile &&
    person.email.toLowerCase() !== user.email.toLowerCase() &&
    mayUseEmail(person.email).allowed &&
    !(await isEmailOfOther(services, user, person.email))
  const change: UserChange = {
    ...(profile && fullName !== '' && fullName !== user.full_name ? { full_name: fullName } : {}),
    ...(person.isAdmin !== undefined && person.isAdmin !== user.is_admin ? { is_admin: person.isAdmin } : {}),
    ...(person.isRestricted !== undefined && person.isRestricted !== user.is_restricted
      ? { is_restricted: person.isRestricted }
      : {}),
    ...(activates && !user.is_active ? { is_active: true } : {}),
  }
  if (!isNewEmail && Object.keys(change).length === 0) return user
  return transaction(services.db, async (tx) => {
    if (change.is_admin === false) await lockAdministrators(tx)
    const before = await holdAccount(tx, user.id)
    let after = await updateUser(tx, user.id, { ...change, updated_unix: nowUnix(services.clock) })
    if (change.is_admin === false && !(await hasAdministrator(tx))) {
      after = await updateUser(tx, user.id, { is_admin: true })
    }
    if (isNewEmail) {
      await setPrimaryEmail(tx, user, person.email)
      after = { ...after, email: person.email }
    }
    await publishAccountChange(tx, before, after, user.id)
    return after
  })
}

/** Deactivates an account whose person left the source; its content stays. */
export const switchOff = (services: Services, user: UserRow): Promise<void> =>
  transaction(services.db, async (tx) => {
    const before = await holdAccount(tx, user.id)
    const after = await updateUser(tx, user.id, { is_active: false, updated_unix: nowUnix(services.clock) })
    await publishAccountChange(tx, before, after, user.id)
  })
