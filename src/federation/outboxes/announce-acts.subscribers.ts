import type { Services } from '../../access/context.ts'
import { actEvents } from '../../activity/act.service.ts'
import { recordPush } from '../../activity/push.service.ts'
import { subscriber } from '../../events/subscriber.ts'
import { enqueue } from '../../jobs/queue.ts'
import { hasFederatedFollower } from '../follows/follow.store.ts'
import { announceActs, announceActsToFollowers } from './announce-acts.job.ts'

/** Enqueues the announcement of an act when the acting account has remote followers. */
export const announceActsLater = subscriber({
  name: 'noteActsForFollowers',
  on: actEvents,
  async inTransaction(tx, { data }) {
    if (await hasFederatedFollower(tx, data.doerId)) await enqueue(tx, announceActsToFollowers, { userId: data.doerId })
  },
})

/** Announces pushes. `recordPush` is idempotent: it adds the commits here when its own subscriber has not done so yet. */
export const announcePushes = subscriber({
  name: 'tellPushes',
  on: 'refs.updated',
  pool: 'git',
  async afterCommit(services: Services, event, run) {
    if (!(await hasFederatedFollower(services.db, event.data.doerId))) return
    await recordPush(services, event, run)
    await announceActs(services, event.data.doerId)
  },
})
