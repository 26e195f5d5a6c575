import type { Ctx } from '../../access/context.ts'
import { schedule, type Schedule } from '../../jobs/schedule.ts'
import { forgetSentForms } from './sent-form.service.ts'

/** Deletes the records of forms that nobody sends again. */
export const deleteSentForms: Schedule<Ctx> = schedule({
  name: 'delete_sent_forms',
  when: '@every 1h',
  run: async (ctx: Ctx) => forgetSentForms(ctx),
})
