import type { Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { findPersonByPrimary } from '../../auth/account.store.ts'
import { hasTwoFactor, takeSecondFactor } from '../../auth/two-factor.service.ts'
import { transaction } from '../../db/database.ts'
import type { MailedLinkRow } from '../../db/tables/sign-in.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Forbidden } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { checkNewPassword } from '../credentials/password-choice.service.ts'
import { changePassword } from '../credentials/password.service.ts'
import { checkEmailForm } from '../email.service.ts'
import { entryLimits } from './entry-limits.ts'
import { openLink, requestLink, spentLink } from './link.service.ts'
import { takeLink } from './link.store.ts'

/**
 * Requests a mail with a link to reset the password. The reply does not reveal whether an account has the address.
 * @throws Invalid for a malformed address, TooManyRequests
 */
export async function askForReset(
  services: Services,
  { email, ip, language }: { readonly email: string; readonly ip: string; readonly language: string },
): Promise<void> {
  checkEmailForm(email)
  entryLimits.of(services).mails.take(ip)
  await transaction(services.db, async (tx) => {
    await requestLink(services, tx, { kind: 'reset', email, language })
    // Looking the address up here would change the time of the reply.
    await recordAct(tx, { action: 'password.resetAsked', about: { kind: 'mail address', id: null, name: email } })
  })
}

async function openReset(services: Services, code: string): Promise<{ link: MailedLinkRow; user: UserRow }> {
  const { link, user } = await openLink(services, 'reset', code, (row) =>
    findPersonByPrimary(services.db, row.lower_email),
  )
  if (!user || user.prohibit_login || user.login_source_id > 0) throw spentLink()
  return { link, user }
}

/** Returns the account of a mailed code, and whether a second factor is required. @throws NotFound */
export async function readReset(services: Services, code: string): Promise<{ name: string; needsCode: boolean }> {
  const { user } = await openReset(services, code)
  return { name: user.name, needsCode: await hasTwoFactor(services, user.id) }
}

/**
 * Sets the password of an account by a mailed code, once. It ends all sessions and signs nobody in. An account with a
 * second factor must show it, so that access to the mailbox alone does not suffice.
 * @param given.passcode a code of the device, or the scratch code
 * @throws NotFound for an invalid code, BadRequest (`password_weak`), Forbidden (`two_factor_wrong`), TooManyRequests
 */
export async function resetPassword(
  services: Services,
  code: string,
  given: { readonly password: string; readonly passcode: string },
): Promise<void> {
  const { db, clock } = services
  const { link, user } = await openReset(services, code)
  await checkNewPassword(services, given.password)
  if ((await hasTwoFactor(services, user.id)) && !(await isSecondFactor(services, user, given.passcode))) {
    throw new Forbidden('this code is wrong or already used', 'two_factor_wrong')
  }
  if (!(await transaction(db, (tx) => takeLink(tx, link.id, nowUnix(clock))))) throw spentLink()
  await changePassword(services, user, given.password, { mustChangePassword: false })
}

const isSecondFactor = (services: Services, user: UserRow, passcode: string): Promise<boolean> =>
  takeSecondFactor(services, user.id, /^[\d\s]+$/.test(passcode) ? { code: passcode } : { scratch: passcode })
