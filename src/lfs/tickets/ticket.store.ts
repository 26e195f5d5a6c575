import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { KeyId } from '../../lib/ids.ts'
import { findUserById } from '../../users/user.store.ts'
import type { LfsTicket } from './ticket.ts'

/** Returns the account that a ticket's key stands for: its own, or the owner of the repository of a deploy key. */
export async function findTicketKey(
  db: Db,
  keyId: KeyId,
  { userId, repoId }: LfsTicket,
): Promise<{ readonly user: UserRow; readonly deploysReadOnly: boolean | undefined } | undefined> {
  const key = await db.selectFrom('public_key').select('owner_id').where('id', '=', keyId).executeTakeFirst()
  if (!key || (key.owner_id !== null && key.owner_id !== userId)) return undefined
  if (key.owner_id !== null) {
    const user = await findUserById(db, key.owner_id)
    return user && { user, deploysReadOnly: undefined }
  }
  const access = await db
    .selectFrom('deploy_key')
    .innerJoin('repo', 'repo.id', 'deploy_key.repo_id')
    .select(['deploy_key.is_read_only', 'repo.owner_id'])
    .where('deploy_key.key_id', '=', keyId)
    .where('deploy_key.repo_id', '=', repoId)
    .executeTakeFirst()
  // After a transfer the key acts for another owner, so a new ticket is needed.
  const user = access?.owner_id === userId ? await findUserById(db, userId) : undefined
  return access && user && { user, deploysReadOnly: access.is_read_only }
}
