import type { Services } from '../access/context.ts'
import { hasAdministrator, lockAdministrators } from '../admin/accounts/account.store.ts'
import { transaction } from '../db/database.ts'
import type { UserChange, UserRow } from '../db/tables/accounts.ts'
import { nowUnix } from '../lib/time.ts'
import { holdAccount, tellAccountChange } from '../users/account-change.service.ts'
import { mayUseEmail } from '../users/email.rules.ts'
import { isEmailOfOther, setPrimaryEmail } from '../users/email.service.ts'
import { createUser } from '../users/user.service.ts'
import { updateUser } from '../users/user.store.ts'
import type { Source } from './source.service.ts'

/** What a source says of somebody. */
export interface Person {
  /** What they are called there, by which their account is found again. */
  readonly loginName: string
  /** What their account is to be called here. */
  readonly name: string
  readonly email: string
  readonly fullName: string
  /** undefined where the source says nothing of it. */
  readonly isAdmin: boolean | undefined
  readonly isRestricted: boolean | undefined
}

/** Longest full name that an account takes, in characters. */
const maxFullName = 100

/** Makes the account of somebody whom a source knows. @throws Invalid for a name or an address that it cannot have */
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

/** What of a person an account follows. */
export interface Followed {
  readonly profile: boolean
  /** Whether an account that was switched off is switched on again. */
  readonly activates?: boolean
}

/**
 * Brings an account up to what its source says. What it cannot have stays as it was: an address of somebody else, or the
 * loss of the last administrator.
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
    await tellAccountChange(tx, before, after, user.id)
    return after
  })
}

/** Switches the account of somebody off whom the source does not know any more; what they made stays. */
export const switchOff = (services: Services, user: UserRow): Promise<void> =>
  transaction(services.db, async (tx) => {
    const before = await holdAccount(tx, user.id)
    const after = await updateUser(tx, user.id, { is_active: false, updated_unix: nowUnix(services.clock) })
    await tellAccountChange(tx, before, after, user.id)
  })
