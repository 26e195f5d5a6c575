import type { Services } from '../access/context.ts'
import { stillOwns } from '../access/contributions/owned.ts'
import { isForeignKeyViolation, transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/**
 * Deletes what features keep for an account, in transactions of their own, since it may be a lot. When one fails, what
 * went before is gone and the account stays.
 */
export async function purgePossessions(services: Services, account: UserRow, doerId: UserId): Promise<void> {
  for (const { purge } of services.parts.ownedByAccounts) await purge?.(services, account, doerId)
}

/**
 * The transaction in which an account goes: refused by what it still has, then everything leaves that belongs to it, and
 * `remove` deletes the row. Its picture goes when all is committed.
 */
export async function removeAccount(
  services: Services,
  account: UserRow,
  remove: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { ownedByAccounts } = services.parts
  try {
    await transaction(services.db, async (tx) => {
      for (const { refuse } of ownedByAccounts) await refuse?.(tx, account)
      for (const { leave } of ownedByAccounts) await leave?.(tx, account)
      await remove(tx)
    })
  } catch (error) {
    // Something came to the account while it went.
    if (isForeignKeyViolation(error)) throw stillOwns(account)
    throw error
  }
  if (account.avatar_key !== '') await services.blobs.avatars.delete(account.avatar_key)
}
