import type { Ctx } from '../access/context.ts'
import { configuredTask } from '../access/task.ts'
import type { Config } from '../config/load-config.ts'
import { transaction } from '../db/database.ts'
import { deleteOldActs } from './act.store.ts'

/** Number of acts that one transaction deletes. On SQLite other writers wait for it. */
const stepSize = 500

/** Deletes old acts (`[cron.delete_old_actions]`). */
export const deleteOldActions = (config: Config) => {
  const settings = config.cronDeleteOldActions
  return configuredTask('delete_old_actions', settings, async (ctx: Ctx, run) => {
    const before = Math.floor((ctx.clock.nowMs() - settings.olderThan) / 1000)
    for (;;) {
      run.signal.throwIfAborted()
      if ((await transaction(ctx.db, (tx) => deleteOldActs(tx, before, stepSize))) < stepSize) return
    }
  })
}
