import { emptyEventsOf } from '../events/purge.ts'
import { subscriber } from '../events/subscriber.ts'

/** What a purged account wrote is left in no event. */
export const emptyPurgedEvents = subscriber({
  name: 'emptyPurgedEvents',
  on: 'user.deleted',
  async inTransaction(tx, { data }) {
    if (data.purged) emptyEventsOf(tx, data.userId)
  },
})
