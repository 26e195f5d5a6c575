import { subscriber } from '../../events/subscriber.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { pushMirrorJob } from './push-mirror.job.ts'
import { listPushMirrorIds } from './push-mirror.store.ts'

/** Enqueues pushes to the push mirrors that follow each change of code and wiki. */
export const sendChangesOn = subscriber({
  name: 'sendChangesOn',
  on: 'refs.updated',
  async inTransaction(tx, { data: { repoId } }) {
    const ids = await listPushMirrorIds(tx, repoId, { onCommit: true })
    if (ids.length === 0) return
    await enqueueAll(
      tx,
      ids.map((mirrorId) => planned(pushMirrorJob, { mirrorId })),
    )
  },
})
