import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { forgetOldInvitations } from './invitation.service.ts'

/** Deletes invitations a month after their end. */
export const deleteOldInvitations: Schedule<Ctx> = schedule({
  name: 'delete_old_invitations',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetOldInvitations(ctx),
})
