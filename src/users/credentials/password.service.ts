import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { endSessions } from '../../auth/session.service.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { hashPassword } from '../../secrets/passwords.ts'
import { checkNewPassword } from './password-choice.service.ts'
import { updateUser } from '../user.store.ts'

/** Gives an account another password and ends its sessions. One that is too weak is `BadRequest` (as when an account is made). */
export async function changePassword(
  services: Services,
  user: UserRow,
  password: string,
  options: { readonly mustChangePassword: boolean },
): Promise<UserRow> {
  await checkNewPassword(services, password)
  const passwordHash = await hashPassword(password)
  return transaction(services.db, async (tx) => {
    await endSessions(tx, user.id)
    await recordAct(tx, { action: 'password.changed', doerId: user.id, about: { kind: 'account', id: user.id } })
    await publish(tx, 'credential.changed', { userId: user.id, what: 'password', name: '' })
    return updateUser(tx, user.id, {
      password_hash: passwordHash,
      must_change_password: options.mustChangePassword,
      updated_unix: nowUnix(services.clock),
    })
  })
}

/**
 * The password that somebody chooses for themselves, where an administrator asks for it (`must_change_password`): any but
 * the one that somebody else knows. `BadRequest` for one that is too weak or the same.
 */
export async function chooseFirstPassword(services: Services, user: UserRow, password: string): Promise<UserRow> {
  if (await services.passwordChecks.matches(user.password_hash ?? undefined, password)) {
    throw new BadRequest('this is the password that you were given; choose another one', 'password_same')
  }
  return changePassword(services, user, password, { mustChangePassword: false })
}
