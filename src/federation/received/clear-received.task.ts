import type { Ctx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { nowUnix } from '../../lib/time.ts'
import { deleteOldReceived } from './received.store.ts'

/** How long what people elsewhere told is kept, in seconds. */
const keptSeconds = 90 * 86_400

/** Rows of one step: each step is a transaction that others wait for on SQLite. */
const stepSize = 500

/** Clears away what came from other servers a quarter of a year ago. */
export const clearReceived: Schedule<Ctx> = schedule({
  name: 'clear_received_activities',
  when: '@every 6h',
  async run(ctx: Ctx, run) {
    const before = nowUnix(ctx.clock) - keptSeconds
    for (;;) {
      run.signal.throwIfAborted()
      if ((await transaction(ctx.db, (tx) => deleteOldReceived(tx, before, stepSize))) < stepSize) return
    }
  },
})
