import type { Ctx } from '../access/context.ts'
import { contributionsOf } from '../access/feature.ts'
import { accessTo } from '../access/repo-access.ts'
import { missingScope } from '../access/requirements.ts'
import { transaction } from '../db/database.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import { NotFound } from '../lib/errors.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { findUserById } from '../users/user.store.ts'
import { countDownload, findAttachmentByUuid } from './attachment.store.ts'

const noAttachment = () => new NotFound('the attachment does not exist', 'attachment_not_found')

/**
 * Returns a file for download by its public id. Anyone who can read the object of the file may read it; before it
 * belongs to an object, only its uploader. Otherwise 404. A token without the scope of the object counts as a guest.
 */
export async function getDownload(ctx: Ctx, uuid: string): Promise<AttachmentRow> {
  const file = /^[\da-f-]{36}$/i.test(uuid) ? await findAttachmentByUuid(ctx.db, uuid.toLowerCase()) : undefined
  if (!file || !(await mayDownload(ctx, file))) throw noAttachment()
  return file
}

async function mayDownload(ctx: Ctx, file: AttachmentRow): Promise<boolean> {
  const { db, viewer } = ctx
  const repo = await findRepoById(db, file.repo_id)
  const owner = repo && (await findUserById(db, repo.owner_id))
  if (!owner) return false
  for (const holder of contributionsOf(ctx).fileHolders) {
    const guard = await holder.guard(db, file)
    if (!guard) continue
    const asker = missingScope(viewer, [guard.scope], 'GET') === undefined ? viewer : undefined
    const { rights } = await accessTo(db, asker, owner, repo)
    return !rights.isWithheld && guard.mayRead(rights)
  }
  return viewer !== undefined && file.uploader_id === viewer.id
}

export async function countOneDownload(ctx: Ctx, file: AttachmentRow): Promise<void> {
  await transaction(ctx.db, (tx) => countDownload(tx, file.id))
}
