import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { RepoTransferRow } from '../../db/tables/repo-relations.ts'
import { pluck } from '../../lib/pluck.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'

export const findTransfer = (db: Db | Tx, repoId: RepoId): Promise<RepoTransferRow | undefined> =>
  db.selectFrom('repo_transfer').selectAll().where('repo_id', '=', repoId).executeTakeFirst()

export const listTransfers = (db: Db, repoIds: readonly RepoId[]): Promise<RepoTransferRow[]> =>
  db.selectFrom('repo_transfer').selectAll().where('repo_id', 'in', repoIds).execute()

/** Inserts a pending transfer. Throws a unique violation when the repository has one. */
export async function insertTransfer(tx: Tx, row: RepoTransferRow): Promise<void> {
  await tx.insertInto('repo_transfer').values(row).execute()
  await tx.updateTable('repo').set({ has_transfer: true }).where('id', '=', row.repo_id).execute()
}

/** Deletes a pending transfer; returns false when there was none. */
export async function deleteTransfer(tx: Tx, repoId: RepoId): Promise<boolean> {
  if (!(await changesRow(tx.deleteFrom('repo_transfer').where('repo_id', '=', repoId)))) return false
  await tx.updateTable('repo').set({ has_transfer: false }).where('id', '=', repoId).execute()
  return true
}

async function forgetTransfers(tx: Tx, ended: readonly { readonly repo_id: RepoId }[]): Promise<void> {
  if (ended.length === 0) return
  await tx.updateTable('repo').set({ has_transfer: false }).where('id', 'in', pluck(ended, 'repo_id')).execute()
}

/** Deletes the pending transfers from one account to another. */
export async function deleteTransfersBetween(tx: Tx, doerId: UserId, recipientId: UserId): Promise<void> {
  const ended = await tx
    .deleteFrom('repo_transfer')
    .where('doer_id', '=', doerId)
    .where('recipient_id', '=', recipientId)
    .returning('repo_id')
    .execute()
  await forgetTransfers(tx, ended)
}

/** Deletes the pending transfers from and to a deleted account. */
export async function endTransfersOf(tx: Tx, userId: UserId): Promise<void> {
  const ended = await tx
    .deleteFrom('repo_transfer')
    .where((where) => where.or([where('doer_id', '=', userId), where('recipient_id', '=', userId)]))
    .returning('repo_id')
    .execute()
  await forgetTransfers(tx, ended)
}
