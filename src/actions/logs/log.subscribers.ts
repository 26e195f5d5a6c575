import type { Ctx } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { storeLog } from './log.service.ts'
import { endClosing } from './log.store.ts'

/** A log whose runner said early that no more comes ends with its task. */
export const endClosingLog = subscriber({
  name: 'endClosingLog',
  on: ['task.finished'],
  async inTransaction(tx, { data: { taskId } }) {
    if (await endClosing(tx, taskId)) await enqueueAll(tx, [planned(storeLog, { taskId })])
  },
})

/** Logs and artifacts of a run, or of a repository, go with it. */
export const deleteRunFiles = subscriber({
  name: 'deleteRunFiles',
  on: ['run.deleted', 'repo.deleted'],
  async afterCommit(ctx: Ctx, event) {
    const stores = [ctx.blobs.actionsLog, ctx.blobs.actionsArtifacts]
    if (event.name === 'run.deleted') {
      for (const key of event.data.blobKeys) for (const store of stores) await store.delete(key)
      return
    }
    for (const store of stores) {
      for await (const { key } of store.list(`${event.data.repoId}/`)) await store.delete(key)
    }
  },
})
