import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { forgetOldLinks } from './link.service.ts'

/** Deletes mailed links that can no longer be used. */
export const deleteOldLinks: Schedule<Ctx> = schedule({
  name: 'delete_old_links',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetOldLinks(ctx),
})
