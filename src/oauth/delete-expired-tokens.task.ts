import type { Ctx } from '../access/context.ts'
import { schedule, type Schedule } from '../jobs/schedule.ts'
import { forgetExpired } from './grant.service.ts'

/** Forgets codes, devices and tokens that have expired, so that the tables do not grow for ever. */
export const deleteExpiredTokens: Schedule<Ctx> = schedule({
  name: 'delete_expired_oauth_tokens',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetExpired(ctx),
})
