import type { Ctx, SignedInRepoCtx } from '../access/context.ts'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import { Invalid } from '../lib/errors.ts'
import { nowUnix } from '../lib/time.ts'
import { addUpload, recordRemoval } from './attachment-row.service.ts'
import { noFile, takeUpload, type AttachRules, type Upload } from './incoming-file.service.ts'
import { countPendingFiles, deletePendingFiles, listUploadersOfPending, type Uploader } from './pending-file.store.ts'

/** Most files of an account that wait in one repository for a text. */
const maxPending = 50

/** A draft may stay open over a weekend. */
const pendingSeconds = 3 * 86_400

/** @throws Invalid when more files than `most` wait */
async function refuseMoreThan(most: number, db: Db | Tx, uploader: Uploader): Promise<void> {
  if ((await countPendingFiles(db, uploader)) <= most) return
  const message = `${maxPending} of your files wait for a comment that shows them; send a comment with some of them first`
  throw new Invalid(message, 'attachment_pending', { field: 'attachment' })
}

/**
 * Stores a file for a text that is still being written. Only its uploader can read it and show it in a text, which then
 * holds it. `removeOldPendingFiles` deletes a file that no text shows.
 */
export async function addPendingFile(ctx: SignedInRepoCtx, upload: Upload, rules: AttachRules): Promise<AttachmentRow> {
  const uploader = { repoId: ctx.repo.id, uploaderId: ctx.viewer.id }
  await refuseMoreThan(maxPending - 1, ctx.db, uploader)
  return takeUpload(ctx, upload, rules, async (file) => {
    if (!file) throw noFile()
    const owner = { repo_id: ctx.repo.id, issue_id: null, comment_id: null, release_id: null }
    const by = { uploader_id: ctx.viewer.id, created_unix: nowUnix(ctx.clock) }
    return transaction(ctx.db, async (tx) => {
      const row = await addUpload(ctx, tx, { ...file, ...owner, ...by }, ctx.viewer.id)
      // The row of the storage usage is locked: parallel uploads count each other.
      await refuseMoreThan(maxPending, tx, uploader)
      return row
    })
  })
}

/** Deletes the uploads that no text has shown for three days. */
export async function removeOldPendingFiles({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const beforeUnix = nowUnix(clock) - pendingSeconds
  for (const uploader of await listUploadersOfPending(db, beforeUnix)) {
    await transaction(db, async (tx) => {
      const gone = await deletePendingFiles(tx, uploader, beforeUnix)
      await recordRemoval(tx, uploader.repoId, gone, uploader.uploaderId)
    })
  }
}
