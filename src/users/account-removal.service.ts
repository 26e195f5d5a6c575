import type { Services } from '../access/context.ts'
import { stillOwns } from '../access/contributions/owned.ts'
import { contributionsOf } from '../access/feature.ts'
import { isForeignKeyViolation, transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/**
 * Deletes the data that features keep for an account, in separate transactions. When one fails, earlier deletions
 * remain and so does the account.
 */
export async function purgePossessions(services: Services, account: UserRow, doerId: UserId): Promise<void> {
  for (const { purge } of contributionsOf(services).ownedByAccounts) await purge?.(services, account, doerId)
}

/**
 * Deletes an account in one transaction: checks that it owns nothing that prevents it, deletes what belongs to it, and
 * calls `remove` for the row. The picture is deleted after the commit.
 */
export async function removeAccount(
  services: Services,
  account: UserRow,
  remove: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { ownedByAccounts } = contributionsOf(services)
  try {
    await transaction(services.db, async (tx) => {
      for (const { refuse } of ownedByAccounts) await refuse?.(tx, account)
      for (const { leave } of ownedByAccounts) await leave?.(tx, account)
      await remove(tx)
    })
  } catch (error) {
    // The account got something new during the deletion.
    if (isForeignKeyViolation(error)) throw stillOwns(account)
    throw error
  }
  if (account.avatar_key !== '') await services.blobs.avatars.delete(account.avatar_key)
}
