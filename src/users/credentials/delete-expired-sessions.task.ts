import type { Ctx } from '../../access/context.ts'
import { forgetExpiredSessions } from '../../auth/session.service.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'

/** Forgets sessions that have ended, so that the table does not grow for ever. */
export const deleteExpiredSessions: Schedule<Ctx> = schedule({
  name: 'delete_expired_sessions',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetExpiredSessions(ctx),
})
