import type { Ctx } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { storeLog } from './log.service.ts'
import { endClosing } from './log.store.ts'

/** Ends the log of a task whose runner sent the end mark early. */
export const endClosingLog = subscriber({
  name: 'endClosingLog',
  on: ['task.finished'],
  async inTransaction(tx, { data: { taskId } }) {
    if (await endClosing(tx, taskId)) await enqueueAll(tx, [planned(storeLog, { taskId })])
  },
})

/** Deletes the logs and artifacts of a deleted run or repository. */
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
