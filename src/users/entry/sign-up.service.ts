import type { Services } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { hashPassword } from '../../secrets/passwords.ts'
import { checkAccountName } from '../account-name.service.ts'
import { checkNewPassword } from '../credentials/password-choice.service.ts'
import { checkOwnEmail } from '../email.service.ts'
import { createUser } from '../user.service.ts'
import { entryLimits } from './entry-limits.ts'
import { openLink, requestLink, spentLink } from './link.service.ts'
import { findWaitingSignUp, takeLink } from './link.store.ts'
import { isProven } from './proof-of-work.service.ts'
import { mayRegister } from './registration.rules.ts'

/** What somebody says who signs up. */
export interface SignUp {
  readonly name: string
  readonly email: string
  readonly password: string
  /** The task of the form and what the browser found; empty without scripts. */
  readonly challenge: string
  readonly nonce: string
  readonly ip: string
  readonly language: string
}

/**
 * Signs somebody up: makes an account, or has a mail sent that does (`confirmSignUp`). It is made at once where the browser
 * brought a proof of work and addresses need no confirmation. Without the proof the mail stands for it; where none is sent
 * either, a few accounts within an hour are made all the same, so that a browser without scripts is enough.
 *
 * Nothing tells whether the address of a mail has an account: the owner is told so by the mail.
 * @returns the account; undefined when a mail goes out
 * @throws Forbidden where nobody can register, Invalid or BadRequest (`name_…`, `email_…`, `password_…`), TooManyRequests
 */
export async function signUp(services: Services, input: SignUp): Promise<UserRow | undefined> {
  const { config, db, mailer } = services
  must(mayRegister(config))
  const { name, email } = input
  await checkAccountName(services, name)
  checkOwnEmail(services, email)
  const isWorkDone = isProven(services, input)
  await checkNewPassword(services, input.password)
  const limits = entryLimits.of(services)
  if (config.service.registerEmailConfirm || (!isWorkDone && mailer.isEnabled)) {
    limits.mails.take(input.ip)
    const passwordHash = await hashPassword(input.password)
    const { language } = input
    await transaction(db, (tx) => requestLink(services, tx, { kind: 'sign-up', name, email, passwordHash, language }))
    return undefined
  }
  const limit = isWorkDone ? limits.proven : limits.unproven
  limit.take(input.ip)
  return createUser(services, {
    name,
    email,
    password: input.password,
    isActive: !config.service.registerManualConfirm,
  })
}

/**
 * Has the mail of a sign-up sent once more. The answer is the same whether anybody signed up with the address.
 * @throws TooManyRequests
 */
export async function askForSignUpAgain(
  services: Services,
  { email, ip, language }: { readonly email: string; readonly ip: string; readonly language: string },
): Promise<void> {
  must(mayRegister(services.config))
  checkOwnEmail(services, email)
  entryLimits.of(services).mails.take(ip)
  const waiting = await findWaitingSignUp(services.db, email.toLowerCase(), nowUnix(services.clock))
  const { name = '', password_hash: passwordHash = '' } = waiting ?? {}
  await transaction(services.db, (tx) =>
    requestLink(services, tx, { kind: 'sign-up', name, email, passwordHash, language }),
  )
}

/** The name that a sign-up asked for, by the code of its mail. @throws NotFound when the code does nothing any more */
export async function readSignUp(services: Services, code: string): Promise<{ name: string; email: string }> {
  const { link } = await openSignUp(services, code)
  return { name: link.name, email: link.email }
}

async function openSignUp(services: Services, code: string) {
  const opened = await openLink(services, 'sign-up', code, async () => undefined)
  if (opened.link.name === '') throw spentLink()
  return opened
}

/**
 * Makes the account of a sign-up whose mail has arrived. Nothing was reserved by the sign-up: of several with one name or
 * one address the first that is confirmed has it, and others choose another name.
 * @throws NotFound for a code that does nothing any more, Invalid (`name_…`, `email_taken`), Forbidden where nobody can register
 */
export async function confirmSignUp(services: Services, code: string, name: string): Promise<UserRow> {
  const { config, db, clock } = services
  must(mayRegister(config))
  const { link } = await openSignUp(services, code)
  await checkAccountName(services, name)
  const user = await createUser(services, {
    name,
    email: link.email,
    passwordHash: link.password_hash,
    isActive: !config.service.registerManualConfirm,
  })
  await transaction(db, (tx) => takeLink(tx, link.id, nowUnix(clock)))
  return user
}
