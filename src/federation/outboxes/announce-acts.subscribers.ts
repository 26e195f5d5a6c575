import type { Services } from '../../access/context.ts'
import { actEvents } from '../../activity/act.service.ts'
import { recordPush } from '../../activity/push.service.ts'
import { subscriber } from '../../events/subscriber.ts'
import { enqueue } from '../../jobs/queue.ts'
import { hasFederatedFollower } from '../follows/follow.store.ts'
import { tellActs, tellFollowers } from './tell-followers.job.ts'

/** Has the followers on other servers told of what somebody did; where there are none it costs one look. */
export const noteActs = subscriber({
  name: 'noteActsForFollowers',
  on: actEvents,
  async inTransaction(tx, { data }) {
    if (await hasFederatedFollower(tx, data.doerId)) await enqueue(tx, tellFollowers, { userId: data.doerId })
  },
})

/** The same of pushes, whose acts are written down after them: here again, should it not be done yet. */
export const tellPushes = subscriber({
  name: 'tellPushes',
  on: 'refs.updated',
  pool: 'git',
  async afterCommit(services: Services, event, run) {
    if (!(await hasFederatedFollower(services.db, event.data.doerId))) return
    await recordPush(services, event, run)
    await tellActs(services, event.data.doerId)
  },
})
