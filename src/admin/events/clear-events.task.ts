import type { Ctx } from '../../access/context.ts'
import { clearOldEvents } from '../../events/retention.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'

/** Deletes events older than `[ingot].EVENT_RETENTION` that no job needs. */
export const clearEvents: Schedule<Ctx> = schedule({
  name: 'clear_events',
  when: '@every 1h',
  run: async (ctx: Ctx, run) => void (await clearOldEvents(ctx.db, ctx.config.ingot.eventRetention, run)),
})
