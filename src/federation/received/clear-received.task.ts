import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteOldReceived } from './received.store.ts'

/** How long received activities are kept, in seconds. */
const retentionSeconds = 90 * 86_400

/** Rows deleted in one transaction: on SQLite all writers wait for it. */
const stepSize = 500

/** Deletes received activities after 90 days. */
export const clearReceived: Schedule<Ctx> = schedule({
  name: 'clear_received_activities',
  when: '@every 6h',
  async run(ctx: Ctx, run) {
    const before = nowUnix(ctx.clock) - retentionSeconds
    for (;;) {
      run.signal.throwIfAborted()
      if ((await transaction(ctx.db, (tx) => deleteOldReceived(tx, before, stepSize))) < stepSize) return
    }
  },
})
