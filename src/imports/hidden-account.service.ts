import { isUniqueViolation, transaction, type Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { blankAccount, insertUser } from '../users/user.store.ts'
import { findReservedAccount } from './hidden-account.store.ts'

/**
 * Names are looked for in lower case, so nothing finds this one; `kind` keeps it out of every list, and what belongs to it
 * out of everybody's sight (`access/rights.ts`).
 */
export const reservedName = '(Imports)'

/** Whose account unknown writers have: nobody's. */
export const nobody = -1 as UserId

/**
 * The account that repositories belong to while they are being imported, and that stands for people of other servers where a
 * row must name an account. It is made when it is first wanted.
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
        // As many as are imported at the same time.
        max_repo_creation: 1_000_000,
        visibility: 'private',
        hide_activity: true,
        created_unix: createdUnix,
        updated_unix: createdUnix,
      }),
    )
  } catch (error) {
    // Somebody else made it in this very moment.
    const made = isUniqueViolation(error) ? await findReservedAccount(db, reservedName) : undefined
    if (!made) throw error
    return made
  }
}
