import type { Ctx, Services, SignedInCtx } from '../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { EmailRow, UserRow } from '../db/tables/accounts.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { Page } from '../lib/paging.ts'
import { mayUseDomain } from './email-domain.rules.ts'
import { mayUseEmail } from './email.rules.ts'
import { countEmails, deleteEmails, insertEmails, listEmails, searchEmails, updatePrimaryEmail } from './email.store.ts'
import { findEmail, updateUser } from './user.store.ts'

export const emailsOf = (ctx: Ctx, user: UserRow): Promise<EmailRow[]> => listEmails(ctx.db, user.id)

/** Throws `Invalid` for what is no address, or none that people here may use. */
export function checkOwnEmail({ config }: Pick<Services, 'config'>, email: string): void {
  const addressed = mayUseEmail(email)
  if (!addressed.allowed) throw new Invalid(addressed.reason, 'email_invalid')
  const domain = mayUseDomain(email, config.service)
  if (!domain.allowed) throw new Invalid(domain.reason, 'email_domain_refused')
}

/** Adds addresses, all or none: bad and used ones, and none at all, are `Invalid`. */
export async function addEmails(services: Services, user: UserRow, emails: readonly string[]): Promise<EmailRow[]> {
  if (emails.length === 0) throw new Invalid('emails: at least one address is needed', 'email_missing')
  for (const email of emails) checkOwnEmail(services, email)
  try {
    return await transaction(services.db, async (tx) => {
      await insertEmails(
        tx,
        emails.map((email) => ({
          user_id: user.id,
          email,
          lower_email: email.toLowerCase(),
          is_activated: true,
          is_primary: false,
        })),
      )
      return listEmails(tx, user.id)
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Invalid('an address is already in use', 'email_taken')
    throw error
  }
}

/** Removes addresses of an account, all or none: unknown ones are `NotFound`, the primary one is `Invalid`. */
export async function removeEmails(services: Services, user: UserRow, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
  await transaction(services.db, async (tx) => {
    const present = new Map((await listEmails(tx, user.id)).map((row) => [row.lower_email, row]))
    const unknown = wanted.find((email) => !present.has(email))
    if (unknown !== undefined) throw new NotFound(`${unknown} is not an address of the account`, 'email_not_found')
    if (wanted.some((email) => present.get(email)?.is_primary)) {
      throw new Invalid('the primary address can not be removed; make another one primary first', 'email_is_primary')
    }
    await deleteEmails(tx, user.id, wanted)
  })
}

/** Makes an address the primary one, as part of a transaction. A new one is added; the former one stays as a secondary. */
export async function setPrimaryEmail(tx: Tx, user: UserRow, email: string): Promise<void> {
  const lower = email.toLowerCase()
  const own = (await listEmails(tx, user.id)).some((row) => row.lower_email === lower)
  if (!own) {
    await insertEmails(tx, [{ user_id: user.id, email, lower_email: lower, is_activated: true, is_primary: false }])
  }
  await updatePrimaryEmail(tx, user.id, lower)
  await updateUser(tx, user.id, { email })
}

/** True when somebody else has the address. */
export async function isEmailOfOther(ctx: Pick<Ctx, 'db'>, user: UserRow, email: string): Promise<boolean> {
  const row = await findEmail(ctx.db, email)
  return row !== undefined && row.user_id !== user.id
}

export async function pageOfEmails({ db, viewer }: SignedInCtx, text: string, page: Page) {
  const [rows, total] = await Promise.all([searchEmails(db, viewer, text, page), countEmails(db, viewer, text)])
  return { rows, total }
}
