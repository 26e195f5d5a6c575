import type { Ctx } from '../../access/context.ts'
import { forgetExpiredSessions } from '../../auth/session.service.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'

/** Deletes ended sessions. */
export const deleteExpiredSessions: Schedule<Ctx> = schedule({
  name: 'delete_expired_sessions',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetExpiredSessions(ctx),
})
