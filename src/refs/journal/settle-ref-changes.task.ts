import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { settleLeftovers } from './leftovers.service.ts'

/**
 * Settles abandoned changes that failed to settle before, for example while a disk was away. A heartbeat settles the
 * changes of dead processes sooner.
 */
export const settleRefChanges: Schedule<Ctx> = schedule({
  name: 'settle_ref_changes',
  when: '@every 15m',
  async run(ctx: Ctx) {
    await settleLeftovers(ctx, 'abandoned')
  },
})
