import type { Ctx } from '../access/context.ts'
import { schedule, type Schedule } from '../jobs/schedule.ts'
import { leftoverAgeSeconds, settleLeftovers } from './ref-door.service.ts'

/**
 * Settles what a process that died left behind while others go on: with several processes on one database nobody's
 * start comes to it, and what could not be settled then (a disk that was away) is tried again.
 */
export const settleRefChanges: Schedule<Ctx> = schedule({
  name: 'settle_ref_changes',
  when: '@every 15m',
  async run(ctx: Ctx) {
    await settleLeftovers(ctx, leftoverAgeSeconds)
  },
})
