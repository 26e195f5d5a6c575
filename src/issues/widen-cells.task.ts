import type { Ctx } from '../access/context.ts'
import { schedule, type Schedule } from '../jobs/schedule.ts'
import { widenAll } from './cell.service.ts'

/** Repositories grow older: their times are counted in wider cells, so that there are not more and more to sum up. */
export const widenIssueCells: Schedule<Ctx> = schedule({
  name: 'widen_issue_cells',
  when: '@every 24h',
  run: async (ctx: Ctx) => widenAll(ctx),
})
