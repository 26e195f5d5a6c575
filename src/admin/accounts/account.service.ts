import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { endSessions } from '../../auth/session.service.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { UserChange, UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { hashPassword } from '../../secrets/passwords.ts'
import { mustBeSource } from '../../sources/source.service.ts'
import { purgePossessions, removeAccount } from '../../users/account-removal.service.ts'
import { mayUseEmail } from '../../users/email.rules.ts'
import { isEmailOfOther, setPrimaryEmail } from '../../users/email.service.ts'
import { checkNewPassword } from '../../users/credentials/password-choice.service.ts'
import { holdAccount, publishAccountChange } from '../../users/account-change.service.ts'
import { findUserById, updateUser } from '../../users/user.store.ts'
import { mayUseWebsite } from '../../users/website.rules.ts'
import { mayDeleteOwnAccount } from './account.policy.ts'
import {
  deleteAccountRow,
  hasAdministrator,
  isAccountOrder,
  isUnused,
  listAccounts,
  lockAdministrators,
  updateMustChange,
} from './account.store.ts'

/** Changes by an administrator; undefined values stay. */
export interface AccountEdit {
  readonly password?: string | undefined
  readonly email?: string | undefined
  readonly sourceId?: number | undefined
  readonly loginName?: string | undefined
  readonly columns: UserChange
}

/**
 * Changes an account in one transaction after all checks. A new password ends its sessions. Throws `BadRequest` for a
 * weak password, a malformed or used address and the demotion of the last administrator, `Invalid` for other values
 * (observed).
 */
export async function editAccount(ctx: Ctx, account: UserRow, edit: AccountEdit): Promise<UserRow> {
  const { config } = ctx
  const doerId = doerOf(ctx, account)
  if ((edit.sourceId === undefined) !== (edit.loginName === undefined)) {
    throw new Invalid('source_id and login_name go together', 'login_source_incomplete')
  }
  await mustBeSource(ctx, edit.sourceId)
  if (edit.password) await checkNewPassword(ctx, edit.password)
  await checkNewEmail(ctx, account, edit.email)
  const site = mayUseWebsite(edit.columns.website ?? '', config.service.validSiteUrlSchemes)
  if (!site.allowed) throw new Invalid(site.reason, site.code)
  const given = Object.fromEntries(
    Object.entries(edit.columns).filter(([, value]) => value !== undefined),
  ) as UserChange
  const change: UserChange = {
    ...given,
    ...(edit.loginName === undefined ? {} : { login_name: edit.loginName, login_source_id: edit.sourceId ?? 0 }),
    ...(edit.password ? { password_hash: await hashPassword(edit.password) } : {}),
    updated_unix: nowUnix(ctx.clock),
  }
  try {
    return await transaction(ctx.db, async (tx) => {
      if (change.is_admin === false && account.is_admin) await lockAdministrators(tx)
      const before = await holdAccount(tx, account.id)
      await updateUser(tx, account.id, change)
      if (edit.password) {
        await endSessions(tx, account.id)
        const about = { kind: 'account', id: account.id } as const
        await recordAct(tx, { action: 'password.changed', doerId, about })
        await publish(tx, 'credential.changed', { userId: account.id, what: 'password', name: '' })
      }
      if (change.is_admin && !before.is_admin) await publishCredentialChange(tx, ctx, 'administrator', account.name)
      if (edit.email) {
        if (account.kind === 'organization') await updateUser(tx, account.id, { email: edit.email })
        else await setPrimaryEmail(tx, account, edit.email)
      }
      if (change.is_admin === false && !(await hasAdministrator(tx))) {
        throw new BadRequest('the last administrator cannot be demoted', 'last_administrator')
      }
      const edited = await findUserById(tx, account.id)
      if (!edited) throw new NotFound('the user does not exist', 'user_not_found')
      await publishAccountChange(tx, before, edited, doerId)
      return edited
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new BadRequest('the address is used already', 'email_taken')
    throw error
  }
}

/**
 * Returns the acting account: the caller, or the account itself for a command. The audit log marks commands by their
 * credential.
 */
const doerOf = (ctx: Ctx, account: UserRow): UserId => ctx.viewer?.id ?? account.id

async function checkNewEmail(ctx: Ctx, account: UserRow, email: string | undefined): Promise<void> {
  if (!email) return
  const addressed = mayUseEmail(email)
  if (!addressed.allowed) throw new BadRequest(addressed.reason, addressed.code)
  if (account.kind === 'individual' && (await isEmailOfOther(ctx, account, email))) {
    throw new BadRequest(`the address ${email} is used already`, 'email_taken')
  }
}

/**
 * Deletes a person's account. Throws `Invalid` for organizations, oneself, the last administrator, and accounts that
 * own repositories or are the only owner of an organization. `purge` first deletes these and what the person wrote
 * elsewhere.
 */
export async function deleteAccount(ctx: Ctx, account: UserRow, purge: boolean): Promise<void> {
  if (account.kind === 'organization') throw new Invalid('this is an organization', 'not_a_person')
  const doerId = doerOf(ctx, account)
  if (account.id === ctx.viewer?.id) throw new Invalid('administrators cannot delete their own account', 'own_account')
  if (purge) await purgePossessions(ctx, account, doerId)
  await removePerson(ctx, account, { doerId, purged: purge })
}

/**
 * Deletes the account of the caller. Throws `Forbidden` where the settings keep people from it, and `Invalid` for the
 * last administrator and for accounts that own repositories or packages or are the only owner of an organization.
 */
export async function deleteOwnAccount(ctx: SignedInCtx): Promise<void> {
  const { user } = ctx.viewer
  must(mayDeleteOwnAccount(ctx.config, user))
  await removePerson(ctx, user, { doerId: user.id, purged: false })
}

const removePerson = (
  ctx: Ctx,
  account: UserRow,
  { doerId, purged }: { readonly doerId: UserId; readonly purged: boolean },
): Promise<void> =>
  removeAccount(ctx, account, async (tx) => {
    if (account.is_admin) await lockAdministrators(tx)
    await publish(tx, 'user.deleted', { userId: account.id, doerId, name: account.name, purged })
    if (!(await deleteAccountRow(tx, account.id))) throw new NotFound('the user does not exist', 'user_not_found')
    if (account.is_admin && !(await hasAdministrator(tx))) {
      throw new Invalid('the last administrator cannot be deleted', 'last_administrator')
    }
  })

/** Deletes an inactive account that was never used. Throws `Invalid` when it was used meanwhile or owns something. */
export const deleteUnusedAccount = (ctx: Ctx, account: UserRow, beforeUnix: Unix): Promise<void> =>
  removeAccount(ctx, account, async (tx) => {
    await holdAccount(tx, account.id)
    if (!(await isUnused(tx, account.id, beforeUnix))) throw new Invalid('the account is in use', 'account_used')
    await publish(tx, 'user.deleted', { userId: account.id, doerId: account.id, name: account.name, purged: false })
    await deleteAccountRow(tx, account.id)
  })

/**
 * Sets or clears the requirement of a new password, for the named accounts or for all others.
 * @returns the number of changed accounts
 */
export const askForNewPasswords = (
  { db }: Pick<Ctx, 'db'>,
  people: { readonly ids: readonly UserId[]; readonly isAllBut: boolean },
  mustChange: boolean,
): Promise<number> =>
  transaction(db, async (tx) => {
    const names = await updateMustChange(tx, people, mustChange)
    const action = mustChange ? 'password.changeAsked' : 'password.changeNotAsked'
    const about = { kind: 'instance', id: null } as const
    const details = { accounts: names.slice(0, 50), count: names.length }
    if (names.length > 0) await recordAct(tx, { action, about, details })
    return names.length
  })

/** Ends every session of a person; tokens and keys stay valid. */
export const endAllSessions = ({ db }: Pick<Ctx, 'db'>, account: UserRow): Promise<void> =>
  transaction(db, async (tx) => {
    await endSessions(tx, account.id)
    await recordAct(tx, { action: 'session.allEnded', doerId: account.id, about: { kind: 'account', id: account.id } })
  })

/** Returns a page of people's accounts; unknown orders count as the order by name. */
export async function pageOfAccounts(
  ctx: SignedInCtx,
  query: {
    readonly loginName?: string | undefined
    readonly sourceId?: number | undefined
    readonly sort?: string | undefined
  },
  page: Page,
): Promise<{ readonly users: readonly UserRow[]; readonly total: number }> {
  const order = query.sort !== undefined && isAccountOrder(query.sort) ? query.sort : 'alphabetically'
  const filter = { ...query, shownTo: ctx.viewer }
  return listAccounts(ctx.db, filter, order, page)
}
