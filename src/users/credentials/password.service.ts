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

/** Sets the password of an account and ends its sessions. Throws `BadRequest` for a weak password. */
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
 * Sets the password that an account chooses because of `must_change_password`. Throws `BadRequest` for a weak password
 * or the current one.
 */
export async function chooseFirstPassword(services: Services, user: UserRow, password: string): Promise<UserRow> {
  if (await services.passwordChecks.matches(user.password_hash ?? undefined, password)) {
    throw new BadRequest('this is the password that you were given; choose another one', 'password_same')
  }
  return changePassword(services, user, password, { mustChangePassword: false })
}
