import { emptyEventsOf } from '../events/purge.ts'
import { subscriber } from '../events/subscriber.ts'

/** Empties the events about what a purged account wrote. */
export const emptyPurgedEvents = subscriber({
  name: 'emptyPurgedEvents',
  on: 'user.deleted',
  async inTransaction(tx, { data }) {
    if (data.purged) emptyEventsOf(tx, data.userId)
  },
})
