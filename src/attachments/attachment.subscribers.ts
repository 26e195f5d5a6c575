import type { Ctx } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'

/** Deletes the content of a deleted file. */
export const removeAttachmentFile = subscriber({
  name: 'removeAttachmentFile',
  on: 'attachment.deleted',
  async afterCommit(ctx: Ctx, { data }) {
    if (data.blobKey !== '') await ctx.blobs.attachments.delete(data.blobKey)
  },
})

/** Deletes the files of a deleted repository, whose rows are gone. */
export const removeAttachmentsOfRepo = subscriber({
  name: 'removeAttachmentsOfRepo',
  on: ['repo.deleted', 'repo.importAbandoned'],
  async afterCommit(ctx: Ctx, { data }) {
    for await (const { key } of ctx.blobs.attachments.list(`${data.repoId}/`)) await ctx.blobs.attachments.delete(key)
  },
})
