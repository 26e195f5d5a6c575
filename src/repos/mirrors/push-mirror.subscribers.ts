import { subscriber } from '../../events/subscriber.ts'
import { enqueueAll, planned } from '../../jobs/queue.ts'
import { pushMirrorJob } from './push-mirror.job.ts'
import { listPushMirrorIds } from './push-mirror.store.ts'

/** Changes of the code and the wiki go on to those who are told of every one. */
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
