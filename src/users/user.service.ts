import type { Ctx, Services } from '../access/context.ts'
import { sightOf } from '../access/named-account.ts'
import { isUniqueViolation, transaction } from '../db/database.ts'
import type { UserRow, Visibility } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import type { Bound, Page } from '../lib/paging.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import { hashPassword } from '../secrets/passwords.ts'
import { mayUseEmail } from './email.rules.ts'
import { mayNameAccount } from './name.rules.ts'
import { checkNewPassword } from './credentials/password-choice.service.ts'
import {
  blankAccount,
  deleteRedirect,
  deleteUnconfirmed,
  findEmail,
  findUserByName,
  insertEmail,
  insertUser,
  searchPeople,
} from './user.store.ts'

export interface NewAccount {
  readonly name: string
  readonly email: string
  /** Without it and without a hash, nobody can sign in with a password. */
  readonly password?: string | undefined
  /** Hash of an already checked password. */
  readonly passwordHash?: string | undefined
  readonly fullName?: string | undefined
  readonly loginName?: string | undefined
  /** The sign-in source; undefined for a local account. */
  readonly loginSourceId?: number | undefined
  readonly mustChangePassword?: boolean | undefined
  readonly isAdmin?: boolean | undefined
  readonly isRestricted?: boolean | undefined
  /** False for an account that waits for an administrator. */
  readonly isActive?: boolean | undefined
  readonly visibility?: Visibility | undefined
  readonly createdUnix?: Unix | undefined
  /** Whether to mail the new owner. */
  readonly welcomesByMail?: boolean | undefined
  /** The account that creates it; by default the account itself. */
  readonly doerId?: UserId | undefined
}

/**
 * Creates a person's account. Throws `Invalid` for malformed or used names and addresses, `BadRequest` for a weak
 * password (observed). Of concurrent calls with one name, one succeeds.
 */
export async function createUser(services: Services, account: NewAccount): Promise<UserRow> {
  const { config, db } = services
  const named = mayNameAccount(account.name, config.service)
  if (!named.allowed) throw new Invalid(named.reason, named.code)
  const addressed = mayUseEmail(account.email)
  if (!addressed.allowed) throw new Invalid(addressed.reason, addressed.code)
  if (account.password !== undefined && account.password !== '') await checkNewPassword(services, account.password)
  if (await findUserByName(db, account.name)) throw new Invalid(`the name ${account.name} is taken`, 'name_taken')
  if ((await findEmail(db, account.email))?.is_activated) {
    throw new Invalid(`the address ${account.email} is already in use`, 'email_taken')
  }
  const passwordHash = account.password ? await hashPassword(account.password) : (account.passwordHash ?? null)
  const createdUnix = account.createdUnix ?? nowUnix(services.clock)
  try {
    return await transaction(db, async (tx) => {
      const user = await insertUser(tx, {
        ...blankAccount,
        kind: 'individual',
        name: account.name,
        lower_name: account.name.toLowerCase(),
        full_name: account.fullName ?? '',
        email: account.email,
        keep_email_private: config.service.defaultKeepEmailPrivate,
        email_notifications: config.admin.defaultEmailNotifications,
        password_hash: passwordHash,
        must_change_password: account.mustChangePassword ?? false,
        is_admin: account.isAdmin ?? false,
        is_active: account.isActive ?? true,
        is_restricted: account.isRestricted ?? config.service.defaultUserIsRestricted,
        allow_create_organization: config.service.defaultAllowCreateOrganization,
        max_repo_creation: -1,
        visibility: account.visibility ?? config.service.defaultUserVisibility,
        theme: config.ui.defaultTheme,
        login_name: account.loginName ?? '',
        login_source_id: account.loginSourceId ?? 0,
        created_unix: createdUnix,
        updated_unix: createdUnix,
      })
      await deleteUnconfirmed(tx, [account.email.toLowerCase()])
      await insertEmail(tx, {
        user_id: user.id,
        email: account.email,
        lower_email: account.email.toLowerCase(),
        is_activated: true,
        is_primary: true,
      })
      await deleteRedirect(tx, user.lower_name)
      await publish(tx, 'user.created', {
        userId: user.id,
        doerId: account.doerId ?? user.id,
        ...(account.welcomesByMail ? { welcomesByMail: true } : {}),
      })
      return user
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new Invalid('the name or address is taken', 'name_taken')
    throw error
  }
}

/** Throws `NotFound` unless the viewer may see the account (contract R4), for accounts that no path names. */
export async function refuseInvisible(ctx: Ctx, account: UserRow): Promise<void> {
  if ((await sightOf(ctx, account)) !== 'visible') throw new NotFound('the user does not exist', 'user_not_found')
}

/** Returns the visible account of a name; undefined for hidden and missing accounts alike. */
export async function findShownUser(ctx: Ctx, name: string): Promise<UserRow | undefined> {
  const account = await findUserByName(ctx.db, name)
  return account && (await sightOf(ctx, account)) === 'visible' ? account : undefined
}

/** Returns the visible people whose login, full name or shown address contains a text, or the one with an id. */
export async function findPeople(
  ctx: Ctx,
  query: { readonly text: string; readonly userId?: UserId | undefined; readonly isNewestFirst?: boolean },
  page: Page,
): Promise<{ readonly users: readonly UserRow[]; readonly total: number; readonly bound?: Bound }> {
  const { viewer, db } = ctx
  return searchPeople(db, { ...query, shownTo: viewer, hiddenEmails: viewer?.isAdmin === true }, page)
}
