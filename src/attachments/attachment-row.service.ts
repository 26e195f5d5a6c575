import type { RepoCtx } from '../access/context.ts'
import { refuseOverQuotaBefore } from '../access/quota/reservation.service.ts'
import type { UsageSource } from '../access/quota/usage.ts'
import { addToUsage } from '../access/quota/usage.store.ts'
import type { Tx } from '../db/database.ts'
import type { AttachmentRow, NewAttachmentRow } from '../db/tables/issues.ts'
import { publish } from '../events/hub.ts'
import type { AttachmentId, RepoId, UserId } from '../lib/ids.ts'
import { sumFiles } from './attachment-usage.store.ts'
import { usageKindOf } from './attachment.rules.ts'
import { deleteAttachments, insertAttachment } from './attachment.store.ts'

/** Inserts the row of a stored file and charges its size to the owner of the repository. */
export async function addFile(tx: Tx, values: NewAttachmentRow, doerId: UserId): Promise<AttachmentRow> {
  const row = await insertAttachment(tx, values)
  await addToUsage(tx, { repoId: row.repo_id }, usageKindOf(row), row.size_bytes)
  await publish(tx, 'attachment.created', { attachmentId: row.id, repoId: row.repo_id, doerId })
  return row
}

/** Like `addFile` for an upload. Throws `OverQuota` when concurrent uploads exceeded the quota. */
export async function addUpload(
  ctx: Pick<RepoCtx, 'config' | 'owner'>,
  tx: Tx,
  values: NewAttachmentRow,
  doerId: UserId,
): Promise<AttachmentRow> {
  const row = await addFile(tx, values, doerId)
  const subject = row.release_id === null ? 'size:assets:attachments:issues' : 'size:assets:attachments:releases'
  const charge = { owner: ctx.owner, kind: usageKindOf(row), subject, sizeBytes: row.size_bytes } as const
  await refuseOverQuotaBefore(ctx, tx, charge)
  return row
}

/**
 * Deletes files of one repository; a subscriber of `attachment.deleted` deletes their content. Returns the files that
 * no concurrent call deleted first.
 */
export async function removeFiles(
  tx: Tx,
  repoId: RepoId,
  ids: readonly AttachmentId[],
  doerId: UserId,
): Promise<AttachmentRow[]> {
  const gone = await deleteAttachments(tx, ids)
  await recordRemoval(tx, repoId, gone, doerId)
  return gone
}

/** Subtracts the sizes of deleted files of one repository from its storage usage, and publishes the deletions. */
export async function recordRemoval(
  tx: Tx,
  repoId: RepoId,
  gone: readonly AttachmentRow[],
  doerId: UserId,
): Promise<void> {
  for (const [kind, files] of Map.groupBy(gone, usageKindOf)) {
    await addToUsage(tx, { repoId }, kind, -files.reduce((sum, file) => sum + file.size_bytes, 0))
  }
  for (const { id, blob_key: blobKey } of gone) {
    await publish(tx, 'attachment.deleted', { attachmentId: id, repoId, doerId, blobKey })
  }
}

/** Files of issues, comments and releases. */
export const fileUsage: UsageSource = {
  kinds: ['attachments:issues', 'attachments:releases'],
  count: sumFiles,
}
