import { isUniqueViolation, transaction, type Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Unix } from '../lib/time.ts'
import { insertUser } from '../users/user.store.ts'
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
        kind: 'reserved',
        name: reservedName,
        lower_name: reservedName,
        full_name: '',
        email: '',
        keep_email_private: true,
        email_notifications: 'disabled',
        password_hash: null,
        must_change_password: false,
        is_admin: false,
        is_active: false,
        is_restricted: true,
        prohibit_login: true,
        allow_git_hook: false,
        allow_import_local: false,
        allow_create_organization: false,
        // As many as are imported at the same time.
        max_repo_creation: 1_000_000,
        visibility: 'private',
        description: '',
        location: '',
        website: '',
        pronouns: '',
        language: '',
        theme: '',
        diff_view_style: '',
        hide_activity: true,
        enable_repo_unit_hints: false,
        avatar_key: '',
        login_name: '',
        repo_admin_change_team_access: false,
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
