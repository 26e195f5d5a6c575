import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { settleLeftovers } from './leftovers.service.ts'

/**
 * Settles changes that were left behind and could not be settled then, as when a disk was away. What a process that died
 * left is settled with the next heartbeat of another one.
 */
export const settleRefChanges: Schedule<Ctx> = schedule({
  name: 'settle_ref_changes',
  when: '@every 15m',
  async run(ctx: Ctx) {
    await settleLeftovers(ctx, 'abandoned')
  },
})
