import type { Ctx } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'

/** Deletes the archive files of a deleted repository, whose rows are gone. */
export const removeArchivesOfRepo = subscriber({
  name: 'removeArchivesOfRepo',
  on: 'repo.deleted',
  async afterCommit(ctx: Ctx, event) {
    for await (const { key } of ctx.blobs.repoArchive.list(`${event.data.repoId}/`)) {
      await ctx.blobs.repoArchive.delete(key)
    }
  },
})
