import { isUniqueViolation, transaction, type Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { blankAccount, insertUser } from '../users/user.store.ts'
import { findReservedAccount } from './hidden-account.store.ts'

/**
 * The name of the hidden account. Lookups are in lower case, so none finds it; its `kind` hides it and its repositories
 * (`access/rights.ts`).
 */
export const reservedName = '(Imports)'

/** The account id of imported authors without a local account. */
export const nobody = -1 as UserId

/**
 * Returns the account that owns repositories during their import and stands for remote authors in rows that need an account.
 * It is created on first use.
 */
export async function hiddenAccount(db: Db, createdUnix: Unix): Promise<UserRow> {
  const found = await findReservedAccount(db, reservedName)
  if (found) return found
  try {
    return await transaction(db, (tx) =>
      insertUser(tx, {
        ...blankAccount,
        kind: 'reserved',
        name: reservedName,
        lower_name: reservedName,
        email: '',
        keep_email_private: true,
        email_notifications: 'disabled',
        is_active: false,
        is_restricted: true,
        prohibit_login: true,
        // One for each import in progress.
        max_repo_creation: 1_000_000,
        visibility: 'private',
        hide_activity: true,
        created_unix: createdUnix,
        updated_unix: createdUnix,
      }),
    )
  } catch (error) {
    // Another process created it at the same time.
    const existing = isUniqueViolation(error) ? await findReservedAccount(db, reservedName) : undefined
    if (!existing) throw error
    return existing
  }
}
