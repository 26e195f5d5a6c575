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

/** Content of the sign-up form. */
export interface SignUp {
  readonly name: string
  readonly email: string
  readonly password: string
  /** Challenge and nonce of the proof of work; empty without JavaScript. */
  readonly challenge: string
  readonly nonce: string
  readonly ip: string
  readonly language: string
}

/**
 * Creates an account, or requests the mail that creates it (`confirmSignUp`). A proof of work creates it at once when
 * addresses need no confirmation. Without a proof, a mail is required. Without mail, a few accounts an hour are created
 * anyway, for browsers without JavaScript. The reply does not reveal whether an account has the address.
 * @returns the account; undefined when a mail is sent
 * @throws Forbidden when registration is closed, Invalid or BadRequest (`name_…`, `email_…`, `password_…`),
 * TooManyRequests
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
 * Sends the mail of a sign-up again. The reply does not reveal whether anyone signed up with the address.
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

/** Returns the name of a pending sign-up by its mailed code. @throws NotFound for an invalid code */
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
 * Creates the account of a pending sign-up, which reserves nothing: the first confirmation of a name or address wins.
 * @throws NotFound for an invalid code, Invalid (`name_…`, `email_taken`), Forbidden when registration is closed
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
