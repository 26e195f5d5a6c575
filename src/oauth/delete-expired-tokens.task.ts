import type { Ctx } from '../access/context.ts'
import { schedule, type Schedule } from '../jobs/schedule.ts'
import { deleteAllExpired } from './grant.service.ts'

/** Deletes expired codes, devices and tokens. */
export const deleteExpiredTokens: Schedule<Ctx> = schedule({
  name: 'delete_expired_oauth_tokens',
  when: '@every 1h',
  run: async (ctx: Ctx) => deleteAllExpired(ctx),
})
