import type { Ctx, Services, SignedInCtx } from '../access/context.ts'
import { recordAct } from '../audit/audit.ts'
import type { AuditedAction } from '../audit/audited-actions.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { EmailRow, UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { Page } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { holdAccount, publishAccountChange } from './account-change.service.ts'
import { entryLimits } from './entry/entry-limits.ts'
import { openLink, requestLink, spentLink } from './entry/link.service.ts'
import { endWaitingAddresses, listWaitingAddresses } from './entry/link.store.ts'
import { mayUseDomain } from './email-domain.rules.ts'
import { mayUseEmail } from './email.rules.ts'
import { deleteEmails, insertEmails, listEmails, searchEmails, updatePrimaryEmail } from './email.store.ts'
import { deleteUnconfirmed, findEmail, findUserById, updateUser } from './user.store.ts'

/** An address of an account, confirmed or waiting for confirmation. */
export type OwnEmail = Pick<EmailRow, 'email' | 'lower_email' | 'is_activated' | 'is_primary'>

/** Returns the addresses of an account in order of creation, followed by those that wait for confirmation. */
export async function emailsOf({ db, clock }: Services, user: UserRow): Promise<OwnEmail[]> {
  const [rows, links] = await Promise.all([listEmails(db, user.id), listWaitingAddresses(db, user.id, nowUnix(clock))])
  const have = new Set(rows.map((row) => row.lower_email))
  const waiting = new Map(links.filter((link) => !have.has(link.lower_email)).map((link) => [link.lower_email, link]))
  return [
    ...rows,
    ...[...waiting.values()].map(({ email, lower_email: lower }) => ({
      email,
      lower_email: lower,
      is_activated: false,
      is_primary: false,
    })),
  ]
}

/** Throws `Invalid` for a malformed address. */
export function checkEmailForm(email: string): void {
  const addressed = mayUseEmail(email)
  if (!addressed.allowed) throw new Invalid(addressed.reason, addressed.code)
}

/** Throws `Invalid` for a malformed address and for a domain that is not allowed. */
export function checkOwnEmail({ config }: Pick<Services, 'config'>, email: string): void {
  checkEmailForm(email)
  const domain = mayUseDomain(email, config.service)
  if (!domain.allowed) throw new Invalid(domain.reason, domain.code)
}

/** Largest number of addresses of an account that wait for confirmation. */
const maxWaiting = 10

/** The client that requests mails: its address, whose limit they count against, and the language. */
export interface MailAsker {
  readonly ip: string
  readonly language: string
}

/**
 * Adds all addresses or none. Throws `Invalid` for malformed and used addresses, and for none. With
 * `[service].REGISTER_EMAIL_CONFIRM` each address gets a mail and belongs to the account after its link is followed;
 * until then the reply does not reveal whether it is in use.
 * @throws TooManyRequests
 */
export async function addEmails(
  services: Services,
  user: UserRow,
  emails: readonly string[],
  asker: MailAsker,
): Promise<OwnEmail[]> {
  if (emails.length === 0) throw new Invalid('emails: at least one address is needed', 'email_missing')
  for (const email of emails) checkOwnEmail(services, email)
  const { registerEmailConfirm } = services.config.service
  await (registerEmailConfirm ? askToConfirm(services, user, emails, asker) : addConfirmed(services, user, emails))
  return emailsOf(services, user)
}

const actOn = (user: UserRow, addresses: readonly string[], action: AuditedAction) =>
  ({ action, doerId: user.id, about: { kind: 'account', id: user.id }, details: { addresses } }) as const

async function addConfirmed(services: Services, user: UserRow, emails: readonly string[]): Promise<void> {
  try {
    await transaction(services.db, async (tx) => {
      await deleteUnconfirmed(
        tx,
        emails.map((email) => email.toLowerCase()),
      )
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
      await recordAct(tx, actOn(user, emails, 'emailAddress.added'))
      await publish(tx, 'credential.changed', { userId: user.id, what: 'emailAddress', name: emails.join(', ') })
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Invalid('an address is already in use', 'email_taken')
    throw error
  }
}

async function askToConfirm(
  services: Services,
  user: UserRow,
  emails: readonly string[],
  { ip, language }: MailAsker,
): Promise<void> {
  const { db, clock } = services
  const own = new Set((await emailsOf(services, user)).map((each) => each.lower_email))
  if (emails.some((email) => own.has(email.toLowerCase()))) {
    throw new Invalid('the account already has one of the addresses', 'email_taken')
  }
  const waiting = await listWaitingAddresses(db, user.id, nowUnix(clock))
  if (waiting.length + emails.length > maxWaiting) {
    throw new Invalid(`at most ${maxWaiting} addresses can wait for confirmation`, 'email_too_many')
  }
  for (const _ of emails) entryLimits.of(services).mails.take(ip)
  await transaction(db, async (tx) => {
    for (const email of emails) await requestLink(services, tx, { kind: 'address', email, userId: user.id, language })
  })
}

/** Sends the mail of a waiting address again. @throws NotFound, TooManyRequests */
export async function askToConfirmAgain(
  services: Services,
  user: UserRow,
  email: string,
  { ip, language }: MailAsker,
): Promise<void> {
  const { db, clock } = services
  const lower = email.toLowerCase()
  const waiting = await listWaitingAddresses(db, user.id, nowUnix(clock))
  const link = waiting.find((each) => each.lower_email === lower)
  if (!link) throw new NotFound('the address does not wait for confirmation', 'email_not_found')
  entryLimits.of(services).mails.take(ip)
  await transaction(db, async (tx) => {
    await endWaitingAddresses(tx, user.id, [lower], nowUnix(clock))
    await requestLink(services, tx, { kind: 'address', email: link.email, userId: user.id, language })
  })
}

const openAddress = async (services: Services, code: string) => {
  const opened = await openLink(services, 'address', code, async ({ user_id: id }) =>
    id === null ? undefined : findUserById(services.db, id),
  )
  if (!opened.user) throw spentLink()
  return { link: opened.link, user: opened.user }
}

/** Returns the address and the account of a mailed code. @throws NotFound when the code is invalid */
export async function readAddressLink(services: Services, code: string): Promise<{ email: string; name: string }> {
  const { link, user } = await openAddress(services, code)
  return { email: link.email, name: user.name }
}

/** Confirms an address by a mailed code. @throws NotFound, Invalid (`email_taken`) */
export async function confirmAddress(services: Services, code: string): Promise<void> {
  const { link, user } = await openAddress(services, code)
  checkOwnEmail(services, link.email)
  await addConfirmed(services, user, [link.email])
  await transaction(services.db, (tx) => endWaitingAddresses(tx, user.id, [link.lower_email], nowUnix(services.clock)))
}

/** Makes a confirmed address of an account the primary one. @throws NotFound for any other address */
export async function choosePrimaryEmail(services: Services, user: UserRow, email: string): Promise<void> {
  await transaction(services.db, async (tx) => {
    const before = await holdAccount(tx, user.id)
    const lower = email.toLowerCase()
    const own = (await listEmails(tx, user.id)).find((row) => row.lower_email === lower && row.is_activated)
    if (!own) throw new NotFound('the address is not a confirmed address of the account', 'email_not_found')
    await setPrimaryEmail(tx, user, own.email)
    await publishAccountChange(tx, before, { ...before, email: own.email }, user.id)
  })
}

/** Removes all addresses or none. Throws `NotFound` for unknown ones, `Invalid` for the primary one. */
export async function removeEmails(services: Services, user: UserRow, emails: readonly string[]): Promise<void> {
  if (emails.length === 0) return
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
  await transaction(services.db, async (tx) => {
    const present = new Map((await listEmails(tx, user.id)).map((row) => [row.lower_email, row]))
    const now = nowUnix(services.clock)
    const waiting = new Set((await listWaitingAddresses(tx, user.id, now)).map((link) => link.lower_email))
    const unknown = wanted.find((email) => !present.has(email) && !waiting.has(email))
    if (unknown !== undefined) throw new NotFound(`${unknown} is not an address of the account`, 'email_not_found')
    if (wanted.some((email) => present.get(email)?.is_primary)) {
      throw new Invalid('the primary address cannot be removed; make another one primary first', 'email_is_primary')
    }
    await deleteEmails(tx, user.id, wanted)
    const removed = wanted.filter((email) => present.has(email))
    if (removed.length > 0) await recordAct(tx, actOn(user, removed, 'emailAddress.removed'))
    await endWaitingAddresses(tx, user.id, wanted, now)
  })
}

/**
 * Makes an address the primary one within a transaction. It adds a new address; the former one stays as a secondary.
 */
export async function setPrimaryEmail(tx: Tx, user: UserRow, email: string): Promise<void> {
  const lower = email.toLowerCase()
  const own = (await listEmails(tx, user.id)).some((row) => row.lower_email === lower)
  if (!own) {
    await insertEmails(tx, [{ user_id: user.id, email, lower_email: lower, is_activated: true, is_primary: false }])
  }
  await updatePrimaryEmail(tx, user.id, lower)
  await updateUser(tx, user.id, { email })
}

/** Returns whether another account has the address. */
export async function isEmailOfOther(ctx: Pick<Ctx, 'db'>, user: UserRow, email: string): Promise<boolean> {
  const row = await findEmail(ctx.db, email)
  return row !== undefined && row.user_id !== user.id
}

export const pageOfEmails = ({ db, viewer }: SignedInCtx, text: string, page: Page) =>
  searchEmails(db, viewer, text, page)
