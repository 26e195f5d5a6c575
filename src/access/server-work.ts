import { usualWorkLimits, WorkBudget } from '../lib/work-budget.ts'
import type { Ctx, Services } from './context.ts'

/**
 * Returns the context of work that no request waits for: a job, a command.
 * @param signal ends the work
 */
export const serverWork = <Given extends Services>(services: Given, signal?: AbortSignal): Given & Ctx => ({
  ...services,
  budget: new WorkBudget(usualWorkLimits, signal && (() => signal)),
})
