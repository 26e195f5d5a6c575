import type { Ctx, SignedInCtx } from '../../access/context.ts'
import { tellCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { endSessions } from '../../auth/session.service.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import type { UserChange, UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix, type Unix } from '../../lib/time.ts'
import { hashPassword } from '../../secrets/passwords.ts'
import { mustBeSource } from '../../sources/source.service.ts'
import { purgePossessions, removeAccount } from '../../users/account-removal.service.ts'
import { mayUseEmail } from '../../users/email.rules.ts'
import { isEmailOfOther, setPrimaryEmail } from '../../users/email.service.ts'
import { checkNewPassword } from '../../users/credentials/password-choice.service.ts'
import { holdAccount, tellAccountChange } from '../../users/account-change.service.ts'
import { findUserById, updateUser } from '../../users/user.store.ts'
import { mayUseWebsite } from '../../users/website.rules.ts'
import {
  deleteAccountRow,
  hasAdministrator,
  isAccountOrder,
  isUnused,
  listAccounts,
  lockAdministrators,
  updateMustChange,
} from './account.store.ts'

/** What an administrator changes of an account; what is undefined stays. */
export interface AccountEdit {
  readonly password?: string | undefined
  readonly email?: string | undefined
  readonly sourceId?: number | undefined
  readonly loginName?: string | undefined
  readonly columns: UserChange
}

/**
 * Changes an account; a new password ends its sessions. Everything is checked first and stored together: a weak
 * password, a bad or used address and the demotion of the last administrator are `BadRequest`, other bad values
 * `Invalid` (observed).
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
  if (!site.allowed) throw new Invalid(site.reason, 'website_invalid')
  const said = Object.fromEntries(Object.entries(edit.columns).filter(([, value]) => value !== undefined)) as UserChange
  const change: UserChange = {
    ...said,
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
      if (change.is_admin && !before.is_admin) await tellCredentialChange(tx, ctx, 'administrator', account.name)
      if (edit.email) {
        if (account.kind === 'organization') await updateUser(tx, account.id, { email: edit.email })
        else await setPrimaryEmail(tx, account, edit.email)
      }
      if (change.is_admin === false && !(await hasAdministrator(tx))) {
        throw new BadRequest('the last administrator cannot be demoted', 'last_administrator')
      }
      const edited = await findUserById(tx, account.id)
      if (!edited) throw new NotFound('the user does not exist', 'user_not_found')
      await tellAccountChange(tx, before, edited, doerId)
      return edited
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new BadRequest('the address is used already', 'email_taken')
    throw error
  }
}

/** Who acts on an account: the caller. What a command does is told as the account's own; the audit log says that it was one. */
const doerOf = (ctx: Ctx, account: UserRow): UserId => ctx.viewer?.id ?? account.id

async function checkNewEmail(ctx: Ctx, account: UserRow, email: string | undefined): Promise<void> {
  if (!email) return
  const addressed = mayUseEmail(email)
  if (!addressed.allowed) throw new BadRequest(addressed.reason, 'email_invalid')
  if (account.kind === 'individual' && (await isEmailOfOther(ctx, account, email))) {
    throw new BadRequest(`the address ${email} is used already`, 'email_taken')
  }
}

/**
 * Deletes a person's account. `Invalid` for organizations, oneself, the last administrator, and for accounts that still
 * have what only they can have: repositories, organizations without another owner; `purge` deletes that first, and what
 * the person wrote elsewhere.
 */
export async function deleteAccount(ctx: Ctx, account: UserRow, purge: boolean): Promise<void> {
  if (account.kind === 'organization') throw new Invalid('this is an organization', 'not_a_person')
  const doerId = doerOf(ctx, account)
  if (account.id === ctx.viewer?.id) throw new Invalid('nobody deletes their own account here', 'own_account')
  if (purge) await purgePossessions(ctx, account, doerId)
  await removeAccount(ctx, account, async (tx) => {
    if (account.is_admin) await lockAdministrators(tx)
    await publish(tx, 'user.deleted', {
      userId: account.id,
      doerId,
      name: account.name,
      purged: purge,
    })
    if (!(await deleteAccountRow(tx, account.id))) throw new NotFound('the user does not exist', 'user_not_found')
    if (account.is_admin && !(await hasAdministrator(tx))) {
      throw new Invalid('the last administrator cannot be deleted', 'last_administrator')
    }
  })
}

/** Deletes an account that is not active and that nobody ever used; `Invalid` when somebody does by now, or it owns something. */
export const deleteUnusedAccount = (ctx: Ctx, account: UserRow, beforeUnix: Unix): Promise<void> =>
  removeAccount(ctx, account, async (tx) => {
    await holdAccount(tx, account.id)
    if (!(await isUnused(tx, account.id, beforeUnix))) throw new Invalid('the account is in use', 'account_used')
    await publish(tx, 'user.deleted', { userId: account.id, doerId: account.id, name: account.name, purged: false })
    await deleteAccountRow(tx, account.id)
  })

/**
 * Has people choose another password at their next sign-in, or takes that back: those of the names, or everybody but them.
 * @returns how many accounts that changed
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

/** Ends every session of a person; tokens and keys stay. */
export const endAllSessions = ({ db }: Pick<Ctx, 'db'>, account: UserRow): Promise<void> =>
  transaction(db, async (tx) => {
    await endSessions(tx, account.id)
    await recordAct(tx, { action: 'session.allEnded', doerId: account.id, about: { kind: 'account', id: account.id } })
  })

/** People's accounts, by name unless a known order is asked for. */
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
